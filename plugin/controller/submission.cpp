// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/submission.hpp"

#include "controller/job_desc_writer.hpp"
#include "host/host_texts.hpp"
#include "host/running_release.hpp"
#include "qosgate/base/read_clock.hpp"
#include "qosgate/gate/answer/answer.hpp"
#include "qosgate/gate/decide/decision_log.hpp"
#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/decide/site.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/slurm/job_desc.hpp"

#include <utility>

namespace qg::plugin {

using model::Decision;

int Submission::decide() {
    const ClusterNow now = controller_.cluster.current();
    ScriptTime script_time;
    if (policy_->script() != nullptr) [[unlikely]]
        if (const int code = run_script(now, script_time); code != SLURM_SUCCESS) return code;
    gate::KnownCluster known = controller_.known_cluster(now);
    known.script_clock = &script_time.clock;
    if (of_script_) [[unlikely]]
        known.script_writes = &of_script_->writes;
    Recording recording = controller_.recorder.begin(*policy_);
    const model::JobRequest request = slurm::read_job_desc(description_, submit_uid_);
    std::optional<HetSubmission::Turn> turn;
    if (request.is_het_part)
        turn.emplace(controller_.het_submission, description_.het_job_offset, request.user_id);
    gate::HetParts* const parts = turn ? turn->parts() : nullptr;
    if (trial_ && parts) [[unlikely]]
        trial_->keep_parts(*parts);
    Decision decision = controller_.gate.decide(request, known, policy_.get(), parts);
    recording.stop_clock(script_time.took);
    if (request.is_het_part) [[unlikely]]
        decided_at_ = read_clock(CLOCK_THREAD_CPUTIME_ID);
    if (description_.immediate != 0) [[unlikely]] // slurmctld refuses what cannot start at once
        gate::word_for_refused(decision.message);
    if (of_script_) [[unlikely]]
        prepend_script_to(decision);
    if (trial_) [[unlikely]] {
        turn.reset(); // release early: other parts wait on it
        try_candidate(now, request, decision);
    }
    const gate::RecordedJob recorded{.request = request, .candidate = comparison()};
    record(recording, decision, &recorded);
    if (decision.changed) write_changes(description_, request, *decision.changed);
    if (policy_->has_rules_at(policy::JobEvent::modify))
        name_gpus_of_tasks(description_, decision.changed ? *decision.changed : request);
    return answer(decision, err_msg_);
}

[[gnu::noinline]] int Submission::refuse(std::string why) {
    const ClusterNow now = controller_.cluster.current();
    Recording recording = controller_.recorder.begin(*policy_);
    const model::JobRequest request = slurm::read_job_desc(description_, submit_uid_);
    const gate::Site site(now.cluster.get(), policy_.get(), controller_.quota, running_release());
    const gate::ResolvedRequest resolved = gate::resolve(request, site.context);
    Decision decision;
    decision.reject = model::RejectCode::access_denied;
    decision.message.push_back(std::move(why));
    gate::log_limits(decision, {request, resolved.view()}, "refused", "", decision.message);
    gate::append_contact(decision.message, policy_->settings());
    recording.stop_clock();
    const gate::RecordedJob recorded{.request = request};
    return conclude(recording, decision, &recorded);
}

[[gnu::noinline]] int Submission::run_script(const ClusterNow& now, ScriptTime& time) {
    controller_.want_jobs(*policy_, candidate());
    Recording recording = controller_.recorder.begin(*policy_);
    const ScriptWorld world = controller_.script_world(now);
    const ScriptCall call = call_script(*policy_, world, {description_, host_texts, submit_uid_});
    recording.stop_clock();
    time = {recording.took(), call.outcome.clock};
    pass_on_lines(call.outcome);
    if (call.answer.events.empty()) return SLURM_SUCCESS;
    const model::JobRequest request = slurm::read_job_desc(description_, submit_uid_);
    Decision of_script = decision_of_script(call, request, world);
    if (call.answer.code == SLURM_SUCCESS) {
        of_script_ = std::make_unique<ScriptEffect>();
        of_script_->time = time;
        of_script_->decision = std::move(of_script);
        of_script_->said = call.said();
        of_script_->writes = call.writes;
        return SLURM_SUCCESS;
    }
    Decision decision = refused_by(call, std::move(of_script));
    if (trial_) try_refused(now, request, decision);
    const gate::RecordedJob job{.request = request, .candidate = comparison()};
    return end_with_script(recording, &job, call, decision);
}

[[gnu::noinline]] void Submission::try_candidate(const ClusterNow& now, const model::JobRequest& request,
                                                 const Decision& decided) noexcept {
    const ScriptWorld world = controller_.script_world(now);
    trial_->compare_job({controller_.gate, world, controller_.known_cluster(now)}, request, decided);
}

[[gnu::noinline]] void Submission::try_refused(const ClusterNow& now, const model::JobRequest& request,
                                               const Decision& decided) noexcept {
    try {
        if (request.is_het_part)
            if (const auto parts =
                    controller_.het_submission.look(description_.het_job_offset, request.user_id))
                trial_->keep_parts(*parts);
        try_candidate(now, request, decided);
    } catch (...) { // no memory
        trial_->skip();
    }
}

} // namespace qg::plugin
