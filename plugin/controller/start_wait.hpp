// SPDX-License-Identifier: GPL-2.0-or-later
//
// StartWait: how often to check whether slurmctld serves.
#pragma once

#include <algorithm>
#include <chrono>

namespace qg::plugin {

/// The time between two checks. It is short at first, and again when slurmctld has its partitions, because
/// jobs may then be waiting. It grows to a tenth of a second within five seconds: a longer wait has another
/// cause (a standby controller waits for its turn).
/// Threads: not thread-safe.
class StartWait {
  public:
    static constexpr std::chrono::milliseconds min_interval{5};
    static constexpr std::chrono::milliseconds max_interval{100};

    StartWait() = default;
    /// For less urgent work: every wait is `factor` times as long.
    explicit constexpr StartWait(int factor) noexcept : factor_(factor) {}

    /// How long to wait until the next check, after a check that found slurmctld not serving.
    std::chrono::milliseconds next(bool has_partitions) noexcept {
        if (has_partitions && !had_partitions_) interval_ = min_interval;
        had_partitions_ = has_partitions;
        const std::chrono::milliseconds now = interval_;
        interval_ = std::min(now + std::chrono::milliseconds(1), max_interval);
        return now * factor_;
    }

  private:
    std::chrono::milliseconds interval_ = min_interval;
    int factor_ = 1;
    bool had_partitions_ = false;
};

} // namespace qg::plugin
