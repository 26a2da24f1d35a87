// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/site_rules.hpp"

#include "qosgate/gate/read_job.hpp"

namespace qg::gate {
namespace {

/// Only asked for where some rule does not look at requests of operators.
bool is_by_operator(const ResolvedRequest& resolved, const policy::Policy& policy) {
    return policy.exempts_operators() && resolved.context.provider.is_operator(resolved.request.submit_uid);
}

} // namespace

[[gnu::hot]] policy::RuleOutcome run_site_rules(const policy::Policy& policy,
                                                const ResolvedRequest& submitted,
                                                std::vector<policy::RuleCost>* costs) {
    ReadJob job(submitted, is_by_operator(submitted, policy), policy::JobEvent::submit);
    job.measure(costs);
    policy::RuleOutcome outcome = policy.run(job.request(), job.facts());
    job.restore_names(outcome.changed);
    return outcome;
}

policy::RuleOutcome run_site_rules_at_change(const policy::Policy& policy, const ResolvedRequest& after,
                                             const ResolvedRequest* before, model::UpdateParts parts) {
    ReadJob job(after, is_by_operator(after, policy), policy::JobEvent::modify);
    if (before == nullptr) return policy.run_at_change(job.request(), job.facts(), nullptr, parts);
    ReadJob old_job(*before, is_by_operator(*before, policy), policy::JobEvent::modify);
    const policy::JobBefore job_before{old_job.request(), old_job.facts()};
    return policy.run_at_change(job.request(), job.facts(), &job_before, parts);
}

} // namespace qg::gate
