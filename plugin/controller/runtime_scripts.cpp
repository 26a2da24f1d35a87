// SPDX-License-Identifier: GPL-2.0-or-later
//
// The part of Runtime that runs a site's script for job_submit/lua.
#include "controller/runtime.hpp"
#include "host/host_alloc.hpp"
#include "host/host_log.hpp"
#include "host/host_texts.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/slurm/job_desc.hpp"

#include <utility>

namespace qg::plugin {
namespace {

using model::Decision;
using policy::compat::ScriptOutcome;

JobSnapshot::Names fields_of_jobs(const policy::Policy* policy) {
    return policy == nullptr || policy->script() == nullptr ? nullptr : policy->script()->fields_of_jobs();
}

bool asks_for_users(const policy::Policy& policy) {
    return policy.reads_groups() || (policy.script() != nullptr && policy.script()->asks_for_users());
}

bool reads_partitions(const policy::Policy& policy) {
    return policy.script() != nullptr && policy.script()->reads_partitions();
}

} // namespace

void Runtime::want_jobs(const policy::Policy& policy, const policy::Policy* candidate) {
    script_jobs_.want(fields_of_jobs(&policy), fields_of_jobs(candidate));
}

std::optional<ScriptStatus> Runtime::describe_script(const policy::Policy& policy,
                                                     const policy::Policy* candidate) {
    want_jobs(policy, candidate);
    const policy::compat::SiteScript* script = policy.script();
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
    const bool reads_them =
        reads_partitions(policy) || (candidate != nullptr && reads_partitions(*candidate));
    const bool has_groups = reads_them && look_for_partition_groups();
    const bool are_needed =
        has_groups || asks_for_users(policy) || (candidate != nullptr && asks_for_users(*candidate));
    if (!are_needed) return std::nullopt;
    users_.need();
    users_.watch();
    return UsersStatus{users_.count(), users_.read_at(), users_.last_error()};
}

void Runtime::pass_on_lines(const ScriptOutcome& outcome, char** err_msg) const {
    try {
        for (const auto& line : outcome.lines)
            log_script_line(line.level, line.text);
        if (outcome.message) append_text(err_msg, *outcome.message);
    } catch (...) {
        log_error("no memory for the words of a script");
    }
}

int Runtime::end_with_script(const Recording& recording, const gate::RecordedJob* job, bool is_change,
                             const ScriptCall& call, Decision& decision, char** err_msg) {
    ScriptEffect effect;
    effect.said = call.said();
    conclude_after_script(recording, decision, job, is_change, effect);
    answer(decision, err_msg);
    return call.answer.code;
}

void Runtime::conclude_after_script(const Recording& recording, Decision& decision,
                                    const gate::RecordedJob* job, bool is_change,
                                    const ScriptEffect& effect) {
    if (job != nullptr) recording.finish(decision, *job);
    counts_.count(decision, is_change);
    results_.count(decision, recording.took());
    auto& message = decision.message;
    message.erase(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(effect.said.size()));
}

int Runtime::pass_change(ScriptEffect& effect, std::optional<std::uint32_t> files_id, const Asked& asked) {
    if (!effect.recording || effect.decision.events.empty()) return SLURM_SUCCESS;
    const gate::Comparison* const comparison = asked.trial == nullptr ? nullptr : asked.trial->comparison();
    std::optional<gate::RecordedJob> job;
    if (effect.change) job.emplace(effect.change->after, files_id.value_or(0), comparison);
    Decision decision;
    prepend_script(decision, std::move(effect.decision), effect.said);
    conclude_after_script(*effect.recording, decision, job ? &*job : nullptr, /*is_change=*/true, effect);
    return answer(decision, asked.err_msg);
}

[[gnu::noinline]] int Runtime::run_script(const policy::Policy& policy, const ClusterNow& now,
                                          const Asked& asked, ScriptTime& time,
                                          std::unique_ptr<ScriptEffect>& effect) {
    want_jobs(policy, asked.trial == nullptr ? nullptr : &asked.trial->candidate());
    Recording recording = recorder_.begin(policy);
    const ScriptWorld world = script_world(now);
    const ScriptCall call = call_script(policy, world, {asked.description, host_texts, asked.submit_uid});
    recording.stop_clock();
    time = {recording.took(), call.outcome.clock};
    pass_on_lines(call.outcome, asked.err_msg);
    if (call.answer.events.empty()) return SLURM_SUCCESS;
    const model::JobRequest request = slurm::read_job_desc(asked.description, asked.submit_uid);
    Decision of_script = decision_of_script(call, request, world);
    if (call.answer.code == SLURM_SUCCESS) {
        effect = std::make_unique<ScriptEffect>();
        effect->time = time;
        effect->decision = std::move(of_script);
        effect->said = call.said();
        effect->writes = call.writes;
        return SLURM_SUCCESS;
    }
    Decision decision = refused_by(call, std::move(of_script));
    gate::RecordedJob job{.request = request};
    if (asked.trial != nullptr) {
        try_refused_job(*asked.trial, now, asked.description.het_job_offset, request, decision);
        job.candidate = asked.trial->comparison();
    }
    return end_with_script(recording, &job, /*is_change=*/false, call, decision, asked.err_msg);
}

[[gnu::noinline]] int Runtime::run_script_at_change(const policy::Policy& policy, const Asked& asked,
                                                    ScriptEffect& effect) {
    want_jobs(policy, asked.trial == nullptr ? nullptr : &asked.trial->candidate());
    const ClusterNow now = cluster_.current();
    const ScriptWorld world = script_world(now);
    const std::uint32_t submit_uid = asked.submit_uid;
    const auto files_id = job_files_.find_id(asked.job);
    const bool by_operator = quota_.is_operator(submit_uid);
    const auto read_job = [&]() -> Result<job_desc_msg_t*> {
        if (effect.job != nullptr) return effect.job.get();
        if (const auto why = why_not_copied(files_id, submit_uid, by_operator); !why.empty())
            return Error{ErrorCode::unavailable, text::format("the job cannot be read: {}", why)};
        effect.job = copy_job(asked.job, files_id, submit_uid, by_operator);
        if (effect.job == nullptr) return Error{ErrorCode::unavailable, "slurmctld does not show its jobs"};
        return effect.job.get();
    };
    Recording recording = recorder_.begin(policy);
    const auto begin = TimeAllowance::Clock::now(); // copies are charged where they are made
    const ScriptCall call =
        by_operator || change_allowance_.has_some(submit_uid, begin)
            ? call_script_at_change(policy, world, {asked.description, host_texts, submit_uid}, read_job)
            : fail_script(policy, "the user's changes take too much time; try again in a moment");
    recording.stop_clock();
    effect.time = {recording.took(), call.outcome.clock};
    // One request may change every task of an array, one after the other.
    const auto end = TimeAllowance::Clock::now();
    if (!by_operator) change_allowance_.spend(submit_uid, end - begin, end);
    pass_on_lines(call.outcome, asked.err_msg);
    if (call.answer.events.empty()) return SLURM_SUCCESS;
    // Log and record tell whose job it is.
    std::optional<model::JobUpdate> change;
    if (read_job()) change = slurm::read_update(*effect.job, asked.description, submit_uid);
    Decision of_script = change ? decision_of_script(call, *change, world)
                                : describe_change(call.answer.events, files_id, submit_uid);
    if (call.answer.code == SLURM_SUCCESS) {
        effect.decision = std::move(of_script);
        effect.said = call.said();
        effect.recording.emplace(recording);
        effect.change = std::move(change);
        return SLURM_SUCCESS;
    }
    Decision decision = refused_by(call, std::move(of_script));
    std::optional<gate::RecordedJob> recorded;
    if (change) recorded.emplace(change->after, files_id.value_or(0));
    if (asked.trial != nullptr) {
        if (change)
            try_change(asked, now, *effect.job, change->after, decision,
                       slurm::asks_only_for_entitled || may_change(submit_uid, *effect.job));
        else
            asked.trial->skip();
        if (recorded) recorded->candidate = asked.trial->comparison();
    }
    return end_with_script(recording, recorded ? &*recorded : nullptr, /*is_change=*/true, call, decision,
                           asked.err_msg);
}

} // namespace qg::plugin
