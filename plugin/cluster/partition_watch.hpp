// SPDX-License-Identifier: GPL-2.0-or-later
//
// PartitionWatch: whether slurmctld has changed its partitions since they were read. It needs no RPC.
//
// slurmctld notes the second in which it last changed a partition (last_part_update; starts of jobs and
// states of nodes do not count, a reconfigure does). It exports that number to its plugins in all releases
// from 22.05 to 26.05. A reading within that same second may miss a later change in the second. So partitions
// are read once more when the second is over; until then it is not certain that they are current. If the
// clock is set back, the second may come again: they are read once more then, and when it is over.
#pragma once

#include "qosgate/slurm/compat.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>

namespace qg::plugin {

/// The addresses of slurmctld's variables that the watch reads. Null if slurmctld does not export one.
/// Ownership: slurmctld's.
struct PartitionSymbols {
    const std::time_t* changed_at = nullptr; ///< 0 until slurmctld has read its partitions
    const slurm::ListHandle* all = nullptr;  ///< needs slurmctld's lock on partitions

    /// Looks up both in this process.
    static PartitionSymbols find();
};

/// When partitions were read; compared with slurmctld's later times.
struct PartitionsRead {
    std::time_t changed_at = 0;
    bool is_settled = false;                        ///< the second of that change was over
    bool is_first = false;                          ///< the first ones of this slurmctld
    bool is_past = false;                           ///< the second was over by the wall clock, too
    std::chrono::steady_clock::time_point again_at; ///< when to read once more, unless settled
    std::chrono::system_clock::duration offset{};   ///< of the wall clock from the steady one
};

/// Threads: read_mark() from one thread, right before it reads; the rest from any.
class PartitionWatch {
  public:
    using Clock = std::chrono::steady_clock;
    using WallClock = std::chrono::system_clock; ///< by which slurmctld notes its second

    explicit PartitionWatch(PartitionSymbols symbols) noexcept : symbols_(symbols) {}

    /// Whether slurmctld has partitions. A standby controller has none until it takes over.
    [[nodiscard]] bool has_partitions() const noexcept { return changed_at() != 0; }

    /// The state for partitions that are read now.
    [[nodiscard]] PartitionsRead read_mark(Clock::time_point now, WallClock::time_point wall) noexcept;

    /// Whether partitions have to be read again.
    [[nodiscard]] bool is_outdated(const PartitionsRead& read, Clock::time_point now,
                                   WallClock::time_point wall) const noexcept;

    /// Whether slurmctld may have changed its partitions after they were read. `count` is how many were read.
    /// False if slurmctld does not tell. The caller holds slurmctld's lock on partitions. The partitions of
    /// slurmctld's start count as unchanged although their second is not over: a change right after a start
    /// is rare, but jobs that wait at a start are common. Partitions created or deleted in that second are
    /// noticed.
    [[nodiscard]] bool may_have_changed(const PartitionsRead& read, std::size_t count) const noexcept;

  private:
    [[nodiscard]] std::time_t changed_at() const noexcept;
    [[nodiscard]] bool is_count(std::size_t count) const noexcept;

    PartitionSymbols symbols_;
    std::time_t first_ = 0;   ///< the first change that read_mark() saw: the start
    std::time_t noticed_ = 0; ///< and last
    Clock::time_point noticed_at_;
};

} // namespace qg::plugin
