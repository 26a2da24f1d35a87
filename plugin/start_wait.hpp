// SPDX-License-Identifier: GPL-2.0-or-later
//
// StartWait: how often to look whether slurmctld serves.
#pragma once

#include <algorithm>
#include <chrono>

namespace qg::plugin {

/// The time between two looks: short at first, and again once slurmctld has its partitions, since then jobs
/// may wait at its door. It grows to a tenth of a second within five: who waits longer waits for something
/// else (a standby controller for its turn).
/// Threads: not thread-safe.
class StartWait {
  public:
    static constexpr std::chrono::milliseconds shortest{5};
    static constexpr std::chrono::milliseconds longest{100};

    StartWait() = default;
    /// For who is in less of a hurry: `factor` times as long, each time.
    explicit constexpr StartWait(int factor) noexcept : factor_(factor) {}

    /// How long to wait until the next look, after one that found slurmctld not serving.
    std::chrono::milliseconds next(bool has_partitions) noexcept {
        if (has_partitions && !had_partitions_) interval_ = shortest;
        had_partitions_ = has_partitions;
        const std::chrono::milliseconds now = interval_;
        interval_ = std::min(now + std::chrono::milliseconds(1), longest);
        return now * factor_;
    }

  private:
    std::chrono::milliseconds interval_ = shortest;
    int factor_ = 1;
    bool had_partitions_ = false;
};

} // namespace qg::plugin
