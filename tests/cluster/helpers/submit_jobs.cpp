// SPDX-License-Identifier: GPL-2.0-or-later
//
// Submits jobs straight through libslurm, the way programs other than sbatch do: many of them quickly, or
// with descriptions that no sbatch would send.
//
//   submit_jobs many COUNT [FIELD=VALUE...]     COUNT held jobs, as qos=…, partition=…, account=… say
//   submit_jobs one [FIELD=VALUE...]            one job that runs for minutes
//   submit_jobs change [FIELD=VALUE...]         a change of the job that job_id=… names
//   submit_jobs odd                             one held job per odd description
//
// Prints one line per submission of `odd` ("zeros: 0" or "zeros: 2066 Invalid qos specification"), for `many`
// how many were accepted and refused, for `one` the number of the job, and for `change` the answer ("change:
// 0"). Exit code 0 unless slurmctld could not be asked, or refused `one`.
#include "held_job.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

job_desc_msg_t plain_job() {
    static std::string name = "api";
    return qg::test::held_job(name);
}

/// Submits; 0 and the job's number, or the Slurm error. Ends the program where slurmctld does not answer.
int submit(job_desc_msg_t& job, std::uint32_t* id = nullptr) {
    submit_response_msg_t* response = nullptr;
    errno = 0;
    const int code = slurm_submit_batch_job(&job, &response);
    const int error = code == SLURM_SUCCESS ? 0 : errno;
    if (response != nullptr && id != nullptr) *id = qg::slurm::job_id_of(*response);
    if (response != nullptr) slurm_free_submit_response_response_msg(response);
    switch (error) {
    case SLURM_COMMUNICATIONS_CONNECTION_ERROR:
    case SLURM_COMMUNICATIONS_SEND_ERROR:
    case SLURM_COMMUNICATIONS_RECEIVE_ERROR:
    case SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT:
        std::cerr << "slurmctld does not answer: " << slurm_strerror(error) << "\n";
        std::exit(EXIT_FAILURE);
    default: return error;
    }
}

constexpr std::uint32_t job_desc_msg_t::*wide_fields[] = {
    &job_desc_msg_t::min_nodes, &job_desc_msg_t::max_nodes, &job_desc_msg_t::num_tasks,
    &job_desc_msg_t::min_cpus,  &job_desc_msg_t::max_cpus,  &job_desc_msg_t::time_limit,
    &job_desc_msg_t::time_min,
};
constexpr std::uint16_t job_desc_msg_t::*narrow_fields[] = {
    &job_desc_msg_t::cpus_per_task,   &job_desc_msg_t::ntasks_per_node,  &job_desc_msg_t::ntasks_per_socket,
    &job_desc_msg_t::ntasks_per_tres, &job_desc_msg_t::sockets_per_node, &job_desc_msg_t::shared,
};
constexpr char* job_desc_msg_t::*text_fields[] = {
    &job_desc_msg_t::account,      &job_desc_msg_t::partition,     &job_desc_msg_t::qos,
    &job_desc_msg_t::reservation,  &job_desc_msg_t::comment,       &job_desc_msg_t::features,
    &job_desc_msg_t::licenses,     &job_desc_msg_t::array_inx,     &job_desc_msg_t::req_nodes,
    &job_desc_msg_t::tres_per_job, &job_desc_msg_t::tres_per_node, &job_desc_msg_t::tres_per_socket,
    &job_desc_msg_t::mem_per_tres, &job_desc_msg_t::tres_per_task, &job_desc_msg_t::cpus_per_tres,
    &job_desc_msg_t::name,         &job_desc_msg_t::admin_comment, &job_desc_msg_t::prefer,
};

struct OddValues {
    std::uint32_t wide;
    std::uint16_t narrow;
    std::uint8_t byte;
    std::uint64_t memory;
};

const std::map<std::string, OddValues> odd_values = {
    {"zeros", {0, 0, 0, 0}},
    {"ones", {1, 1, 1, 1}},
    {"no_val", {NO_VAL, NO_VAL16, NO_VAL8, NO_VAL64}},
    {"infinite", {INFINITE, INFINITE16, INFINITE8, INFINITE64}},
    {"half", {1u << 31, 1u << 15, 1u << 7, std::uint64_t{1} << 62}},
    {"greatest", {NO_VAL - 1, NO_VAL16 - 1, NO_VAL8 - 1, NO_VAL64 - 1}},
    {"memory per cpu 0", {1, 1, 1, MEM_PER_CPU}},
};

std::map<std::string, std::string> odd_texts() {
    return {
        {"empty", ""},
        {"space", " "},
        {"comma", ","},
        {"commas", ",,,,"},
        {"colons", ":::=:=,gres:::"},
        {"gres without count", "gres:gpu:,gpu:x:y:z,gres/gpu=,=4"},
        {"gres overflow", "gres:gpu:99999999999999999999,gres:gpu:18446744073709551615"},
        {"gres negative", "gres:gpu:-1"},
        {"range", "0-4294967295:1%0,1-,-,5-1,a-b,%%"},
        {"great range", "0-18446744073709551615"},
        {"printf", "%s%s%s%n%p%99999d"},
        {"control characters", "a\x01\x1b[31m\r\nb\tc"},
        {"not utf-8", "\xff\xfe\xc0\x80"},
        {"long", std::string(1000, 'x')},
        {"too long", std::string(100000, 'x')},
        {"many names",
         [] {
             std::string names;
             for (int i = 0; i < 5000; ++i)
                 names += "p" + std::to_string(i) + ",";
             return names;
         }()},
    };
}

void report(const std::string& what, int error) {
    std::cout << what << ": " << error;
    if (error != 0) std::cout << " " << slurm_strerror(error);
    std::cout << "\n";
}

void submit_odd_jobs() {
    // What Slurm has to say about these texts is no text, and not what is looked at.
    if (std::freopen("/dev/null", "w", stderr) == nullptr) std::exit(EXIT_FAILURE);

    job_desc_msg_t unset = plain_job();
    report("unset", submit(unset));

    for (const auto& [what, values] : odd_values) {
        job_desc_msg_t all = plain_job();
        for (const auto field : wide_fields)
            all.*field = values.wide;
        for (const auto field : narrow_fields)
            all.*field = values.narrow;
        if (values.byte <= 1 || values.byte == NO_VAL8)
            all.overcommit = values.byte; // the gate refuses others
        all.pn_min_memory = values.memory;
        report(what + " everywhere", submit(all));

        int number = 0;
        for (const auto field : wide_fields) {
            job_desc_msg_t one = plain_job();
            one.*field = values.wide;
            report(what + " in count " + std::to_string(number++), submit(one));
        }
        for (const auto field : narrow_fields) {
            job_desc_msg_t one = plain_job();
            one.*field = values.narrow;
            report(what + " in short count " + std::to_string(number++), submit(one));
        }
        job_desc_msg_t memory = plain_job();
        memory.pn_min_memory = values.memory;
        report(what + " in memory", submit(memory));
    }
    for (auto& [what, text] : odd_texts()) {
        std::string value = text;
        int number = 0;
        for (const auto field : text_fields) {
            job_desc_msg_t one = plain_job();
            one.*field = value.data();
            report("text " + what + " in " + std::to_string(number++), submit(one));
        }
    }
}

using SetField = void (*)(job_desc_msg_t&, char*);

template <auto field>
void set_text(job_desc_msg_t& job, char* text) {
    job.*field = text;
}
template <auto field>
void set_number(job_desc_msg_t& job, char* text) {
    job.*field = static_cast<std::remove_reference_t<decltype(job.*field)>>(std::strtoull(text, nullptr, 10));
}
void set_id(job_desc_msg_t& job, char* text) {
    qg::slurm::job_id_of(job) = static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

const std::map<std::string_view, SetField> named_fields = {
    {"account", set_text<&job_desc_msg_t::account>},
    {"comment", set_text<&job_desc_msg_t::comment>},
    {"contiguous", set_number<&job_desc_msg_t::contiguous>},
    {"exc_nodes", set_text<&job_desc_msg_t::exc_nodes>},
    {"extra", set_text<&job_desc_msg_t::extra>},
    {"partition", set_text<&job_desc_msg_t::partition>},
    {"qos", set_text<&job_desc_msg_t::qos>},
    {"gres", set_text<&job_desc_msg_t::tres_per_node>},
    {"array", set_text<&job_desc_msg_t::array_inx>},
    {"tres_per_job", set_text<&job_desc_msg_t::tres_per_job>},
    {"tres_per_task", set_text<&job_desc_msg_t::tres_per_task>},
    {"cpus_per_tres", set_text<&job_desc_msg_t::cpus_per_tres>},
    {"job_id", set_id},
    {"min_nodes", set_number<&job_desc_msg_t::min_nodes>},
    {"num_tasks", set_number<&job_desc_msg_t::num_tasks>},
    {"cpus_per_task", set_number<&job_desc_msg_t::cpus_per_task>},
    {"core_spec", set_number<&job_desc_msg_t::core_spec>},
    {"kill_on_node_fail", set_number<&job_desc_msg_t::kill_on_node_fail>},
    {"overcommit", set_number<&job_desc_msg_t::overcommit>},
    {"pn_min_memory", set_number<&job_desc_msg_t::pn_min_memory>},
};

void set_fields(job_desc_msg_t& job, std::vector<std::string>& settings) {
    for (std::string& setting : settings) {
        const auto equals = setting.find('=');
        const auto field = named_fields.find(std::string_view(setting).substr(0, equals));
        if (equals == std::string::npos || field == named_fields.end()) {
            std::cerr << setting << ": not a field\n";
            std::exit(EXIT_FAILURE);
        }
        field->second(job, setting.data() + equals + 1);
    }
}

int submit_one_job(std::vector<std::string>& settings) {
    static std::string script = "#!/bin/sh\nsleep 300\n", nowhere = "/dev/null";
    job_desc_msg_t job = plain_job();
    job.script = script.data();
    job.std_out = nowhere.data();
    job.priority = NO_VAL;
    set_fields(job, settings);
    std::uint32_t id = 0;
    if (const int error = submit(job, &id); error != 0) {
        std::cerr << slurm_strerror(error) << "\n";
        return EXIT_FAILURE;
    }
    std::cout << id << "\n";
    return EXIT_SUCCESS;
}

void change_job(std::vector<std::string>& settings) {
    job_desc_msg_t change;
    slurm_init_job_desc_msg(&change);
    set_fields(change, settings);
    errno = 0;
    report("change", slurm_update_job(&change) == SLURM_SUCCESS ? 0 : errno);
}

void submit_many_jobs(long count, std::vector<std::string>& settings) {
    std::map<int, long> answers;
    for (long i = 0; i < count; ++i) {
        job_desc_msg_t job = plain_job();
        set_fields(job, settings);
        ++answers[submit(job)];
    }
    for (const auto& [error, times] : answers)
        report(std::to_string(times) + " times", error);
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    slurm_init(nullptr);
    if (arguments.size() == 1 && arguments[0] == "odd") {
        submit_odd_jobs();
        return EXIT_SUCCESS;
    }
    if (arguments.size() >= 2 && arguments[0] == "many") {
        std::vector<std::string> settings(arguments.begin() + 2, arguments.end());
        submit_many_jobs(std::strtol(arguments[1].c_str(), nullptr, 10), settings);
        return EXIT_SUCCESS;
    }
    if (!arguments.empty() && (arguments[0] == "one" || arguments[0] == "change")) {
        std::vector<std::string> settings(arguments.begin() + 1, arguments.end());
        if (arguments[0] == "one") return submit_one_job(settings);
        change_job(settings);
        return EXIT_SUCCESS;
    }
    std::cerr << "usage: submit_jobs many COUNT | one | change [FIELD=VALUE...] | submit_jobs odd\n";
    return EXIT_FAILURE;
}
