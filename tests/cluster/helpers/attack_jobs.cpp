// SPDX-License-Identifier: GPL-2.0-or-later
//
// Submits and changes jobs of the caller straight through libslurm, with any value in any field of
// job_desc_msg_t, many in one process; contrib/dev/attack drives it. Reads one JSON record per line and
// answers each with one:
//
//   {"do": "submit", "parts": [{"min_nodes": "0", "tres_per_node": "gres:gpu:2"}]}   several: a het job
//   {"do": "change", "job": 7, "fields": {"num_tasks": "0"}}
//   {"do": "end", "job": 7}                      its array and all parts, too
//      each answers {"job": 7, "error": 0, "text": ""}, with Slurm's error and its words
//   {"do": "look", "from": 7}                    the jobs from this number on: {"jobs": [...]}, see
//   describe()
//
// Values are texts: a number, or NO_VAL or INFINITE of the field's width; what is wider loses its high bits.
// {"lost": true} is the answer where slurmctld gave none. Exit code 1 for a field that does not exist.
#include "held_job.hpp"

#include "qosgate/slurm/load_records.hpp"
#include "qosgate/slurm/script_fields.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace {

using namespace qg;
using nlohmann::json;

/// Fields that scripts do not see.
constexpr slurm::ScriptField more_fields[] = {
    {"cluster_features", &job_desc_msg_t::cluster_features},
    {"core_spec", &job_desc_msg_t::core_spec},
    {"deadline", &job_desc_msg_t::deadline},
    {"overcommit", &job_desc_msg_t::overcommit},
    {"plane_size", &job_desc_msg_t::plane_size},
    {"site_factor", &job_desc_msg_t::site_factor},
    {"task_dist", &job_desc_msg_t::task_dist},
};

slurm::ScriptMember member_of(std::string_view name) {
    if (const auto* field = slurm::find_script_field(name)) return field->member;
    for (const slurm::ScriptField& field : more_fields)
        if (field.name == name) return field.member;
    throw std::invalid_argument(std::string(name) + ": no such field of a job");
}

/// NO_VAL and INFINITE are all ones but one or two bits, at every width.
std::uint64_t read_number(const std::string& text) {
    if (text == "NO_VAL") return ~std::uint64_t{1};
    if (text == "INFINITE") return ~std::uint64_t{0};
    return std::strtoull(text.c_str(), nullptr, 10);
}

/// The texts that descriptions point to.
class Texts {
  public:
    char* keep(const std::string& text) { return texts_.emplace_back(text).data(); }

  private:
    std::list<std::string> texts_; ///< addresses stay
};

void set_fields(job_desc_msg_t& job, const json& fields, Texts& texts) {
    for (const auto& [name, value] : fields.items()) {
        const std::string& text = value.get_ref<const std::string&>();
        if (name == "mem_per_cpu") {
            job.pn_min_memory = read_number(text) | MEM_PER_CPU;
            continue;
        }
        std::visit(
            [&](auto member) {
                if constexpr (std::is_same_v<decltype(member), char * job_desc_msg_t::*>) {
                    job.*member = texts.keep(text);
                } else if constexpr (!std::is_same_v<decltype(member), std::monostate>) {
                    auto& field = job.*member;
                    field = static_cast<std::remove_reference_t<decltype(field)>>(read_number(text));
                }
            },
            member_of(name));
    }
}

bool is_lost(int error) {
    return error == SLURM_COMMUNICATIONS_CONNECTION_ERROR || error == SLURM_COMMUNICATIONS_SEND_ERROR ||
           error == SLURM_COMMUNICATIONS_RECEIVE_ERROR || error == SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT ||
           error == SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT || error == ECONNREFUSED || error == ECONNRESET;
}

/// The answer to a call that returned `code` and left errno.
json answer(int code, std::uint32_t job) {
    const int error = code == SLURM_SUCCESS ? 0 : errno;
    if (is_lost(error)) return {{"lost", true}};
    return {{"job", job}, {"error", error}, {"text", error == 0 ? "" : slurm_strerror(error)}};
}

json submit(const json& parts) {
    Texts texts;
    std::list<job_desc_msg_t> jobs;
    std::string name = "attack";
    for (const json& fields : parts) {
        job_desc_msg_t& job = jobs.emplace_back(test::held_job(name));
        job.priority = NO_VAL;
        job.std_out = texts.keep("/dev/null");
        set_fields(job, fields, texts);
    }
    submit_response_msg_t* response = nullptr;
    errno = 0;
    int code = SLURM_SUCCESS;
    if (jobs.size() == 1) {
        code = slurm_submit_batch_job(&jobs.front(), &response);
    } else {
        const auto list = slurm::make_borrowing_list();
        for (job_desc_msg_t& job : jobs)
            slurm::append(list, &job);
        code = slurm_submit_batch_het_job(list.get(), &response);
    }
    json result = answer(code, response == nullptr ? 0 : slurm::job_id_of(*response));
    if (response != nullptr) slurm_free_submit_response_response_msg(response);
    return result;
}

json change(std::uint32_t job, const json& fields) {
    Texts texts;
    job_desc_msg_t update;
    slurm_init_job_desc_msg(&update);
    slurm::job_id_of(update) = job;
    set_fields(update, fields, texts);
    errno = 0;
    return answer(slurm_update_job(&update), job);
}

json end(std::uint32_t job) {
    errno = 0;
    const int code = slurm_kill_job2(std::to_string(job).c_str(), SIGKILL, 0, nullptr);
    return answer(code, job);
}

std::string text_or_empty(const char* text) {
    return text == nullptr ? std::string() : text;
}

json describe(const slurm_job_info_t& job) {
    const auto reason = job.state_reason;
    const std::uint32_t base = job.job_state & JOB_STATE_BASE;
    return {
        {"job", slurm::job_id_of(job)},
        {"array", job.array_job_id},
        {"het", job.het_job_id},
        {"part", job.het_job_id == 0 ? 0 : job.het_job_offset},
        {"pending", base == JOB_PENDING},
        {"at_work", base == JOB_RUNNING || base == JOB_SUSPENDED || (job.job_state & JOB_COMPLETING) != 0},
        // It may start as soon as others end.
        {"queued", reason == WAIT_NO_REASON || reason == WAIT_PRIORITY || reason == WAIT_RESOURCES},
        {"nodes", job.num_nodes},
        {"tasks", job.num_tasks},
        {"time_limit", job.time_limit},
        {"shared", job.shared},
        {"core_spec", job.core_spec},
        {"partition", text_or_empty(job.partition)},
        {"qos", text_or_empty(job.qos)},
        {"asked", text_or_empty(job.tres_req_str)},
        {"has", text_or_empty(job.tres_alloc_str)},
        {"comment", text_or_empty(job.admin_comment)}};
}

json look(std::uint32_t from) {
    const auto jobs = slurm::load<slurm::OwnedJobs>("reading the jobs", [](job_info_msg_t** message) {
        return slurm_load_jobs(slurm::everything, message, SHOW_ALL);
    });
    if (!jobs) return {{"lost", true}};
    json found = json::array();
    for (std::uint32_t i = 0; i < (*jobs)->record_count; ++i)
        if (const slurm_job_info_t& job = (*jobs)->job_array[i]; slurm::job_id_of(job) >= from)
            found.push_back(describe(job));
    return {{"jobs", std::move(found)}};
}

json act(const json& asked) {
    const std::string& what = asked.at("do").get_ref<const std::string&>();
    if (what == "submit") return submit(asked.at("parts"));
    if (what == "change") return change(asked.at("job").get<std::uint32_t>(), asked.at("fields"));
    if (what == "end") return end(asked.at("job").get<std::uint32_t>());
    if (what == "look") return look(asked.at("from").get<std::uint32_t>());
    throw std::invalid_argument(what + ": no such thing to do");
}

} // namespace

int main() {
    slurm_init(nullptr);
    // libslurm's own words about hostile texts are not looked at.
    if (std::freopen("/dev/null", "w", stderr) == nullptr) return EXIT_FAILURE;
    for (std::string line; std::getline(std::cin, line);) {
        try {
            std::cout << act(json::parse(line)).dump(-1, ' ', false, json::error_handler_t::replace)
                      << std::endl;
        } catch (const std::exception& error) {
            std::cout << json{{"wrong", error.what()}}.dump() << std::endl;
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
