// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/status_report.hpp"

#include "host/running_release.hpp"
#include "qosgate/base/process_start.hpp"
#include "qosgate/base/report_files.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurm/plugin_list.hpp"

#include <unistd.h>

#include <algorithm>

namespace qg::plugin {
namespace {

std::string show_hash(std::uint64_t hash) {
    return text::format_hash(hash);
}

std::string message_of(const std::optional<Error>& error) {
    return error ? error->message : "";
}

std::optional<std::time_t> seconds_of(const std::optional<std::chrono::system_clock::time_point>& time) {
    return time ? std::optional(std::chrono::system_clock::to_time_t(*time)) : std::nullopt;
}

/// An object; null: nothing is different.
std::string describe(const std::optional<policy::TakenOver>& before) {
    if (!before) return "null";
    json::Members members;
    members.add_text("host", before->host);
    members.add_text("policy", show_hash(before->policy));
    return members.object();
}

/// A list of objects.
std::string describe(std::span<const policy::FailingRule> rules) {
    std::vector<std::string> all;
    for (const policy::FailingRule& rule : rules) {
        json::Members members;
        members.add_text("rule", rule.name);
        members.add_text("file", rule.file);
        members.add_number("failures_in_a_row", rule.failures_in_a_row);
        members.add_flag("only_warns", rule.only_warns);
        all.push_back(members.object());
    }
    return json::list(all);
}

/// An object; null: there is no directory `next`.
std::string describe(const policy::CandidateStatus& candidate, const CandidateCounts& counts) {
    if (!candidate.exists) return "null";
    const CandidateCounts own =
        candidate.hash != 0 && counts.policy == candidate.hash ? counts : CandidateCounts();
    json::Members members;
    members.add_or_null("policy", candidate.hash == 0 ? "" : show_hash(candidate.hash));
    members.add_number("rules", candidate.rules);
    members.add_flag("has_script", candidate.has_script);
    members.add_number("loaded_at", seconds_of(candidate.loaded_at));
    members.add_flag("is_testing", candidate.is_testing);
    members.add_or_null("last_error", message_of(candidate.last_error));
    members.add_number("compared", own.compared);
    members.add_number("differing", own.differing);
    members.add_number("skipped", own.skipped);
    return members.object();
}

/// An object; null: the script reads no jobs.
std::string describe(const std::optional<JobSnapshotStatus>& jobs) {
    if (!jobs) return "null";
    json::Members members;
    members.add_number("count", jobs->count);
    members.add_number("read_at", jobs->read_at);
    members.add_number("took_ms", jobs->took.count());
    members.add_or_null("error", jobs->error);
    return members.object();
}

/// An object; null: there is no script.
std::string describe(const ScriptStatus* script) {
    if (script == nullptr) return "null";
    const policy::compat::ScriptFailures& failures = script->failures;
    json::Members members;
    members.add_text("file", policy::compat::script_file_name);
    members.add_number("calls", failures.calls);
    members.add_number("failures", failures.failures);
    members.add_number("failures_in_a_row", failures.failures_in_a_row);
    members.add("last_failure", failures.failures == 0 ? "null" : json::quote(failures.last));
    members.add_number("last_failure_at", seconds_of(failures.last_at));
    members.add("jobs", describe(script->jobs));
    return members.object();
}

/// An object; null: nothing asks for users.
std::string describe(const UsersStatus* users) {
    if (users == nullptr) return "null";
    json::Members members;
    members.add_number("count", users->count);
    members.add_number("read_at", users->read_at);
    members.add_or_null("error", users->error);
    return members.object();
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
            "JobSubmitPlugins has lua behind qosgate: where job_submit.lua sends a user a message, "
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

void DecisionCounts::count(const model::Decision& decision, bool is_change) noexcept {
    const auto add = [](std::atomic<std::uint64_t>& count, bool is_one) {
        if (is_one) count.fetch_add(1, std::memory_order_relaxed);
    };
    add(is_change ? changes_ : jobs_, true);
    add(refused_, decision.reject != model::RejectCode::none);
    add(written_, decision.changed.has_value() || did_script_write(decision));
    add(with_message_, !decision.message.empty());
    bool has_failed = false;
    for (const LogLine& line : decision.log)
        has_failed = has_failed || line.level == LogLevel::error;
    add(failed_, has_failed);
}

json::Members DecisionCounts::to_json() const {
    json::Members members;
    members.add_number("jobs", jobs_.load());
    members.add_number("changes", changes_.load());
    members.add_number("refused", refused_.load());
    members.add_number("changed_by_rules", written_.load());
    members.add_number("with_message", with_message_.load());
    members.add_number("rule_failed", failed_.load());
    return members;
}

json::Members StatusReport::to_json() const {
    json::Members members;
    members.add_text("version", QG_VERSION);
    members.add_text("slurm", running_release().text());
    members.add_flag("is_compared", limits::is_compared(running_release()));
    members.add_number("pid", getpid());
    members.add_number("process_start", process_start(getpid()));
    members.add_text("host", own_host_name());
    members.add_number("started_at", started_at);
    members.add_text("limits", to_string(limits));
    members.add_number("rules", policy.rules);
    members.add_text("policy", show_hash(policy.hash));
    members.add_text("policy_directory", policy.directory.string());
    members.add_number("generation", policy.generation);
    members.add_text("standing", to_string(policy.standing));
    members.add_flag("is_testing", policy.is_testing);
    members.add_number("loaded_at", seconds_of(policy.loaded_at));
    members.add_flag("is_kept_copy", policy.is_kept_copy);
    members.add_or_null("last_error", message_of(policy.last_error));
    members.add("taken_over_from", describe(policy.taken_over));
    members.add_or_null("keep_error", message_of(policy.keep_error));
    members.add_number("partitions_read_at", partitions_read_at);
    members.add_or_null("partitions_error", partitions_error);
    members.add("conf_problems", json::quote(conf_problems));
    members.add_all(counts.to_json());
    members.add("failing_rules", describe(failing_rules));
    members.add("candidate", describe(policy.candidate, candidate));
    members.add("script", describe(script));
    members.add("users", describe(users));
    members.add_number("records_written", records.written);
    members.add_number("records_dropped", records.dropped);
    members.add_or_null("records_error", records.last_error);
    if (results != nullptr) members.add_all(results->to_json());
    return members;
}

std::string StatusReport::to_line() const {
    return text::format("qosgate {} for Slurm {}: limits {}, {} {}, hash {}, {}", QG_VERSION,
                        running_release().text(), to_string(limits), policy.rules,
                        policy.rules == 1 ? "rule" : "rules", show_hash(policy.hash),
                        to_string(policy.standing));
}

} // namespace qg::plugin
