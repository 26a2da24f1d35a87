// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller.hpp"

#include "stderr_capture.hpp"

#include "qosgate/slurm/load_records.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

// Exported by libslurm in all releases, declared in no public header.
extern "C" void slurm_free_stats_response_msg(stats_info_response_msg_t* statistics);

namespace qg::test {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 60s;
constexpr auto poll_interval = 20ms;

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what + ": " + slurm_strerror(errno));
}

void await(const std::string& what, const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("waited in vain: " + what);
        std::this_thread::sleep_for(poll_interval);
    }
}

bool is_lost_connection(int error) {
    return error == SLURM_COMMUNICATIONS_CONNECTION_ERROR || error == SLURM_COMMUNICATIONS_SEND_ERROR ||
           error == SLURM_COMMUNICATIONS_RECEIVE_ERROR || error == SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT;
}

std::string text_or_empty(const char* text) {
    return text == nullptr ? std::string() : text;
}

/// Slurm's function for the name of a Reason; its own name changed between releases.
std::string reason_name(std::uint32_t reason) {
    using Function = char* (*)(std::uint32_t);
    static const auto function = [] {
        for (const char* name : {"slurm_job_reason_string", "slurm_job_state_reason_string"})
            if (void* symbol = dlsym(RTLD_DEFAULT, name)) return reinterpret_cast<Function>(symbol);
        throw std::runtime_error("libslurm does not name Reasons");
    }();
    return text_or_empty(function(reason));
}

std::string state_name(std::uint32_t state) {
    if ((state & JOB_STATE_FLAGS) != 0) return std::to_string(state);
    if (state == JOB_PENDING) return "PENDING";
    if (state == JOB_RUNNING) return "RUNNING";
    return std::to_string(state);
}

/// slurm_load_job(): by number up to 25.11, by a step's id from 26.05 on.
template <typename Id = std::uint32_t>
int load_job(job_info_msg_t** message, Id job_id, std::uint16_t flags) {
    if constexpr (requires { slurm_load_job(message, job_id, flags); }) {
        return slurm_load_job(message, job_id, flags);
    } else {
        std::conditional_t<(sizeof(Id) > 0), slurm_step_id_t, Id> id{};
        id.job_id = job_id;
        id.step_id = id.step_het_comp = NO_VAL;
        return slurm_load_job(message, id, flags);
    }
}

slurm::OwnedJobs load_jobs() {
    auto jobs = slurm::load<slurm::OwnedJobs>("reading the jobs", [](job_info_msg_t** message) {
        return slurm_load_jobs(slurm::everything, message, SHOW_ALL);
    });
    if (!jobs) throw std::runtime_error(jobs.error().message);
    return std::move(jobs).value();
}

bool is_over(std::uint32_t state) {
    return (state & JOB_STATE_BASE) > JOB_SUSPENDED && (state & JOB_COMPLETING) == 0;
}

void signal_end(std::uint32_t job_id) {
    const std::string id = std::to_string(job_id);
    if (slurm_kill_job2(id.c_str(), SIGKILL, 0, nullptr) != SLURM_SUCCESS && errno != ESLURM_ALREADY_DONE &&
        errno != ESLURM_INVALID_JOB_ID)
        fail("ending job " + std::to_string(job_id));
}

/// The ids of all parts of a heterogeneous job, from its first; of another job its own.
std::vector<std::uint32_t> parts_of(std::uint32_t job_id) {
    const auto jobs = slurm::load<slurm::OwnedJobs>(
        "reading a job", [=](job_info_msg_t** message) { return load_job(message, job_id, SHOW_ALL); });
    if (!jobs || *jobs == nullptr || (*jobs)->record_count == 0 || (*jobs)->job_array[0].het_job_id == 0)
        return {job_id};
    std::vector<std::uint32_t> ids;
    for (std::uint32_t i = 0; i < (*jobs)->record_count; ++i)
        ids.push_back(slurm::job_id_of((*jobs)->job_array[i]));
    return ids;
}

struct Passes {
    std::uint32_t completed;
    bool is_active;
};

Passes count_passes() {
    stats_info_request_msg_t request{};
    request.command_id = STAT_COMMAND_GET;
    stats_info_response_msg_t* statistics = nullptr;
    if (slurm_get_statistics(&statistics, &request) != SLURM_SUCCESS) fail("reading the statistics");
    const Passes passes{statistics->bf_cycle_counter, statistics->bf_active != 0};
    slurm_free_stats_response_msg(statistics);
    return passes;
}

const std::map<std::string_view, char * update_part_msg_t::*> partition_texts{
    {"qos", &update_part_msg_t::qos_char},
    {"allow_qos", &update_part_msg_t::allow_qos},
    {"deny_qos", &update_part_msg_t::deny_qos},
    {"allow_accounts", &update_part_msg_t::allow_accounts},
    {"deny_accounts", &update_part_msg_t::deny_accounts},
    {"billing_weights", &update_part_msg_t::billing_weights_str},
};
const std::map<std::string_view, std::uint32_t update_part_msg_t::*> partition_numbers{
    {"max_time", &update_part_msg_t::max_time},
    {"default_time", &update_part_msg_t::default_time},
    {"min_nodes", &update_part_msg_t::min_nodes},
    {"max_nodes", &update_part_msg_t::max_nodes},
};

/// This process as one user; then root again. From 23.11 on an allocation is that of the user who asks, also
/// where root asks for somebody else.
class ActingAs {
  public:
    ActingAs(uid_t user, gid_t group) {
        if (setresgid(group, group, root) != 0 || setresuid(user, user, root) != 0)
            fail("acting as user " + std::to_string(user));
    }
    ~ActingAs() {
        if (setresuid(root, root, root) != 0 || setresgid(root, root, root) != 0) std::abort();
    }
    ActingAs(const ActingAs&) = delete;
    ActingAs& operator=(const ActingAs&) = delete;

  private:
    static constexpr uid_t root = 0;
};

/// Sends a batch job with `send`, which gets the place of the answer.
template <typename Send>
void submit_batch(Answer& answer, Send send) {
    submit_response_msg_t* response = nullptr;
    if (send(&response) != SLURM_SUCCESS) answer.error = errno;
    if (response == nullptr) return;
    answer.job_id = slurm::job_id_of(*response);
    answer.message = text_or_empty(response->job_submit_user_msg);
    slurm_free_submit_response_response_msg(response);
}

void check_connection(const Answer& answer) {
    if (!is_lost_connection(answer.error)) return;
    errno = answer.error;
    fail("submitting");
}

} // namespace

Answer submit(JobDescription& job) {
    Answer answer;
    errno = 0;
    const StderrCapture printed;
    if (job.is_allocation()) {
        const ActingAs user(job.get().user_id, job.get().group_id);
        resource_allocation_response_msg_t* response = nullptr;
        if (slurm_allocate_resources(&job.get(), &response) != SLURM_SUCCESS) answer.error = errno;
        if (response != nullptr) {
            answer.job_id = slurm::job_id_of(*response);
            answer.message = text_or_empty(response->job_submit_user_msg);
            slurm_free_resource_allocation_response_msg(response);
        }
    } else {
        submit_batch(answer, [&](auto** response) { return slurm_submit_batch_job(&job.get(), response); });
    }
    check_connection(answer);
    answer.message += printed.text();
    return answer;
}

Answer submit_together(std::list<JobDescription>& parts) {
    Answer answer;
    errno = 0;
    const StderrCapture printed;
    const auto list = slurm::make_borrowing_list();
    for (JobDescription& part : parts)
        slurm::append(list, &part.get());
    submit_batch(answer, [&](auto** response) { return slurm_submit_batch_het_job(list.get(), response); });
    check_connection(answer);
    answer.message += printed.text();
    return answer;
}

void set_time_limit(std::uint32_t job_id, std::uint32_t minutes) {
    job_desc_msg_t change;
    slurm_init_job_desc_msg(&change);
    std::string id = std::to_string(job_id);
    change.job_id_str = id.data();
    change.time_limit = minutes;
    job_array_resp_msg_t* refusals = nullptr; // of tasks of arrays
    if (slurm_update_job2(&change, &refusals) != SLURM_SUCCESS) fail("changing job " + id);
    if (refusals != nullptr) slurm_free_job_array_resp(refusals);
}

JobState look_at(std::uint32_t job_id) {
    const auto jobs = slurm::load<slurm::OwnedJobs>(
        "reading a job", [=](job_info_msg_t** message) { return load_job(message, job_id, SHOW_ALL); });
    if (!jobs) throw std::runtime_error(jobs.error().message);
    if (*jobs == nullptr || (*jobs)->record_count == 0) return {"gone", "", "", "", 0};
    // The first record of an array is that of its pending tasks.
    const slurm_job_info_t& job = (*jobs)->job_array[0];
    return {state_name(job.job_state), reason_name(job.state_reason), text_or_empty(job.partition),
            text_or_empty(job.qos), job.time_limit};
}

void end_all_jobs() {
    await("all jobs end", [] {
        const auto jobs = load_jobs();
        bool is_quiet = true;
        for (std::uint32_t i = 0; i < jobs->record_count; ++i) {
            const slurm_job_info_t& job = jobs->job_array[i];
            if (is_over(job.job_state)) continue;
            is_quiet = false;
            if ((job.job_state & JOB_COMPLETING) == 0) signal_end(slurm::job_id_of(job));
        }
        return is_quiet;
    });
}

void end_job(std::uint32_t job_id) {
    for (const std::uint32_t part : parts_of(job_id))
        signal_end(part);
    await("job " + std::to_string(job_id) + " ends", [=] {
        const auto jobs = slurm::load<slurm::OwnedJobs>(
            "reading a job", [=](job_info_msg_t** message) { return load_job(message, job_id, SHOW_ALL); });
        return !jobs || *jobs == nullptr || (*jobs)->record_count == 0 ||
               is_over((*jobs)->job_array[0].job_state);
    });
}

Answer submit_held(nlohmann::json job) {
    job["client"] = "sbatch";
    job["priority"] = 0;
    JobDescription description(job);
    return submit(description);
}

void await_scheduling_pass(const nlohmann::json& bait) {
    JobDescription description(bait);
    const Answer answer = submit(description);
    const Passes before = count_passes();
    // One that is running may have passed some jobs before they changed; the next one has not.
    const std::uint32_t wanted = before.completed + (before.is_active ? 2 : 1);
    await("a scheduling pass", [=] { return count_passes().completed >= wanted; });
    signal_end(answer.job_id);
}

void update_partition(const std::string& name, const nlohmann::json& settings) {
    std::list<std::string> texts{name};
    update_part_msg_t update;
    slurm_init_part_desc_msg(&update);
    update.name = texts.back().data();
    for (const auto& [key, value] : settings.items()) {
        if (const auto text = partition_texts.find(key); text != partition_texts.end()) {
            texts.push_back(value.get<std::string>());
            update.*text->second = texts.back().data();
        } else if (const auto number = partition_numbers.find(key); number != partition_numbers.end()) {
            update.*number->second = value == "UNLIMITED" ? INFINITE : value.get<std::uint32_t>();
        } else if (key == "priority_tier") {
            update.priority_tier = value.get<std::uint16_t>();
        } else if (key == "def_mem_per_cpu") {
            update.def_mem_per_cpu = value.get<std::uint64_t>() | MEM_PER_CPU;
        } else if (key == "def_mem_per_node") {
            update.def_mem_per_cpu = value.get<std::uint64_t>();
        } else {
            throw std::invalid_argument("no such setting of a partition: " + key);
        }
    }
    if (slurm_update_partition(&update) != SLURM_SUCCESS) fail("changing partition " + name);
}

void fill_nodes(const nlohmann::json& filler, const std::vector<std::string>& nodes) {
    for (const std::string& node : nodes) {
        // Nobody says how many CPUs are free there: the largest power of two that still fits, until one does
        // not.
        for (std::uint32_t cpus = 64; cpus > 0;) {
            nlohmann::json job = filler;
            job["client"] = "salloc";
            job["immediate"] = 1;
            job["req_nodes"] = node;
            job["min_nodes"] = job["max_nodes"] = 1;
            job["num_tasks"] = job["min_cpus"] = cpus;
            job["mem_per_node"] = 1;
            JobDescription description(job);
            if (submit(description).error != 0) cpus /= 2;
        }
    }
}

} // namespace qg::test
