// SPDX-License-Identifier: GPL-2.0-or-later
//
// TimeAllowance: how long one user may make slurmctld wait for work whose size that user chose. Each user may
// spend a burst at once, and regains a tenth of the time that passes.
//
//   if (!allowance.has_some(user_id, now)) return refuse();
//   allowance.spend(user_id, time_taken, now);
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace qg::plugin {

/// Threads: internally locked.
/// Cost: a look-up; bounded by `max_users`.
class TimeAllowance {
  public:
    using Clock = std::chrono::steady_clock;

    static constexpr int refill_divisor = 10;
    /// If there are more users, the one who has spent the least is forgotten.
    static constexpr std::size_t max_users = 256;

    explicit TimeAllowance(Clock::duration burst = std::chrono::milliseconds(100)) : burst_(burst) {}

    /// Whether the user has spent less than the burst.
    [[nodiscard]] bool has_some(std::uint32_t user_id, Clock::time_point now) const {
        const std::scoped_lock lock(mutex_);
        const auto found = spent_.find(user_id);
        return found == spent_.end() || found->second.left_at(now) < burst_;
    }

    void spend(std::uint32_t user_id, Clock::duration time, Clock::time_point now) {
        const std::scoped_lock lock(mutex_);
        if (spent_.size() >= max_users && !spent_.contains(user_id)) forget_one(now);
        Spent& spent = spent_[user_id];
        spent = {spent.left_at(now) + time, now};
    }

  private:
    struct Spent {
        Clock::duration time{0};
        Clock::time_point at;

        [[nodiscard]] Clock::duration left_at(Clock::time_point now) const {
            return std::max(time - std::max(now - at, Clock::duration(0)) / refill_divisor,
                            Clock::duration(0));
        }
    };

    void forget_one(Clock::time_point now) {
        spent_.erase(std::min_element(spent_.begin(), spent_.end(), [now](const auto& a, const auto& b) {
            return a.second.left_at(now) < b.second.left_at(now);
        }));
    }

    const Clock::duration burst_;
    mutable std::mutex mutex_;
    std::unordered_map<std::uint32_t, Spent> spent_; ///< by user id
};

} // namespace qg::plugin
