// SPDX-License-Identifier: GPL-2.0-or-later
//
// Epochs: times within which slurmctld's records stayed where they are. Slurm tells no plugin when they
// change, and looking them all up again costs a walk over every QOS and a comparison of every TRES name.
#pragma once

#include "qosgate/slurm/compat.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace qg::plugin {

/// What tells whether slurmctld still holds the records of before.
///
/// The record of a QOS is freed where the QOS is deleted, or the list replaced (Slurm's assoc_mgr.c, 22.05 to
/// 26.05). Who deletes makes the list shorter; who adds makes it longer, and has an id that no QOS ever had,
/// which raises the number behind the greatest. So where length and that number are as before, nothing was
/// deleted. The array of TRES names is made anew, before the old one is freed, where any of them changes.
struct RecordsState {
    slurm::ListHandle qos_list = nullptr;
    const slurmdb_assoc_rec_t* root = nullptr; ///< replaced together with the list
    int qos_count = 0;
    std::uint32_t behind_greatest_qos_id = 0;
    char** tres_names = nullptr;

    friend bool operator==(const RecordsState&, const RecordsState&) = default;
};

/// A time within which no record of a QOS was freed and no TRES renamed.
using Epoch = std::uint64_t;
/// Of which nothing is known to have stayed.
inline constexpr Epoch unknown_epoch = 0;

/// Tells one epoch from the next.
/// Threads: internally locked.
class Epochs {
  public:
    using Clock = std::chrono::steady_clock;

    /// The epoch of this moment; unknown where the state is. A new one begins where the state is another, and
    /// every second: a controller that gives up its duties and takes them over again, or a database that
    /// hands out an id anew after its restart, needs longer.
    [[nodiscard]] Epoch enter(const std::optional<RecordsState>& state, Clock::time_point now = Clock::now());

  private:
    std::mutex mutex_;
    std::optional<RecordsState> state_;
    Clock::time_point begin_;
    Epoch epoch_ = unknown_epoch;
};

} // namespace qg::plugin
