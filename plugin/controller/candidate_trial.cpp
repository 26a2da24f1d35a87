// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/candidate_trial.hpp"

#include "controller/script_call.hpp"
#include "qosgate/slurm/job_desc.hpp"

#include <cstddef>
#include <functional>
#include <utility>

namespace qg::plugin {
namespace {

using model::Decision;
using model::JobRequest;
using Clock = TimeAllowance::Clock;

/// Texts and words of a job, which are copied while slurmctld holds its locks.
constexpr std::size_t max_copy = std::size_t{4} << 20;

/// Tells compare() which job an accepted decision is about: the candidate's may have other values.
void set_left(Decision& decision, JobRequest left) {
    if (decision.reject == model::RejectCode::none && !decision.changed) decision.changed = std::move(left);
}

} // namespace

CandidateTrial::~CandidateTrial() = default;

std::unique_ptr<CandidateTrial> CandidateTrial::begin(CandidateRuns& runs,
                                                      std::shared_ptr<const policy::Policy> candidate,
                                                      const policy::Policy& in_force,
                                                      const job_desc_msg_t& sent) noexcept {
    try {
        const bool has_script = in_force.script() != nullptr || candidate->script() != nullptr;
        std::unique_ptr<CandidateTrial> trial(new CandidateTrial(runs, candidate));
        trial->sent_parts_ = slurm::parts_of_update(sent);
        if (has_script) trial->copy(sent);
        return trial;
    } catch (...) {
        runs.skip(*candidate);
        return nullptr;
    }
}

void CandidateTrial::copy(const job_desc_msg_t& sent) {
    is_left_out_ = !runs_.has_time();
    if (is_left_out_) return;
    const auto begin = Clock::now();
    try {
        is_left_out_ = !slurm::JobDescCopy::takes_at_most(max_copy, sent);
        if (!is_left_out_) sent_.emplace(slurm::JobDescCopy::of(sent));
    } catch (...) { // no memory
        is_left_out_ = true;
    }
    runs_.spend(Clock::now() - begin);
}

void CandidateTrial::keep_parts(const gate::HetParts& parts) noexcept {
    try {
        parts_ = parts;
    } catch (...) {
        is_left_out_ = true;
    }
}

void CandidateTrial::compare_job(const TrialTools& tools, const JobRequest& request,
                                 const Decision& decided) noexcept {
    if (is_left_out_) return skip();
    const auto decide = [&] { return decide_job(tools, request); };
    comparison_ = runs_.compare(*candidate_, request, decided, std::ref(decide));
}

Decision CandidateTrial::decide_job(const TrialTools& tools, const JobRequest& request) {
    gate::HetParts* const parts = parts_ ? &*parts_ : nullptr;
    gate::KnownCluster known = tools.known;
    known.script_clock = nullptr;
    if (!sent_) return tools.gate.decide(request, known, candidate_.get(), parts);

    const ScriptedRequest job{sent_->description(), *sent_, request.submit_uid};
    std::optional<ScriptCall> call;
    Decision of_script;
    if (candidate_->script() != nullptr) call = call_script(*candidate_, tools.world, job);
    JobRequest sent = sent_->request(request.submit_uid);
    if (call) {
        if (!call->answer.events.empty()) of_script = decision_of_script(*call, sent, tools.world);
        if (call->answer.code != SLURM_SUCCESS) return refused_by(*call, std::move(of_script));
        known.script_clock = &call->outcome.clock;
        known.script_writes = &call->writes;
    }
    Decision decision = tools.gate.decide(sent, known, candidate_.get(), parts);
    if (call) prepend_script(decision, std::move(of_script), call->said());
    set_left(decision, std::move(sent));
    return decision;
}

bool CandidateTrial::looks_at_change() const {
    return candidate_->script() != nullptr || sent_parts_.has(model::UpdatePart::limits) ||
           candidate_->has_rules_at(policy::JobEvent::modify, sent_parts_);
}

void CandidateTrial::compare_change(const TrialTools& tools, const TriedChange& change,
                                    const Decision& decided) noexcept {
    if (is_left_out_) return skip();
    const auto decide = [&] { return decide_change(tools, change); };
    comparison_ = runs_.compare(*candidate_, change.after, decided, std::ref(decide));
}

Decision CandidateTrial::decide_change(const TrialTools& tools, const TriedChange& change) {
    gate::KnownCluster known = tools.known;
    known.script_clock = nullptr;
    std::optional<ScriptCall> call;
    Decision of_script;
    if (candidate_->script() != nullptr)
        call =
            call_script_at_change(*candidate_, tools.world, {sent_->description(), *sent_, change.submit_uid},
                                  [&]() -> Result<job_desc_msg_t*> { return &change.job; });
    model::JobUpdate update =
        slurm::read_update(change.job, sent_ ? sent_->description() : change.update, change.submit_uid);
    if (call) {
        if (!call->answer.events.empty()) of_script = decision_of_script(*call, update, tools.world);
        if (call->answer.code != SLURM_SUCCESS) return refused_by(*call, std::move(of_script));
        known.script_clock = &call->outcome.clock;
    }
    JobRequest after = update.after;
    Decision decision;
    if (change.is_judged) decision = tools.gate.decide_update(std::move(update), known, candidate_.get());
    if (call) prepend_script(decision, std::move(of_script), call->said());
    if (sent_) set_left(decision, std::move(after));
    return decision;
}

} // namespace qg::plugin
