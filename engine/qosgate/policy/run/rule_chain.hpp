// SPDX-License-Identifier: GPL-2.0-or-later
//
// rule_chain: one job through all rules, in order, until one ends the chain.
#pragma once

#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/rule.hpp"
#include "qosgate/policy/run/compiled_rules.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace qg::policy {

// ---- how often rules failed in a row (setting rule_failures) -------------------------------------------
// How often the rules of a policy failed in a row, and which of them only warn because of it (setting
// rule_failures).

/// The counts of one policy; a new policy has new ones.
///
///   if (failures.only_warns(i)) run_in_mode_warn(rules[i]);
///   if (failures.count_failure(i, rules[i])) tell_once();
///
/// Threads: safe. Cost: one load for a rule that does not fail.
class RuleFailures {
  public:
    /// `max_in_a_row` is the setting; 0: no rule is switched.
    RuleFailures(std::size_t rules, std::uint64_t max_in_a_row) : rules_(rules), max_(max_in_a_row) {}

    /// Whether a rule was switched to mode warn. It stays so for as long as the policy is in force.
    [[nodiscard]] bool only_warns(std::size_t rule) const noexcept {
        return rules_[rule].only_warns.load(std::memory_order_relaxed);
    }

    [[nodiscard]] std::uint64_t in_a_row(std::size_t rule) const noexcept {
        return rules_[rule].in_a_row.load(std::memory_order_relaxed);
    }

    /// A rule that ran to its end, also with a rejection, begins to count anew.
    void count_success(std::size_t rule) noexcept {
        auto& count = rules_[rule].in_a_row;
        if (count.load(std::memory_order_relaxed) != 0) count.store(0, std::memory_order_relaxed);
    }

    /// Whether this failure is the one that switches the rule: true once in a policy's life.
    bool count_failure(std::size_t rule, const RuleInfo& info) noexcept {
        const std::uint64_t in_a_row = rules_[rule].in_a_row.fetch_add(1, std::memory_order_relaxed) + 1;
        const bool is_due = max_ != 0 && in_a_row >= max_ && may_be_switched(info);
        return is_due && !rules_[rule].only_warns.exchange(true, std::memory_order_relaxed);
    }

  private:
    struct Rule {
        std::atomic<std::uint64_t> in_a_row = 0;
        std::atomic<bool> only_warns = false;
    };

    /// A rule that denies on errors is to hold whatever happens. The other modes enforce nothing.
    static bool may_be_switched(const RuleInfo& info) noexcept {
        return info.mode == RuleMode::enforce && info.on_error != OnError::deny;
    }

    std::vector<Rule> rules_; ///< in the order of the policy's rules
    const std::uint64_t max_;
};

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
