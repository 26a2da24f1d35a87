// SPDX-License-Identifier: GPL-2.0-or-later
//
// StateLease: the Lua state that the rules for one job use.
#pragma once

#include "qosgate/policy/run/compiled_rules.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace qg::policy {

/// Holds a state while it is usable. A state without memory or instructions left is dropped, and the next
/// rule gets a new one. All of a job's states share its clock. Threads: the one of the job.
class StateLease {
  public:
    /// `begun`: the job's clock so far; null: nothing ran for it yet.
    StateLease(StatePool& pool, std::chrono::nanoseconds time, const BudgetClock* begun)
        : pool_(pool), time_(time), clock_(begun == nullptr ? BudgetClock() : *begun) {}
    StateLease(const StateLease&) = delete;
    StateLease& operator=(const StateLease&) = delete;
    ~StateLease() {
        if (!rules_) return;
        pool_.release(std::move(rules_));
    }

    /// Errors: as StatePool::acquire.
    Result<CompiledRules*> get() {
        if (!rules_) {
            auto acquired = pool_.acquire(clock_);
            if (!acquired) return acquired.error();
            rules_ = *std::move(acquired);
            rules_->state->budget().start_job(clock_);
        }
        return rules_.get();
    }

    /// Gives the state up if it has spent a budget.
    void drop_if_spent() {
        if (rules_->state->budget().exhausted() == Exhausted::nothing) return;
        clock_ = rules_->state->budget().clock();
        clock_.start(); // this thread may be the one that frees it
        pool_.discard(std::move(rules_));
    }

    /// Whether the job's time is over.
    [[nodiscard]] bool is_out_of_time() const noexcept {
        return (rules_ ? rules_->state->budget().clock() : clock_).is_past(time_);
    }

  private:
    StatePool& pool_;
    std::chrono::nanoseconds time_;
    std::unique_ptr<CompiledRules> rules_;
    BudgetClock clock_; ///< of the job, from state to state
};

} // namespace qg::policy
