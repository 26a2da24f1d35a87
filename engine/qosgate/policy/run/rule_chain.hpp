// SPDX-License-Identifier: GPL-2.0-or-later
//
// rule_chain: one job through all rules, in order, until one ends the chain.
#pragma once

#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/run/compiled_rules.hpp"
#include "qosgate/policy/run/rule_failures.hpp"

namespace qg::policy {

/// The job that rules run over. Ownership: borrows.
struct ChainInput {
    JobEvent event;
    const model::JobRequest& job;
    const RuleInput& facts;
    const JobBefore* before = nullptr;                    ///< only at a change, if some rule reads it
    RuleFailures* failures = nullptr;                     ///< of the same rules; null: failures do not count
    model::UpdateParts parts = model::UpdateParts::all(); ///< what a change sets

    [[nodiscard]] bool counts_failures() const noexcept { return failures != nullptr && !facts.is_trial; }
};

/// What Policy::run and Policy::run_at_change do.
RuleOutcome run_chain(StatePool& pool, const std::vector<RuleInfo>& rules, const Settings& settings,
                      const ChainInput& input);

} // namespace qg::policy
