// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster/partition_watch.hpp"

#include "qosgate/slurm/host_symbols.hpp"

namespace qg::plugin {
namespace {

// A second, plus the possible delay of the clock that slurmctld reads.
constexpr std::chrono::milliseconds settling_time{1050};

// By so much the wall clock may part from the steady one unless it is set.
constexpr std::chrono::milliseconds clock_tolerance{500};

/// Whether a second of the wall clock is over, and slurmctld notes another one.
bool is_over(std::time_t second, PartitionWatch::WallClock::time_point wall) noexcept {
    return wall >= PartitionWatch::WallClock::from_time_t(second) + settling_time;
}

PartitionWatch::WallClock::duration offset_of(PartitionWatch::Clock::time_point now,
                                              PartitionWatch::WallClock::time_point wall) noexcept {
    return wall.time_since_epoch() - now.time_since_epoch();
}

} // namespace

PartitionSymbols PartitionSymbols::find() {
    return {slurm::host::last_part_update.find(), slurm::host::part_list.find()};
}

std::time_t PartitionWatch::changed_at() const noexcept {
    constexpr std::time_t never_known = 1;
    if (symbols_.changed_at == nullptr) return never_known;
    return __atomic_load_n(symbols_.changed_at, __ATOMIC_RELAXED); // slurmctld writes it under its locks
}

PartitionsRead PartitionWatch::read_mark(Clock::time_point now, WallClock::time_point wall) noexcept {
    const std::time_t changed = changed_at();
    if (changed != noticed_) {
        noticed_ = changed;
        noticed_at_ = now;
    }
    if (first_ == 0) first_ = changed;
    return {.changed_at = changed,
            .is_settled = now - noticed_at_ >= settling_time,
            .is_first = changed == first_,
            .is_past = is_over(changed, wall),
            .again_at = noticed_at_ + settling_time,
            .offset = offset_of(now, wall)};
}

bool PartitionWatch::is_outdated(const PartitionsRead& read, Clock::time_point now,
                                 WallClock::time_point wall) const noexcept {
    if (changed_at() != read.changed_at || (!read.is_settled && now >= read.again_at)) return true;
    const bool was_set_back = offset_of(now, wall) < read.offset - clock_tolerance;
    return was_set_back || (!read.is_past && is_over(read.changed_at, wall));
}

bool PartitionWatch::may_have_changed(const PartitionsRead& read, std::size_t count) const noexcept {
    if (symbols_.changed_at == nullptr) return false;
    if (changed_at() != read.changed_at) return true;
    return !read.is_settled && !(read.is_first && is_count(count));
}

bool PartitionWatch::is_count(std::size_t count) const noexcept {
    if (symbols_.all == nullptr || *symbols_.all == nullptr) return false;
    return static_cast<std::size_t>(slurm_list_count(*symbols_.all)) == count;
}

} // namespace qg::plugin
