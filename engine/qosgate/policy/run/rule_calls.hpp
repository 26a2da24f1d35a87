// SPDX-License-Identifier: GPL-2.0-or-later
//
// rule_calls: calls the functions of a policy's rules. Most rules leave most jobs alone, so one protected
// call of Lua runs all of them up to the first that does something.
#pragma once

#include "qosgate/policy/run/compiled_rules.hpp"
#include "qosgate/policy/run/rule_chain.hpp"
#include "qosgate/policy/run/rule_run.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace qg::policy {

/// What calling rules came to.
struct CalledRules {
    std::size_t next = 0; ///< the first rule that was not called
    /// Whether the rule before `next` did something, which is in the run, or failed.
    bool has_acted = false;
    std::optional<LuaError> error = {}; ///< why it failed
};

/// Whether a rule runs over the job at all.
bool applies(const RuleInfo& rule, const ChainInput& input);

/// Calls the rules from `first` on that apply, until one acts, about a thousand instructions are spent, or
/// the state's budget is. `rules` are those of the policy. The run is new.
CalledRules call_rules(CompiledRules& compiled, std::span<const RuleInfo> rules, const ChainInput& input,
                       std::size_t first, RuleRun& run);

/// Calls only the rule `index`, if it applies, and notes in RuleInput::costs what that took. All else as
/// call_rules().
CalledRules call_measured(CompiledRules& compiled, std::span<const RuleInfo> rules, const ChainInput& input,
                          std::size_t index, RuleRun& run);

} // namespace qg::policy
