// SPDX-License-Identifier: GPL-2.0-or-later
//
// Submits held jobs to a slurmctld that runs job_submit/timing, straight through libslurm.
//
//   submit_stream timed COUNT PAUSE_US QOS PARTITION   COUNT timed submissions a plugin, PAUSE_US apart
//   submit_stream fill COUNT QOS PARTITION             COUNT jobs that wait in the queue, untimed
//   submit_stream hostile COUNT BYTES QOS PARTITION UID
//                                                      COUNT timed submissions of the second plugin for each
//                                                      text of a request and each size up to BYTES, for the
//                                                      user UID; prints a line "FIELD SIZE" for those
//   submit_stream soak COUNT QOS PARTITION             COUNT submissions of the second plugin, untimed
//   submit_stream write                                makes the plugin write its times
//
// The plugins take turns of some submissions each, so that the machine's moods meet both, and each is asked
// for job after job as in a slurmctld of its own. The first jobs of a turn are not timed: they find the
// processor's caches full of the other plugin.
//
// One timed job in 50 is accepted: slurmctld's time of the last change of its jobs then moves as often as on
// a busy cluster, while the queue hardly grows. Exit code 1 for an answer other than the plugin's.
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/job_field_members.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

constexpr long accepted_one_in = 50;
constexpr long untimed_in_turn = 10;
constexpr long timed_in_turn = 100;

/// The destination and the owner of the jobs.
struct Target {
    std::string qos;
    std::string partition;
    uid_t user = getuid();
};

/// A text of a request.
struct Text {
    char* job_desc_msg_t::*field;
    std::string value;
};

/// Submits one job with an order for job_submit/timing; 0 or the Slurm error. As in a sweep of parameters,
/// each job has a name of its own and one of eight time limits.
int submit(std::string order, Target target, Text* text) {
    static std::uint32_t number = 0;
    constexpr std::uint32_t time_limits = 8;
    std::string name = "run-" + std::to_string(++number);
    std::string account = "bench"; // one of the shipped rules requires it
    std::string script = "#!/bin/sh\ntrue\n";
    std::string directory = "/";
    std::string variable = "PATH=/bin";
    char* environment[] = {variable.data()};

    job_desc_msg_t job;
    slurm_init_job_desc_msg(&job);
    job.mail_user = order.data();
    job.name = name.data();
    job.account = account.data();
    job.script = script.data();
    job.work_dir = directory.data();
    job.environment = environment;
    job.env_size = 1;
    job.user_id = target.user;
    job.group_id = getgid();
    job.qos = target.qos.data();
    job.partition = target.partition.data();
    job.time_limit = 30 + 15 * (number % time_limits);
    job.num_tasks = 1;
    job.priority = 0;
    if (text != nullptr) job.*text->field = text->value.data();

    submit_response_msg_t* response = nullptr;
    errno = 0;
    const int error = slurm_submit_batch_job(&job, &response) == SLURM_SUCCESS ? 0 : errno;
    if (response != nullptr) slurm_free_submit_response_response_msg(response);
    return error;
}

/// Submits one job and ends the program unless the answer is the one expected.
void submit_expecting(int expected, const std::string& order, const Target& target, Text* text = nullptr) {
    const int error = submit(order, target, text);
    if (error == expected) return;
    std::cerr << "submit_stream: " << order << ": " << slurm_strerror(error) << "\n";
    std::exit(EXIT_FAILURE);
}

/// One turn of a plugin, `count` jobs of it timed.
void take_turn(const std::string& plugin, long count, std::chrono::microseconds pause, const Target& target) {
    for (long i = -untimed_in_turn; i < count; ++i) {
        if (i < 0)
            submit_expecting(ESLURM_ACCESS_DENIED, "timing-turn-" + plugin, target);
        else if (i % accepted_one_in == 0)
            submit_expecting(SLURM_SUCCESS, "timing-keep-" + plugin, target);
        else
            submit_expecting(ESLURM_ACCESS_DENIED, "timing-drop-" + plugin, target);
        std::this_thread::sleep_for(pause);
    }
}

void submit_timed(long count, std::chrono::microseconds pause, const Target& target) {
    for (; count > 0; count -= timed_in_turn)
        for (const char* const plugin : {"1", "2"})
            take_turn(plugin, std::min(count, timed_in_turn), pause, target);
}

/// What a text repeats around a number, so that much is to be looked up or counted.
struct Repeated {
    std::string_view field;
    const char* before;
    const char* after;
};
constexpr Repeated resources{"", "gres:gpu:a", ":1,"};
constexpr Repeated anything{"", "x", ","};
constexpr Repeated repeated[] = {
    {"partition", "p", ","},
    {"qos", "q", ","},
    {"licenses", "l", ":1,"},
    {"array", "0-1000:", ","},
    {"nodelist", "n[1-9,11]r[1-", "],"},
};

const Repeated& repeated_in(std::string_view field) {
    const auto found = std::ranges::find(repeated, field, &Repeated::field);
    if (found != std::end(repeated)) return *found;
    return field.find("tres") == std::string_view::npos ? anything : resources;
}

std::string make_text(const Repeated& parts, std::size_t size) {
    std::string text;
    for (int number = 1; text.size() < size; ++number)
        text += parts.before + std::to_string(number) + parts.after;
    text.resize(size);
    return text;
}

/// Every text that the plugin reads. A user's own admin_comment slurmctld refuses before it asks, so that
/// only root can submit these.
void submit_hostile(long count, std::size_t max_bytes, const Target& target) {
    for (const qg::slurm::TextField& field : qg::slurm::text_fields) {
        for (const std::size_t size :
             {std::size_t{1000}, field.max_bytes, std::size_t{1'000'000}, std::size_t{16'000'000}}) {
            if (size > max_bytes) continue;
            Text text{field.slurm, make_text(repeated_in(field.name), size)};
            submit_expecting(ESLURM_ACCESS_DENIED, "timing-turn-2", target, &text);
            for (long i = 0; i < count; ++i)
                submit_expecting(ESLURM_ACCESS_DENIED, "timing-drop-2", target, &text);
            std::cout << field.name << " " << size << "\n";
        }
    }
}

void fill(long count, const Target& target) {
    for (long i = 0; i < count; ++i)
        submit_expecting(SLURM_SUCCESS, "timing-skip", target);
}

void soak(long count, const Target& target) {
    for (long i = 0; i < count; ++i)
        submit_expecting(ESLURM_ACCESS_DENIED, "timing-turn-2", target);
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const std::string verb = arguments.empty() ? "" : arguments[0];
    slurm_init(nullptr);
    if (verb == "timed" && arguments.size() == 5)
        submit_timed(std::stol(arguments[1]), std::chrono::microseconds(std::stol(arguments[2])),
                     {arguments[3], arguments[4]});
    else if (verb == "hostile" && arguments.size() == 6)
        submit_hostile(std::stol(arguments[1]), std::stoul(arguments[2]),
                       {arguments[3], arguments[4], static_cast<uid_t>(std::stoul(arguments[5]))});
    else if (verb == "fill" && arguments.size() == 4)
        fill(std::stol(arguments[1]), {arguments[2], arguments[3]});
    else if (verb == "soak" && arguments.size() == 4)
        soak(std::stol(arguments[1]), {arguments[2], arguments[3]});
    else if (verb == "write" && arguments.size() == 1)
        submit_expecting(ESLURM_ACCESS_DENIED, "timing-write", {});
    else {
        std::cerr << "usage: submit_stream timed COUNT PAUSE_US QOS PARTITION | hostile COUNT BYTES QOS "
                     "PARTITION UID"
                     " | fill COUNT QOS PARTITION | soak COUNT QOS PARTITION | write\n";
        return EXIT_FAILURE;
    }
}
