// SPDX-License-Identifier: GPL-2.0-or-later
//
// QosGuesses: where QOSs were found last time, since slurmctld keeps them in one list that every look walks.
#pragma once

#include "epochs.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace qg::plugin {

/// Where QOSs were found, by a hash of what was looked for. Two that share a slot forget each other.
/// Threads: any that hold the qos lock; a slot is read and written whole.
class QosGuesses {
  public:
    struct Guess {
        const slurmdb_qos_rec_t* record = nullptr; ///< null: none
        bool is_alive = false;                     ///< else it may not be looked into
    };
    [[nodiscard]] Guess find(std::uint32_t hash, Epoch now) const noexcept {
        const Slot& slot = slots_[hash % slot_count];
        // In this order: a record that is younger than its epoch is alive, too.
        const Epoch seen = slot.epoch.load(std::memory_order_acquire);
        return {slot.record.load(std::memory_order_relaxed), seen == now && now != unknown_epoch};
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
        std::atomic<Epoch> epoch = unknown_epoch;
    };
    static constexpr std::size_t slot_count = 4096; // some times what large sites have
    std::array<Slot, slot_count> slots_{};
};

} // namespace qg::plugin
