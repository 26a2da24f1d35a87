// SPDX-License-Identifier: GPL-2.0-or-later
//
// Submits held jobs in turn until its time is over, and prints what each was answered. Several of these side
// by side keep slurmctld busier than any number of sbatch could.
//
//   submit_loop SECONDS CASE...       where CASE is NAME[:FIELD=VALUE...], such as wide:qos=small:tasks=3
//
// Prints on stderr, per submission: the lines that a user reads (libslurm prints those of a refused job
// itself) or "no answer: WHY", then "answer NAME MONOTONIC_SECONDS CODE JOBID". CODE is Slurm's error, 0 for
// an accepted job, and -1 where slurmctld did not answer, being busy with a reconfiguration for example.
#include "held_job.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int no_answer = -1;
// Until slurmctld listens again.
constexpr std::chrono::milliseconds pause_after_no_answer{50};

[[noreturn]] void fail(const std::string& message) {
    std::fprintf(stderr, "submit_loop: %s\n", message.c_str());
    std::exit(EXIT_FAILURE);
}

struct Case {
    std::string name;
    std::map<std::string, std::string> fields;
};

Case parse_case(const std::string& text) {
    Case parsed;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(':', begin), text.size());
        const std::string part = text.substr(begin, end - begin);
        const std::size_t equals = part.find('=');
        if (begin == 0)
            parsed.name = part;
        else if (equals == std::string::npos)
            fail(text + ": " + part + " is not FIELD=VALUE");
        else
            parsed.fields[part.substr(0, equals)] = part.substr(equals + 1);
        begin = end + 1;
    }
    return parsed;
}

void set_field(job_desc_msg_t& job, const std::string& field, std::string& value) {
    if (field == "qos")
        job.qos = value.data();
    else if (field == "comment")
        job.comment = value.data();
    else if (field == "tasks")
        job.min_cpus = job.num_tasks = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    else
        fail(field + ": no such field; there are qos, comment and tasks");
}

/// Whether the connection ended before slurmctld said anything: libslurm's own errors, and the system's.
bool is_no_answer(int error) {
    switch (error) {
    case ECONNREFUSED:
    case ECONNRESET:
    case EPIPE:
    case ETIMEDOUT:
    case SLURM_COMMUNICATIONS_CONNECTION_ERROR:
    case SLURM_COMMUNICATIONS_SEND_ERROR:
    case SLURM_COMMUNICATIONS_RECEIVE_ERROR:
    case SLURM_COMMUNICATIONS_SHUTDOWN_ERROR:
    case SLURM_COMMUNICATIONS_MISSING_SOCKET_ERROR:
    case SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT:
    case SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT: return true;
    default: return false;
    }
}

void print_answer(const Case& kind, int error, std::uint32_t job_id) {
    const double now = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
    std::fprintf(stderr, "answer %s %.6f %d %u\n", kind.name.c_str(), now, error, job_id);
}

void submit(Case& kind) {
    job_desc_msg_t job = qg::test::held_job(kind.name);
    for (auto& [field, value] : kind.fields)
        set_field(job, field, value);

    submit_response_msg_t* response = nullptr;
    errno = 0;
    if (slurm_submit_batch_job(&job, &response) != SLURM_SUCCESS) {
        const int told = errno;
        const int error = is_no_answer(told) ? no_answer : told;
        if (error == no_answer) std::fprintf(stderr, "no answer: %s\n", slurm_strerror(told));
        print_answer(kind, error, 0);
        if (error == no_answer) std::this_thread::sleep_for(pause_after_no_answer);
        return;
    }
    if (response->job_submit_user_msg != nullptr) std::fprintf(stderr, "%s\n", response->job_submit_user_msg);
    print_answer(kind, 0, qg::slurm::job_id_of(*response));
    slurm_free_submit_response_response_msg(response);
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) fail("usage: submit_loop SECONDS NAME[:FIELD=VALUE...]...");
    const auto end = Clock::now() + std::chrono::duration<double>(std::strtod(argv[1], nullptr));
    std::vector<Case> cases;
    for (int i = 2; i < argc; ++i)
        cases.push_back(parse_case(argv[i]));
    slurm_init(nullptr);
    while (Clock::now() < end)
        for (Case& kind : cases)
            submit(kind);
    return EXIT_SUCCESS;
}
