// SPDX-License-Identifier: GPL-2.0-or-later
//
// SuggestedOptions: whether a better request may be suggested to the user, and with which options.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/decide/site_rules.hpp"
#include "qosgate/limits/submit.hpp"
#include "qosgate/policy/lua/budget.hpp"

#include <optional>
#include <string>

namespace qg::gate {

/// Tells the options of suggestions for one job. With site rules, each suggestion is held against them.
/// Ownership: borrows. Threads: one per object.
class SuggestedOptions {
  public:
    /// `rules` ran over the job; null: the site has none.
    SuggestedOptions(const ResolvedRequest& asked, const RulesRun* rules, limits::Strictness strictness);
    SuggestedOptions(const SuggestedOptions&) = delete;
    SuggestedOptions& operator=(const SuggestedOptions&) = delete;

    /// Whether a suggestion can be made for the job at all.
    [[nodiscard]] bool are_possible() const;

    struct Options {
        std::string text; ///< as the user types them
        bool waits;       ///< for other jobs, or for a partition that is down, at first
    };

    /// The options that turn the user's request into the better one, if it is certainly accepted, rules
    /// included. `starts_now`: and if no limit and no partition would keep it waiting now. Cost: some
    /// forecasts, and one run of the rules. At most max_rule_runs are made, and all of them together have the
    /// time of one job (rule_time_ms); after that, nothing is suggested.
    [[nodiscard]] std::optional<Options> say(const model::JobRequest& better, bool starts_now = false);

    /// The maximum of runs of the rules.
    static constexpr int max_rule_runs = 8;

  private:
    [[nodiscard]] bool is_taken_after_rules(const model::JobRequest& submitted, bool starts_now);

    const ResolvedRequest& asked_;
    const RulesRun* rules_;
    limits::Strictness strictness_;
    ClusterContext context_; ///< that of the job, with the clock of these runs
    policy::BudgetClock clock_;
    int rule_runs_left_ = max_rule_runs;
};

} // namespace qg::gate
