// SPDX-License-Identifier: GPL-2.0-or-later
//
// The part of Runtime that runs a site's script for job_submit/lua.
#include "host_alloc.hpp"
#include "host_log.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/decision_log.hpp"
#include "qosgate/gate/resolve.hpp"
#include "qosgate/gate/site.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/policy/fields.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "runtime.hpp"
#include "this_release.hpp"

#include <functional>
#include <utility>

namespace qg::plugin {
namespace {

using model::Decision;
using policy::compat::ScriptOutcome;

std::vector<std::string> lines_of(const ScriptOutcome& outcome) {
    std::vector<std::string> lines;
    if (outcome.message)
        for (const std::string_view line : text::split(*outcome.message, '\n'))
            lines.emplace_back(line);
    return lines;
}

} // namespace

std::optional<ScriptStatus> Runtime::describe_script(const policy::Policy& policy) {
    const policy::compat::SiteScript* script = policy.script();
    script_jobs_.want(script == nullptr ? nullptr : script->fields_of_jobs());
    if (script == nullptr) return std::nullopt;
    ScriptStatus status{.failures = script->failures()};
    if (script->fields_of_jobs()) status.jobs = script_jobs_.status();
    return status;
}

bool Runtime::look_for_partition_groups() const {
    const auto cluster = cluster_.last_read();
    if (cluster == nullptr) return false;
    bool has_groups = false;
    for (const auto& partition : cluster->partitions.all())
        for (const std::string& group : partition->allow_groups) {
            has_groups = true;
            static_cast<void>(users_.find_group(group));
        }
    return has_groups;
}

std::optional<UsersStatus> Runtime::describe_users(const policy::Policy& policy,
                                                   const policy::Policy* candidate) {
    const policy::compat::SiteScript* script = policy.script();
    const bool has_groups = script != nullptr && script->reads_partitions() && look_for_partition_groups();
    const bool are_needed = has_groups || (script != nullptr && script->asks_for_users()) ||
                            policy.reads_groups() || (candidate != nullptr && candidate->reads_groups());
    if (!are_needed) return std::nullopt;
    users_.need();
    users_.watch();
    return UsersStatus{users_.count(), users_.read_at(), users_.last_error()};
}

void Runtime::hear_script(const ScriptOutcome& outcome, char** err_msg) const {
    try {
        for (const auto& line : outcome.lines)
            log_of_script(line.level, text::printable(line.text, max_line_length).c_str());
        if (outcome.message) append_text(err_msg, *outcome.message);
    } catch (...) {
        log_error("no memory for the words of a script");
    }
}

void Runtime::end_with_script(const Recording& recording, const gate::RecordedJob* job, bool is_change,
                              const ScriptOutcome& outcome, const ScriptAnswer& script_answer,
                              Decision decision, char** err_msg) {
    decision.message = script_answer.message;
    decision.reject = model::RejectCode::access_denied;
    ScriptDeeds did;
    did.said = lines_of(outcome);
    conclude_after_script(recording, decision, job, is_change, did);
    answer(decision, err_msg);
}

void Runtime::conclude_after_script(const Recording& recording, Decision& decision,
                                    const gate::RecordedJob* job, bool is_change, ScriptDeeds& did) {
    put_before(decision, std::move(did.decision));
    auto& message = decision.message;
    message.insert(message.begin(), did.said.begin(), did.said.end());
    if (job != nullptr) recording.finish(decision, *job);
    counts_.count(decision, is_change);
    results_.count(decision, did.time.took + recording.took());
    message.erase(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(did.said.size()));
}

int Runtime::pass_change(ScriptDeeds& did, std::optional<std::uint32_t> files_id, char** err_msg) {
    if (!did.recording || did.decision.events.empty()) return SLURM_SUCCESS;
    std::optional<gate::RecordedJob> job;
    if (did.change) job.emplace(did.change->after, files_id.value_or(0));
    Decision decision;
    did.time.took = {}; // it is the recording's
    conclude_after_script(*did.recording, decision, job ? &*job : nullptr, /*is_change=*/true, did);
    return answer(decision, err_msg);
}

[[gnu::noinline]] int Runtime::run_script(const policy::Policy& policy, const ClusterNow& now,
                                          job_desc_msg_t& description, std::uint32_t submit_uid,
                                          char** err_msg, ScriptTime& time,
                                          std::unique_ptr<ScriptDeeds>& did) {
    if (policy.script()->asks_for_users()) users_.need();
    script_jobs_.want(policy.script()->fields_of_jobs());
    Recording recording = recorder_.begin(policy);
    ControllerScriptHost host(description, submit_uid, quota_, users_, script_jobs_, now.cluster.get());
    std::optional<model::JobRequest> before; // empty: the script wrote nothing
    const auto read_before = [&] { before = slurm::read_job_desc(description, submit_uid); };
    host.set_before_write(std::cref(read_before));
    ScriptOutcome outcome = policy.script()->submit(host);
    outcome.is_up_to_sender = host.depends_on_moment();
    recording.stop_clock();
    time = {recording.took(), outcome.clock};
    hear_script(outcome, err_msg);
    std::vector<std::string> changes;
    if (before)
        changes = policy::describe_changes(*before, slurm::read_job_desc(description, submit_uid),
                                           policy::no_facts());
    const ScriptAnswer script_answer = answer_of_script(*policy.script(), outcome, changes);
    if (script_answer.events.empty()) return SLURM_SUCCESS;
    const model::JobRequest request = slurm::read_job_desc(description, submit_uid);
    const gate::Site site(now.cluster.get(), /*policy_in_force=*/nullptr, quota_, this_release);
    const gate::ResolvedRequest resolved = gate::resolve(request, site.context);
    Decision decision;
    for (const policy::RuleEvent& event : script_answer.events)
        gate::log_rule(decision, {request, resolved.view()}, event);
    if (script_answer.code == SLURM_SUCCESS) {
        did = std::make_unique<ScriptDeeds>();
        did->time = time;
        did->decision = std::move(decision);
        did->said = lines_of(outcome);
        return SLURM_SUCCESS;
    }
    const gate::RecordedJob job{.request = request};
    end_with_script(recording, &job, /*is_change=*/false, outcome, script_answer, std::move(decision),
                    err_msg);
    return script_answer.code;
}

Decision Runtime::describe_change(std::span<const policy::RuleEvent> events, const model::JobUpdate& change,
                                  const ClusterNow& now) const {
    const gate::Site site(now.cluster.get(), /*policy_in_force=*/nullptr, quota_, this_release);
    const gate::ResolvedRequest resolved = gate::resolve(
        change.after, site.context, {.requester = change.after.submit_uid, .names_partitions = false});
    Decision decision;
    for (const policy::RuleEvent& event : events)
        gate::log_rule(decision, {change.after, resolved.view(), &change}, event);
    return decision;
}

[[gnu::noinline]] int Runtime::run_script_at_change(const policy::Policy& policy, job_desc_msg_t& update,
                                                    job_record* job, std::uint32_t submit_uid, char** err_msg,
                                                    ScriptDeeds& did) {
    if (policy.script()->asks_for_users()) users_.need();
    script_jobs_.want(policy.script()->fields_of_jobs());
    const ClusterNow now = cluster_.current();
    const auto files_id = job_files_.find_id(job);
    const bool by_operator = quota_.is_operator(submit_uid);
    JobCopy copy;
    const auto read_job = [&]() -> Result<job_desc_msg_t*> {
        if (copy != nullptr) return copy.get();
        if (const auto why = why_not_copied(files_id, submit_uid, by_operator); !why.empty())
            return Error{ErrorCode::unavailable, text::format("the job cannot be read: {}", why)};
        copy = copy_job(job, files_id, submit_uid, by_operator);
        if (copy == nullptr) return Error{ErrorCode::unavailable, "slurmctld does not show its jobs"};
        return copy.get();
    };
    ControllerScriptHost host(update, submit_uid, quota_, users_, script_jobs_, now.cluster.get());
    bool is_unseen = false;
    host.set_record([&] {
        auto read = read_job();
        is_unseen = is_unseen || !read;
        return read;
    });
    Recording recording = recorder_.begin(policy);
    const auto read_change = [&]() -> std::optional<model::JobUpdate> {
        if (!read_job()) return std::nullopt;
        return slurm::read_update(*copy, update, submit_uid);
    };
    // The job after the change; if it cannot be read, what the change asks for.
    const auto read_after = [&] {
        auto change = read_change();
        return change ? std::move(change->after) : slurm::read_job_desc(update, submit_uid);
    };
    std::optional<model::JobRequest> before; // empty: the script wrote nothing
    host.set_before_write([&] { before = read_after(); });
    const auto begin = TimeAllowance::Clock::now(); // copies are charged where they are made
    ScriptOutcome outcome;
    if (by_operator || change_allowance_.has_some(submit_uid, begin)) {
        outcome = policy.script()->modify(host);
        outcome.is_up_to_sender = is_unseen || host.depends_on_moment();
    } else {
        outcome.failure = policy::LuaError{
            "the user's changes take too much time; try again in a moment", {}, policy::Exhausted::nothing};
        outcome.is_up_to_sender = true;
    }
    recording.stop_clock();
    did.time = {recording.took(), outcome.clock};
    // One request may change every task of an array, one after the other.
    const auto end = TimeAllowance::Clock::now();
    if (!by_operator) change_allowance_.spend(submit_uid, end - begin, end);
    hear_script(outcome, err_msg);
    std::vector<std::string> changes;
    if (before) changes = policy::describe_changes(*before, read_after(), policy::no_facts());
    const ScriptAnswer script_answer = answer_of_script(*policy.script(), outcome, changes);
    if (script_answer.events.empty()) return SLURM_SUCCESS;
    // Log and record tell whose job it is.
    auto change = read_change();
    Decision decision = change ? describe_change(script_answer.events, *change, now)
                               : plugin::describe_change(script_answer.events, files_id, submit_uid);
    if (script_answer.code == SLURM_SUCCESS) {
        did.decision = std::move(decision);
        did.said = lines_of(outcome);
        did.recording.emplace(recording);
        did.change = std::move(change);
        return SLURM_SUCCESS;
    }
    std::optional<gate::RecordedJob> recorded;
    if (change) recorded.emplace(change->after, files_id.value_or(0));
    end_with_script(recording, recorded ? &*recorded : nullptr, /*is_change=*/true, outcome, script_answer,
                    std::move(decision), err_msg);
    return script_answer.code;
}

} // namespace qg::plugin
