// SPDX-License-Identifier: GPL-2.0-or-later
//
// rule_chain: one job through all rules, in order, until one rejects it.
#pragma once

#include "qosgate/policy/compiled_rules.hpp"
#include "qosgate/policy/policy.hpp"

namespace qg::policy {

/// What Policy::run does.
RuleOutcome run_chain(StatePool& pool, const std::vector<RuleInfo>& rules, const Settings& settings,
                      const model::JobRequest& job, const RuleInput& facts);

} // namespace qg::policy
