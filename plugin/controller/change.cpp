// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/change.hpp"

#include "controller/refusals.hpp"
#include "host/host_conf.hpp"
#include "host/host_texts.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/job_desc.hpp"

#include <new>
#include <utility>

namespace qg::plugin {
namespace {

using model::Decision;
using Clock = TimeAllowance::Clock;

/// The job after a change, for records and for the trial, which does without if there is no memory.
std::optional<model::JobRequest> copy_after(const model::JobRequest& after, bool is_recorded,
                                            std::unique_ptr<CandidateTrial>& trial) {
    if (!is_recorded && !trial) return std::nullopt;
    try {
        return after;
    } catch (const std::bad_alloc&) {
        if (is_recorded) throw;
        trial->skip();
        trial.reset();
        return std::nullopt;
    }
}

} // namespace

std::optional<int> Change::decide() {
    if (policy_->script() != nullptr) [[unlikely]] {
        of_script_ = std::make_unique<ScriptEffect>();
        if (const int code = run_script(); code != SLURM_SUCCESS) return code;
    }
    const model::UpdateParts parts = slurm::parts_of_update(description_);
    const bool runs_rules = policy_->has_rules_at(policy::JobEvent::modify, parts);
    const bool touches_limits = parts.has(model::UpdatePart::limits);
    if (!runs_rules && !touches_limits) return pass();
    const bool may_refuse = runs_rules || policy_->settings().limits == policy::Level::enforce;
    if (!may_refuse && err_msg_ == nullptr) return pass();
    look_up();
    JobCopy own;
    job_desc_msg_t* job = of_script_ ? of_script_->job.get() : nullptr; // the script may have read it
    if (job == nullptr) {
        if (const auto why = why_not_copied(); !why.empty()) return refuse_unreadable(why, parts);
        own = copy_job();
        job = own.get();
    }
    if (job == nullptr) {
        pass(); // what the script did is counted, whatever becomes of the change
        return std::nullopt;
    }
    return may_change(*job) ? judge(*job) : pass();
}

void Change::look_up() {
    if (!files_id_) files_id_ = controller_.job_files.find_id(job_);
    is_by_operator_ = controller_.quota.is_operator(submit_uid_);
}

int Change::judge(job_desc_msg_t& job) {
    const ClusterNow now = controller_.cluster.current();
    const auto begin = Clock::now();
    gate::KnownCluster known = controller_.known_cluster(now);
    if (of_script_) known.script_clock = &of_script_->time.clock;
    Recording recording = controller_.recorder.begin(*policy_);
    model::JobUpdate change = slurm::read_update(job, description_, submit_uid_);
    const auto after = copy_after(change.after, recording.is_on(), trial_);
    Decision decision = controller_.gate.decide_update(std::move(change), known, policy_.get());
    recording.stop_clock(of_script_ ? of_script_->time.took : Clock::duration());
    spend(begin);
    if (of_script_) prepend_script_to(decision);
    if (trial_) try_candidate(now, job, *after, decision, /*is_judged=*/true);
    std::optional<gate::RecordedJob> recorded;
    if (after) recorded.emplace(*after, files_id_.value_or(0), comparison());
    return conclude(recording, decision, recorded ? &*recorded : nullptr);
}

int Change::refuse_unreadable(std::string_view why, model::UpdateParts parts) {
    Decision decision =
        answer_unreadable_change({files_id_, submit_uid_, is_by_operator_, why, parts}, *policy_);
    if (trial_) trial_->skip();
    if (of_script_) prepend_script(decision, std::move(of_script_->decision), /*said=*/{});
    controller_.count(decision, is_change_, Clock::now() - begin_);
    return answer(decision, err_msg_);
}

int Change::pass() {
    if (trial_) try_passed();
    return of_script_ ? conclude_script() : SLURM_SUCCESS;
}

int Change::conclude_script() {
    if (!of_script_->recording || of_script_->decision.events.empty()) return SLURM_SUCCESS;
    std::optional<gate::RecordedJob> job;
    if (of_script_->change) job.emplace(of_script_->change->after, files_id_.value_or(0), comparison());
    Decision decision;
    prepend_script_to(decision);
    return conclude(*of_script_->recording, decision, job ? &*job : nullptr);
}

std::string_view Change::why_not_copied() const {
    if (files_id_ && !is_short_environment(environment_bytes(state_file(""), *files_id_)))
        return "its environment has more than 4 MiB";
    const auto now = Clock::now();
    const TimeAllowance& allowance = controller_.change_allowance;
    const auto owner = files_id_ ? controller_.owners.find(*files_id_) : std::nullopt;
    // Operators do not pay for large jobs of users, except while the owner is not known.
    if (((!is_by_operator_ || !owner) && !allowance.has_some(submit_uid_, now)) ||
        (owner && !allowance.has_some(*owner, now)))
        return "such changes took too long to check recently; change fewer at once, and try again in some "
               "seconds";
    return {};
}

JobCopy Change::copy_job() {
    const auto begin = Clock::now();
    JobCopy copy = controller_.jobs.copy(job_);
    const auto end = Clock::now();
    if (copy == nullptr) return copy;
    // A user cannot spend another user's allowance by trying to change their jobs.
    const bool owner_pays = is_by_operator_ || controller_.may_change(submit_uid_, *copy);
    const bool knew_owner = files_id_ && controller_.owners.find(*files_id_);
    if (owner_pays) controller_.change_allowance.spend(copy->user_id, end - begin, end);
    if (!owner_pays || (!knew_owner && copy->user_id != submit_uid_))
        controller_.change_allowance.spend(submit_uid_, end - begin, end);
    if (files_id_) controller_.owners.keep(*files_id_, copy->user_id);
    return copy;
}

bool Change::may_change(const job_desc_msg_t& job) const {
    return slurm::asks_only_for_entitled || controller_.may_change(submit_uid_, job);
}

void Change::spend(Clock::time_point since) {
    const auto now = Clock::now();
    if (!is_by_operator_) controller_.change_allowance.spend(submit_uid_, now - since, now);
}

[[gnu::noinline]] int Change::run_script() {
    look_up();
    controller_.want_jobs(*policy_, candidate());
    const ClusterNow now = controller_.cluster.current();
    const ScriptWorld world = controller_.script_world(now);
    ScriptEffect& effect = *of_script_;
    const auto read_job = [&]() -> Result<job_desc_msg_t*> {
        if (effect.job != nullptr) return effect.job.get();
        if (const auto why = why_not_copied(); !why.empty())
            return Error{ErrorCode::unavailable, text::format("the job cannot be read: {}", why)};
        effect.job = copy_job();
        if (effect.job == nullptr) return Error{ErrorCode::unavailable, "slurmctld does not show its jobs"};
        return effect.job.get();
    };
    Recording recording = controller_.recorder.begin(*policy_);
    const auto begin = Clock::now(); // copies are charged where they are made
    const ScriptCall call =
        is_by_operator_ || controller_.change_allowance.has_some(submit_uid_, begin)
            ? call_script_at_change(*policy_, world, {description_, host_texts, submit_uid_}, read_job)
            : fail_script(*policy_, "the user's changes take too much time; try again in a moment");
    recording.stop_clock();
    effect.time = {recording.took(), call.outcome.clock};
    spend(begin);
    pass_on_lines(call.outcome);
    if (call.answer.events.empty()) return SLURM_SUCCESS;
    // Log and record tell whose job it is.
    std::optional<model::JobUpdate> change;
    if (read_job()) change = slurm::read_update(*effect.job, description_, submit_uid_);
    Decision of_script = change ? decision_of_script(call, *change, world)
                                : describe_change(call.answer.events, files_id_, submit_uid_);
    if (call.answer.code == SLURM_SUCCESS) {
        effect.decision = std::move(of_script);
        effect.said = call.said();
        effect.recording.emplace(recording);
        effect.change = std::move(change);
        return SLURM_SUCCESS;
    }
    Decision decision = refused_by(call, std::move(of_script));
    if (trial_ && change)
        try_candidate(now, *effect.job, change->after, decision, may_change(*effect.job));
    else if (trial_)
        trial_->skip();
    std::optional<gate::RecordedJob> recorded;
    if (change) recorded.emplace(change->after, files_id_.value_or(0), comparison());
    return end_with_script(recording, recorded ? &*recorded : nullptr, call, decision);
}

[[gnu::noinline]] void Change::try_candidate(const ClusterNow& now, job_desc_msg_t& job,
                                             const model::JobRequest& after, const Decision& decided,
                                             bool is_judged) noexcept {
    const ScriptWorld world = controller_.script_world(now);
    const TriedChange change{job, description_, after, submit_uid_, is_judged};
    trial_->compare_change({controller_.gate, world, controller_.known_cluster(now)}, change, decided);
}

JobCopy Change::copy_for_trial() {
    // Of a job of salloc or srun slurmctld logs that it has no script.
    if (!files_id_ || !why_not_copied().empty() || environment_bytes(state_file(""), *files_id_) == 0)
        return nullptr;
    const auto begin = Clock::now();
    JobCopy copy = controller_.jobs.copy(job_);
    trial_->spend(Clock::now() - begin);
    return copy;
}

[[gnu::noinline]] void Change::try_passed() noexcept {
    try {
        const bool script_did_something = of_script_ && !of_script_->decision.events.empty();
        if (!script_did_something && !trial_->looks_at_change()) return;
        if (!trial_->has_time()) return trial_->skip();
        look_up();
        JobCopy own;
        job_desc_msg_t* job = of_script_ ? of_script_->job.get() : nullptr;
        if (job == nullptr) {
            own = copy_for_trial();
            job = own.get();
        }
        if (job == nullptr) return trial_->skip();

        const ClusterNow now = controller_.cluster.current();
        const bool is_judged = may_change(*job);
        const model::JobUpdate change = slurm::read_update(*job, description_, submit_uid_);
        Recording recording = controller_.recorder.begin(*policy_);
        // The policy in force does not judge this change. It is judged here only because a comparison needs a
        // forecast on both sides.
        Decision decided;
        if (is_judged)
            decided = controller_.gate.decide_update(change, controller_.known_cluster(now), policy_.get());
        const auto script_took = of_script_ ? of_script_->time.took : Clock::duration();
        recording.stop_clock(script_took);
        trial_->spend(recording.took() - script_took);
        Decision passed;
        passed.forecast = decided.forecast;
        if (script_did_something) prepend_script(decided, of_script_->decision, of_script_->said);
        try_candidate(now, *job, change.after, decided, is_judged);
        const gate::Comparison* const found = comparison();
        if (found == nullptr || !found->differs() || script_did_something) return;
        recording.finish(passed, {change.after, files_id_.value_or(0), found});
    } catch (...) {
        trial_->skip();
    }
}

} // namespace qg::plugin
