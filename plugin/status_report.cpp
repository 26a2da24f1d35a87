// SPDX-License-Identifier: GPL-2.0-or-later
#include "status_report.hpp"

#include "qosgate/base/json_text.hpp"
#include "qosgate/base/process_start.hpp"
#include "qosgate/base/report_files.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/plugin_list.hpp"

#include <unistd.h>

#include <algorithm>

namespace qg::plugin {
namespace {

/// `null` if there is none.
std::string quote(const std::optional<Error>& error) {
    return error ? json::quote(error->message) : "null";
}

/// "22.05.8"
std::string slurm_release() {
    return text::format("{:02}.{:02}.{}", SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),
                        SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER), SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER));
}

std::string hash_of(const policy::StoreStatus& policy) {
    return text::format("{:016x}", policy.hash);
}

/// An object; null: nothing is different.
std::string describe(const std::optional<policy::TakenOver>& before) {
    if (!before) return "null";
    return text::format(R"({{"host": {}, "policy": {}}})", json::quote(before->host),
                        json::quote(text::format("{:016x}", before->policy)));
}

/// A list of objects.
std::string describe(std::span<const policy::FailingRule> rules) {
    std::vector<std::string> all;
    for (const policy::FailingRule& rule : rules)
        all.push_back(text::format(R"({{"rule": {}, "file": {}, "failures_in_a_row": {}, "only_warns": {}}})",
                                   json::quote(rule.name), json::quote(rule.file), rule.failures_in_a_row,
                                   rule.only_warns ? "true" : "false"));
    return "[" + text::join(all, ", ") + "]";
}

/// An object; null: there is no directory `next`.
std::string describe(const policy::CandidateStatus& candidate, const CandidateCounts& counts) {
    if (!candidate.exists) return "null";
    std::optional<std::time_t> loaded_at;
    if (candidate.loaded_at) loaded_at = std::chrono::system_clock::to_time_t(*candidate.loaded_at);
    const CandidateCounts own =
        candidate.hash != 0 && counts.policy == candidate.hash ? counts : CandidateCounts();
    return text::format(
        R"({{"policy": {}, "rules": {}, "has_script": {}, "loaded_at": {}, "is_testing": {}, "last_error": {}, "compared": {}, )"
        R"("differing": {}, "skipped": {}}})",
        candidate.hash == 0 ? "null" : json::quote(text::format("{:016x}", candidate.hash)), candidate.rules,
        candidate.has_script ? "true" : "false", json::number(loaded_at),
        candidate.is_testing ? "true" : "false", quote(candidate.last_error), own.compared, own.differing,
        own.skipped);
}

/// An object; null: the script reads no jobs.
std::string describe(const std::optional<JobSnapshotStatus>& jobs) {
    if (!jobs) return "null";
    return text::format(R"({{"count": {}, "read_at": {}, "took_ms": {}, "error": {}}})", jobs->count,
                        json::number(jobs->read_at), jobs->took.count(),
                        jobs->error.empty() ? "null" : json::quote(jobs->error));
}

/// An object; null: there is no script.
std::string describe(const ScriptStatus* script) {
    if (script == nullptr) return "null";
    const policy::compat::ScriptFailures& failures = script->failures;
    std::optional<std::time_t> last_at;
    if (failures.last_at) last_at = std::chrono::system_clock::to_time_t(*failures.last_at);
    return text::format(
        R"({{"file": {}, "calls": {}, "failures": {}, "failures_in_a_row": {}, "last_failure": {}, )"
        R"("last_failure_at": {}, "jobs": {}}})",
        json::quote(policy::compat::script_file_name), failures.calls, failures.failures,
        failures.failures_in_a_row, failures.failures == 0 ? "null" : json::quote(failures.last),
        json::number(last_at), describe(script->jobs));
}

/// An object; null: nothing asks for users.
std::string describe(const UsersStatus* users) {
    if (users == nullptr) return "null";
    return text::format(R"({{"count": {}, "read_at": {}, "error": {}}})", users->count,
                        json::number(users->read_at),
                        users->error.empty() ? "null" : json::quote(users->error));
}

constexpr std::string_view own_name = "qosgate";

/// If Slurm's own Lua plugin writes a message, it drops the messages of earlier plugins.
bool has_lua_behind_qosgate(const std::vector<std::string_view>& names) {
    const auto own = std::ranges::find(names, own_name);
    return std::find(own, names.end(), "lua") != names.end();
}

} // namespace

std::vector<std::string> find_conf_problems(const HostSettings& host, policy::Level limits) {
    std::vector<std::string> problems;
    const auto plugins = slurm::plugin_names(host.job_submit_plugins);
    if (std::ranges::count(plugins, own_name) > 1)
        problems.emplace_back(
            "JobSubmitPlugins names qosgate more than once: slurmctld calls it as often for "
            "each job, and users read every message as often; name it once");
    if (has_lua_behind_qosgate(plugins))
        problems.emplace_back(
            "JobSubmitPlugins has lua behind qosgate: where job_submit.lua speaks to a user, "
            "what qosgate said is lost; write lua,qosgate");
    if (!host.enforced || limits == policy::Level::off) return problems;
    constexpr std::string_view restart = "; add it and restart slurmctld";
    if (!host.enforced->limits)
        problems.push_back(
            text::format("AccountingStorageEnforce has no 'limits': Slurm enforces no limit of a "
                         "QOS or an association, and so qosgate checks none{}",
                         restart));
    if (!host.enforced->qos)
        problems.push_back(
            text::format("AccountingStorageEnforce has no 'qos': Slurm lets every user use every "
                         "QOS, and a job with a QOS that does not exist meets no QOS limit{}",
                         restart));
    if (host.enforced->limits && !host.qos_with_untracked_tres.empty())
        problems.push_back(
            text::format("AccountingStorageTRES lacks a TRES, such as gres/gpu, that is limited by QOS {} "
                         "('sacctmgr show qos' names the TRES): Slurm does not enforce that limit, and so "
                         "qosgate does not check it{}",
                         text::list_names(host.qos_with_untracked_tres), restart));
    return problems;
}

namespace {

/// Unlike rules, a script writes into the request itself.
bool did_script_write(const model::Decision& decision) noexcept {
    return std::ranges::any_of(decision.events, [](const model::DecisionEvent& event) {
        return event.effect == to_string(policy::EventKind::changed) &&
               event.file == policy::compat::script_file_name;
    });
}

} // namespace

[[gnu::hot]] void DecisionCounts::count(const model::Decision& decision, bool is_change) noexcept {
    const auto add = [](std::atomic<std::uint64_t>& count, bool is_one) {
        if (is_one) count.fetch_add(1, std::memory_order_relaxed);
    };
    add(is_change ? changes_ : jobs_, true);
    add(refused_, decision.reject != model::RejectCode::none);
    add(written_, decision.changed.has_value() || did_script_write(decision));
    add(told_, !decision.message.empty());
    bool has_failed = false;
    for (const LogLine& line : decision.log)
        has_failed = has_failed || line.level == LogLevel::error;
    add(failed_, has_failed);
}

std::string DecisionCounts::to_json() const {
    return text::format(
        R"("jobs": {}, "changes": {}, "refused": {}, "changed_by_rules": {}, "with_message": {}, "rule_failed": {})",
        jobs_.load(), changes_.load(), refused_.load(), written_.load(), told_.load(), failed_.load());
}

std::string StatusReport::to_json() const {
    std::optional<std::time_t> loaded_at;
    if (policy.loaded_at) loaded_at = std::chrono::system_clock::to_time_t(*policy.loaded_at);
    std::string members = text::format(
        R"("version": {}, "slurm": {}, "pid": {}, "process_start": {}, "host": {}, "started_at": {})",
        json::quote(QG_VERSION), json::quote(slurm_release()), getpid(),
        json::number(process_start(getpid())), json::quote(own_host_name()), started_at);
    members +=
        text::format(R"(, "limits": {}, "rules": {}, "policy": {}, "policy_directory": {}, "generation": {})",
                     json::quote(to_string(limits)), policy.rules, json::quote(hash_of(policy)),
                     json::quote(policy.directory.string()), policy.generation);
    members += text::format(
        R"(, "standing": {}, "is_testing": {}, "loaded_at": {}, "is_kept_copy": {}, "last_error": {})",
        json::quote(to_string(policy.standing)), policy.is_testing ? "true" : "false",
        json::number(loaded_at), policy.is_kept_copy ? "true" : "false", quote(policy.last_error));
    members += text::format(R"(, "taken_over_from": {})", describe(policy.taken_over));
    members += text::format(
        R"(, "keep_error": {}, "partitions_read_at": {}, "partitions_error": {}, "conf_problems": {}, {})",
        quote(policy.keep_error), json::number(partitions_read_at),
        partitions_error.empty() ? "null" : json::quote(partitions_error), json::quote(conf_problems),
        counts.to_json());
    members += text::format(R"(, "failing_rules": {}, "candidate": {})", describe(failing_rules),
                            describe(policy.candidate, candidate));
    members += text::format(R"(, "script": {}, "users": {})", describe(script), describe(users));
    members += text::format(R"(, "records_written": {}, "records_dropped": {}, "records_error": {})",
                            records.written, records.dropped,
                            records.last_error.empty() ? "null" : json::quote(records.last_error));
    if (results != nullptr) members += ", " + results->to_json();
    return members;
}

std::string StatusReport::to_line() const {
    return text::format("qosgate {} for Slurm {}: limits {}, {} {}, hash {}, {}", QG_VERSION, slurm_release(),
                        to_string(limits), policy.rules, policy.rules == 1 ? "rule" : "rules",
                        hash_of(policy), to_string(policy.standing));
}

} // namespace qg::plugin
