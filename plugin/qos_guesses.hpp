// SPDX-License-Identifier: GPL-2.0-or-later
//
// QosGuesses: where QOSs were found last time, since slurmctld keeps them in one list that every look walks.
#pragma once

#include "qosgate/slurm/compat.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace qg::plugin {

/// What tells whether slurmctld's list of QOSs still holds the records of before.
///
/// A record is freed where its QOS is deleted, or the list replaced (Slurm's assoc_mgr.c, 22.05 to 26.05).
/// Who deletes makes the list shorter; who adds makes it longer, and has an id that no QOS ever had, which
/// raises the number behind the greatest. So where length and that number are as before, nothing was deleted.
struct QosListState {
    slurm::ListHandle list = nullptr;
    const slurmdb_assoc_rec_t* root = nullptr; ///< replaced together with the list
    int length = 0;
    std::uint32_t behind_greatest_id = 0;

    friend bool operator==(const QosListState&, const QosListState&) = default;
};

/// Where QOSs were found, by a hash of what was looked for. Two that share a slot forget each other.
/// Threads: any that hold the qos lock; a slot is read and written whole.
class QosGuesses {
  public:
    using Clock = std::chrono::steady_clock;

    /// A time within which no record was freed.
    using Epoch = std::uint64_t;
    /// Of which nothing is known to be alive.
    static constexpr Epoch unknown = 0;

    /// The epoch of this moment; `unknown` where the state is. A new one begins where the state is another,
    /// and every second: a controller that gives up its duties and takes them over again, or a database that
    /// hands out an id anew after its restart, needs longer.
    [[nodiscard]] Epoch enter(const std::optional<QosListState>& state, Clock::time_point now = Clock::now());

    struct Guess {
        const slurmdb_qos_rec_t* record = nullptr; ///< null: none
        bool is_alive = false;                     ///< else it may not be looked into
    };
    [[nodiscard]] Guess find(std::uint32_t hash, Epoch now) const noexcept {
        const Slot& slot = slots_[hash % slot_count];
        // In this order: a record that is younger than its epoch is alive, too.
        const Epoch seen = slot.epoch.load(std::memory_order_acquire);
        return {slot.record.load(std::memory_order_relaxed), seen == now && now != unknown};
    }

    /// Remembers a record that is on the list now.
    void remember(std::uint32_t hash, const slurmdb_qos_rec_t* record, Epoch now) noexcept {
        Slot& slot = slots_[hash % slot_count];
        slot.record.store(record, std::memory_order_relaxed);
        slot.epoch.store(now, std::memory_order_release);
    }

  private:
    struct Slot {
        std::atomic<const slurmdb_qos_rec_t*> record = nullptr;
        std::atomic<Epoch> epoch = unknown;
    };
    static constexpr std::size_t slot_count = 4096; // some times what large sites have
    std::array<Slot, slot_count> slots_{};

    std::mutex mutex_;
    std::optional<QosListState> state_;
    Clock::time_point begin_;
    Epoch epoch_ = unknown;
};

} // namespace qg::plugin
