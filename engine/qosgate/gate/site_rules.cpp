// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/site_rules.hpp"

#include "qosgate/gate/read_job.hpp"

namespace qg::gate {

[[gnu::hot]] policy::RuleOutcome run_site_rules(const policy::Policy& policy,
                                                const ResolvedRequest& submitted,
                                                std::vector<policy::RuleCost>* costs,
                                                std::optional<model::Qos>* own_qos) {
    ReadJob job(submitted, policy::JobEvent::submit, own_qos);
    job.measure(costs);
    policy::RuleOutcome outcome = policy.run(job.request(), job.facts());
    if (own_qos != nullptr) policy.note_own_qos(job.was_asked_for_own_qos()); // no trial of a suggestion
    job.restore_names(outcome.changed);
    return outcome;
}

policy::RuleOutcome run_site_rules_at_change(const policy::Policy& policy, const ResolvedRequest& after,
                                             const ResolvedRequest* before, model::UpdateParts parts) {
    ReadJob job(after, policy::JobEvent::modify);
    if (before == nullptr) return policy.run_at_change(job.request(), job.facts(), nullptr, parts);
    ReadJob old_job(*before, policy::JobEvent::modify);
    const policy::JobBefore job_before{old_job.request(), old_job.facts()};
    return policy.run_at_change(job.request(), job.facts(), &job_before, parts);
}

} // namespace qg::gate
