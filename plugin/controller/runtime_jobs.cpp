// SPDX-License-Identifier: GPL-2.0-or-later
//
// The part of Runtime that takes a job, or a change of one, through the gate.
//
// slurmctld makes a thread for each request and gives back what it used of its stack beyond the first 16 KiB,
// so that a deeper call costs a page fault. Therefore rare ways are functions of their own that are not
// inlined, and what only they need is not on the stack.
#include "controller/job_desc_writer.hpp"
#include "controller/policy_not_loaded.hpp"
#include "controller/runtime.hpp"
#include "controller/unreadable_change.hpp"
#include "host/host_alloc.hpp"
#include "host/host_conf.hpp"
#include "host/host_log.hpp"
#include "host/running_release.hpp"
#include "qosgate/base/read_clock.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/answer.hpp"
#include "qosgate/gate/decide/decision_log.hpp"
#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/decide/site.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/reject_codes.hpp"
#include "qosgate/slurm/values.hpp"
#include "records/controller_users.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <new>
#include <optional>

namespace qg::plugin {
namespace {

using model::Decision;

bool refuses_on_errors(const policy::Policy& policy) {
    const auto* script = policy.script();
    return (script != nullptr && !script->allows_on_error()) ||
           std::ranges::any_of(policy.rules(), [](const policy::RuleInfo& rule) {
               return (rule.runs_at_submission || rule.runs_at_change) &&
                      rule.denies_on_error_at(policy::JobEvent::submit);
           });
}

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

/// Writes the decision's messages. The decision is valid even if there is no memory for the messages.
template <typename Say>
void tell(Say say) noexcept {
    try {
        say();
    } catch (...) {
        log_error("no memory for the words of a decision");
    }
}

/// The CPU time of this thread.
TimeAllowance::Clock::duration thread_time() noexcept {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

} // namespace

gate::KnownCluster Runtime::known_cluster(const ClusterNow& now) const {
    const gate::DecisionTimes times{.now = std::time(nullptr), .cluster_read_at = now.confirmed_at};
    return {now.cluster.get(), now.may_have_changed, now.may_have_new_reservations, times, &users_};
}

int Runtime::answer(const Decision& decision, char** err_msg) const {
    tell([&] {
        for (const LogLine& line : decision.log)
            log_line(line.level, line.text);
        // Up to 22.05 only the log shows a message.
        if (!decision.message.empty()) append_message(err_msg, decision.message);
    });
    return slurm::to_slurm_error(decision.reject);
}

void Runtime::conclude(const Recording& recording, Decision& decision, const gate::RecordedJob* job,
                       bool is_change, const ScriptEffect* of_script) {
    if (of_script != nullptr) [[unlikely]]
        return conclude_after_script(recording, decision, job, is_change, *of_script);
    if (job != nullptr) recording.finish(decision, *job);
    counts_.count(decision, is_change);
    results_.count(decision, recording.took());
}

int Runtime::submit(job_desc_msg_t& description, std::uint32_t submit_uid, char** err_msg) {
    policies_.mark_active();
    if (is_kept_out(submit_uid)) [[unlikely]]
        return keep_out(description, submit_uid, err_msg);
    if (running_release().follows(limits::rules::frees_extra_twice) && description.extra != nullptr)
        [[unlikely]]
        return refuse(description, submit_uid, err_msg, "this release of Slurm has no 'extra': leave it out");
    if (description.het_job_offset != NO_VAL) [[unlikely]]
        return submit_part(description, submit_uid, err_msg);
    return submit_job(description, submit_uid, err_msg, [] {});
}

[[gnu::noinline]] int Runtime::submit_part(job_desc_msg_t& description, std::uint32_t submit_uid,
                                           char** err_msg) {
    if (quota_.is_operator(submit_uid)) return submit_job(description, submit_uid, err_msg, [] {});
    if (!parts_allowance_.has_some(submit_uid, TimeAllowance::Clock::now()))
        return refuse(description, submit_uid, err_msg,
                      "your parts of heterogeneous jobs took too long to check recently; try again in some "
                      "seconds, with fewer parts, or submit single jobs");
    // Waiting for others is not the sender's, nor is the time of a candidate.
    const auto begin = thread_time();
    std::optional<TimeAllowance::Clock::duration> took;
    const int code = submit_job(description, submit_uid, err_msg, [&] { took = thread_time() - begin; });
    if (!took) took = thread_time() - begin;
    parts_allowance_.spend(submit_uid, *took, TimeAllowance::Clock::now());
    return code;
}

[[gnu::noinline]] int Runtime::refuse(const job_desc_msg_t& job, std::uint32_t submit_uid, char** err_msg,
                                      std::string why) {
    const ClusterNow now = cluster_.current();
    const auto policy = policies_.current();
    Recording recording = recorder_.begin(*policy);
    const model::JobRequest request = slurm::read_job_desc(job, submit_uid);
    const gate::Site site(now.cluster.get(), policy.get(), quota_, running_release());
    const gate::ResolvedRequest resolved = gate::resolve(request, site.context);
    Decision decision;
    decision.reject = model::RejectCode::access_denied;
    decision.message.push_back(std::move(why));
    gate::log_limits(decision, {request, resolved.view()}, "refused", "", decision.message);
    gate::append_contact(decision.message, policy->settings());
    recording.stop_clock();
    const gate::RecordedJob recorded{.request = request};
    conclude(recording, decision, &recorded, /*is_change=*/false, /*of_script=*/nullptr);
    return answer(decision, err_msg);
}

template <typename Decided>
int Runtime::submit_job(job_desc_msg_t& description, std::uint32_t submit_uid, char** err_msg,
                        Decided decided) {
    const ClusterNow now = cluster_.current();
    const auto policy = policies_.current();
    std::unique_ptr<CandidateTrial> trial;
    if (auto candidate = policies_.candidate()) [[unlikely]]
        trial = CandidateTrial::begin(candidate_runs_, std::move(candidate), *policy, description);
    std::unique_ptr<ScriptEffect> of_script;
    ScriptTime script_time;
    if (policy->script() != nullptr) [[unlikely]] {
        const Asked asked{description, submit_uid, err_msg, trial.get()};
        if (const int code = run_script(*policy, now, asked, script_time, of_script); code != SLURM_SUCCESS)
            return code;
    }
    gate::KnownCluster known = known_cluster(now);
    known.script_clock = &script_time.clock;
    if (of_script) [[unlikely]]
        known.script_writes = &of_script->writes;
    Recording recording = recorder_.begin(*policy);
    const model::JobRequest request = slurm::read_job_desc(description, submit_uid);
    std::optional<HetSubmission::Turn> turn;
    if (request.is_het_part) turn.emplace(het_submission_, description.het_job_offset, request.user_id);
    gate::HetParts* const parts = turn ? turn->parts() : nullptr;
    if (trial && parts) [[unlikely]]
        trial->keep_parts(*parts);
    Decision decision = gate_.decide(request, known, policy.get(), parts);
    recording.stop_clock(script_time.took);
    decided();
    if (description.immediate != 0) [[unlikely]] // slurmctld refuses what cannot start at once
        gate::word_for_refused(decision.message);
    if (of_script) [[unlikely]]
        prepend_script(decision, std::move(of_script->decision), of_script->said);
    if (trial) [[unlikely]] {
        turn.reset(); // other parts do not wait, and the sooner it ends, the less two jobs mix
        try_job(*trial, now, request, decision);
    }
    const gate::RecordedJob recorded{.request = request, .candidate = trial ? trial->comparison() : nullptr};
    conclude(recording, decision, &recorded, /*is_change=*/false, of_script.get());
    if (decision.changed) write_changes(description, request, *decision.changed);
    if (policy->has_rules_at(policy::JobEvent::modify))
        name_gpus_of_tasks(description, decision.changed ? *decision.changed : request);
    return answer(decision, err_msg);
}

[[gnu::noinline]] int Runtime::keep_out(const job_desc_msg_t& job, std::uint32_t submit_uid, char** err_msg) {
    const auto begin = std::chrono::steady_clock::now();
    const ClusterNow now = cluster_.current();
    const model::JobRequest request = slurm::read_job_desc(job, submit_uid);
    const gate::Site site(now.cluster.get(), /*policy_in_force=*/nullptr, quota_, running_release());
    const gate::ResolvedRequest resolved = gate::resolve(request, site.context);
    const Decision decision = refuse_job(policies_.status(), {request, resolved.view()});
    count(decision, /*is_change=*/false, begin);
    return answer(decision, err_msg);
}

void Runtime::count(const Decision& decision, bool is_change, std::chrono::steady_clock::time_point begin) {
    counts_.count(decision, is_change);
    results_.count(decision, std::chrono::steady_clock::now() - begin);
}

bool Runtime::is_kept_out(std::uint32_t submit_uid) const {
    return policies_.is_closed() && !quota_.is_operator(submit_uid);
}

int Runtime::modify(job_desc_msg_t& update, job_record* job, std::uint32_t submit_uid, char** err_msg) {
    policies_.mark_active();
    // A change must not bypass rules that are not known. They may be a script, which sees every change.
    if (is_kept_out(submit_uid)) {
        const auto begin = std::chrono::steady_clock::now();
        const Decision decision = refuse_change(policies_.status(), job_files_.find_id(job), submit_uid);
        count(decision, /*is_change=*/true, begin);
        return answer(decision, err_msg);
    }
    const auto asked_at = TimeAllowance::Clock::now();
    const auto policy = policies_.current();
    std::unique_ptr<CandidateTrial> trial;
    if (auto candidate = policies_.candidate()) [[unlikely]]
        trial = CandidateTrial::begin(candidate_runs_, std::move(candidate), *policy, update);
    const Asked asked{update, submit_uid, err_msg, trial.get(), job};
    std::unique_ptr<ScriptEffect> of_script;
    if (policy->script() != nullptr) [[unlikely]] {
        of_script = std::make_unique<ScriptEffect>();
        if (const int code = run_script_at_change(*policy, asked, *of_script); code != SLURM_SUCCESS)
            return code;
    }
    const auto pass = [&] {
        if (trial) try_passed_change(*policy, asked, of_script.get());
        return of_script ? pass_change(*of_script, job_files_.find_id(job), asked) : SLURM_SUCCESS;
    };
    const model::UpdateParts parts = slurm::parts_of_update(update);
    const bool runs_rules = policy->has_rules_at(policy::JobEvent::modify, parts);
    const bool touches_limits = parts.has(model::UpdatePart::limits);
    if (!runs_rules && !touches_limits) return pass();
    const bool may_refuse = runs_rules || policy->settings().limits == policy::Level::enforce;
    if (!may_refuse && err_msg == nullptr) return pass();
    const auto files_id = job_files_.find_id(job);
    const bool by_operator = quota_.is_operator(submit_uid);
    job_desc_msg_t* current = of_script ? of_script->job.get() : nullptr; // the script may have read it
    if (const auto why = why_not_copied(files_id, submit_uid, by_operator);
        current == nullptr && !why.empty()) {
        Decision decision =
            answer_unreadable_change({files_id, submit_uid, by_operator, why, parts}, *policy);
        if (trial) trial->skip();
        if (of_script) prepend_script(decision, std::move(of_script->decision), /*said=*/{});
        count(decision, /*is_change=*/true, asked_at);
        return answer(decision, err_msg);
    }
    JobCopy own;
    if (current == nullptr) {
        own = copy_job(job, files_id, submit_uid, by_operator);
        current = own.get();
    }
    if (current == nullptr) {
        pass(); // what the script did is counted, whatever becomes of the change
        return failed(err_msg);
    }
    if (!slurm::asks_only_for_entitled && !may_change(submit_uid, *current)) return pass();

    const ClusterNow now = cluster_.current();
    const auto begin = TimeAllowance::Clock::now();
    gate::KnownCluster known = known_cluster(now);
    if (of_script) known.script_clock = &of_script->time.clock;
    Recording recording = recorder_.begin(*policy);
    model::JobUpdate change = slurm::read_update(*current, update, submit_uid);
    const auto after = copy_after(change.after, recording.is_on(), trial);
    Decision decision = gate_.decide_update(std::move(change), known, policy.get());
    recording.stop_clock(of_script ? of_script->time.took : TimeAllowance::Clock::duration());
    // One request may change every task of an array, one after the other.
    const auto end = TimeAllowance::Clock::now();
    if (!by_operator) change_allowance_.spend(submit_uid, end - begin, end);
    if (of_script) prepend_script(decision, std::move(of_script->decision), of_script->said);
    if (trial) try_change(asked, now, *current, *after, decision, /*is_judged=*/true);
    std::optional<gate::RecordedJob> recorded;
    if (after) recorded.emplace(*after, files_id.value_or(0), trial ? trial->comparison() : nullptr);
    conclude(recording, decision, recorded ? &*recorded : nullptr, /*is_change=*/true, of_script.get());
    return answer(decision, err_msg);
}

std::string_view Runtime::why_not_copied(std::optional<std::uint32_t> files_id, std::uint32_t submit_uid,
                                         bool by_operator) const {
    const auto now = TimeAllowance::Clock::now();
    if (files_id && !is_short_environment(environment_bytes(state_file(""), *files_id)))
        return "its environment has more than 4 MiB";
    const auto owner = files_id ? owners_.find(*files_id) : std::nullopt;
    // Operators do not pay for large jobs of users, except while the owner is not known.
    if (((!by_operator || !owner) && !change_allowance_.has_some(submit_uid, now)) ||
        (owner && !change_allowance_.has_some(*owner, now)))
        return "such changes took too long to check recently; change fewer at once, and try again in some "
               "seconds";
    return {};
}

JobCopy Runtime::copy_job(job_record* job, std::optional<std::uint32_t> files_id, std::uint32_t submit_uid,
                          bool by_operator) {
    const auto begin = TimeAllowance::Clock::now();
    JobCopy copy = jobs_.copy(job);
    const auto end = TimeAllowance::Clock::now();
    if (copy == nullptr) return copy;
    // A user cannot spend another user's allowance by trying to change their jobs.
    const bool owner_pays = by_operator || may_change(submit_uid, *copy);
    const bool knew_owner = files_id && owners_.find(*files_id);
    if (owner_pays) change_allowance_.spend(copy->user_id, end - begin, end);
    if (!owner_pays || (!knew_owner && copy->user_id != submit_uid))
        change_allowance_.spend(submit_uid, end - begin, end);
    if (files_id) owners_.keep(*files_id, copy->user_id);
    return copy;
}

bool Runtime::may_change(std::uint32_t user_id, const job_desc_msg_t& job) const {
    return quota_.may_change(user_id, job.user_id, slurm::view_text(job.account));
}

int Runtime::failed(char** err_msg) {
    const auto policy = policies_.current();
    if (!policies_.is_closed() && !refuses_on_errors(*policy)) return SLURM_SUCCESS;
    tell([&] {
        std::string message =
            "the site's rules could not be applied to this job; please tell your administrators";
        if (const std::string& contact = policy->settings().contact; !contact.empty())
            message += " (" + contact + ")";
        append_message(err_msg, std::span(&message, 1));
    });
    return slurm::to_slurm_error(model::RejectCode::access_denied);
}

} // namespace qg::plugin
