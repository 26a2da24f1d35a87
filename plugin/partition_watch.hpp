// SPDX-License-Identifier: GPL-2.0-or-later
//
// PartitionWatch: whether partitions that were read are still those of slurmctld, without asking it.
//
// slurmctld notes the second in which it last changed a partition (last_part_update; starts of jobs and
// states of nodes do not count, a reconfigure does). It exports that number to its plugins in all releases
// from 22.05 to 26.05. What was read within that very second may miss a later change of the same second, so
// it is read once more when the second is over, and until then nothing is sure.
#pragma once

#include "qosgate/slurm/compat.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>

namespace qg::plugin {

/// Where slurmctld keeps what the watch looks at. Null where it does not export one.
/// Ownership: slurmctld's.
struct PartitionSymbols {
    const std::time_t* changed_at = nullptr; ///< 0 until slurmctld has read its partitions
    const slurm::ListHandle* all = nullptr;  ///< needs slurmctld's lock on partitions

    /// Looks both up in this process.
    static PartitionSymbols find();
};

/// When partitions were read, for the comparison with what slurmctld notes later.
struct PartitionsRead {
    std::time_t changed_at = 0;
    bool is_settled = false;                        ///< the second of that change was over
    bool is_first = false;                          ///< the first ones of this slurmctld
    std::chrono::steady_clock::time_point again_at; ///< when to read once more, unless settled
};

/// Threads: look() from one thread, right before it reads; the rest from any.
class PartitionWatch {
  public:
    using Clock = std::chrono::steady_clock;

    explicit PartitionWatch(PartitionSymbols symbols) noexcept : symbols_(symbols) {}

    /// Whether slurmctld has partitions. A standby controller has none until it takes over.
    [[nodiscard]] bool has_partitions() const noexcept { return changed_at() != 0; }

    /// What holds for partitions that are read now.
    [[nodiscard]] PartitionsRead look(Clock::time_point now) noexcept;

    /// Whether partitions have to be read again.
    [[nodiscard]] bool is_outdated(const PartitionsRead& read, Clock::time_point now) const noexcept;

    /// Whether slurmctld may have changed its partitions, `count` of them, after they were read. False where
    /// it does not tell. The caller has slurmctld's lock on partitions.
    /// Those of its start count as unchanged although their second is not over: a change right behind a start
    /// is rare, jobs that wait for it are not. Partitions made or deleted in that second are noticed.
    [[nodiscard]] bool may_have_changed(const PartitionsRead& read, std::size_t count) const noexcept;

  private:
    [[nodiscard]] std::time_t changed_at() const noexcept;
    [[nodiscard]] bool is_count(std::size_t count) const noexcept;

    PartitionSymbols symbols_;
    std::time_t first_ = 0;   ///< the change that look() saw first, that of the start
    std::time_t noticed_ = 0; ///< and last
    Clock::time_point noticed_at_;
};

} // namespace qg::plugin
