// SPDX-License-Identifier: GPL-2.0-or-later
//
// RecordsCache: caches look-ups in slurmctld's records between jobs. Slurm does not tell plugins when records
// change, and a new look-up costs a walk over all QOSs and users and a comparison of all TRES names.
#pragma once

#include "qosgate/base/published.hpp"
#include "qosgate/base/read_clock.hpp"
#include "qosgate/model/tres.hpp"
#include "qosgate/slurm/compat.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

namespace qg::plugin {

/// Values that show whether slurmctld still has the same records.
///
/// slurmctld frees the record of a QOS when the QOS is deleted or the list is replaced (Slurm's assoc_mgr.c,
/// 22.05 to 26.05). A deletion makes the list shorter. An addition makes it longer and uses a new id, which
/// raises the number after the highest id. So if length and that number are unchanged, nothing was deleted.
/// When a TRES name changes, slurmctld makes a new array of names before it frees the old one.
struct RecordsState {
    slurm::ListHandle qos_list = nullptr;
    const slurmdb_assoc_rec_t* root = nullptr; ///< replaced together with the list
    int qos_count = 0;
    std::uint32_t after_max_qos_id = 0;
    char** tres_names = nullptr;

    friend bool operator==(const RecordsState&, const RecordsState&) = default;
};

/// A period in which no record of a QOS was freed and no TRES was renamed.
using Generation = std::uint64_t;
/// No generation: cached pointers are invalid.
inline constexpr Generation no_generation = 0;

/// Threads: any that hold slurmctld's locks on the records; internally locked if that is not enough.
class RecordsCache {
  public:
    using Clock = CoarseClock;

    /// The present generation; `no_generation` if the state is not known. A new generation begins when the
    /// state changes, and every second: a controller that gives up its duties and takes them over again, or a
    /// database that assigns an id again after its restart, needs longer than that.
    [[nodiscard]] Generation generation(const std::optional<RecordsState>& state,
                                        Clock::time_point now = Clock::now());

    struct CachedQos {
        const slurmdb_qos_rec_t* record = nullptr; ///< null: none
        bool is_current = false;                   ///< otherwise its members must not be read
    };
    /// The cached address of a QOS, by a hash of the search key. Two QOSs in the same slot replace each
    /// other.
    [[nodiscard]] CachedQos find_qos(std::uint32_t hash, Generation now) const noexcept {
        const Slot& slot = slots_[hash % slot_count];
        // Load the generation before the record: a newer record is current, too.
        const Generation seen = slot.generation.load(std::memory_order_acquire);
        return {slot.record.load(std::memory_order_relaxed), seen == now && now != no_generation};
    }
    /// Caches a record that is on the list now.
    void remember_qos(std::uint32_t hash, const slurmdb_qos_rec_t* record, Generation now) noexcept {
        Slot& slot = slots_[hash % slot_count];
        slot.record.store(record, std::memory_order_relaxed);
        slot.generation.store(now, std::memory_order_release);
    }

    /// The catalogue of these TRES names, slurmctld's present ones.
    [[nodiscard]] std::shared_ptr<const model::TresCatalogue> tres(Generation now, std::span<char*> names);

    /// A user's default account as it was last found. It may have changed meanwhile; its association then
    /// shows that. Only users that were found are cached. They are never removed, but there are not many.
    [[nodiscard]] std::optional<std::string> find_default_account(std::uint32_t user_id) const;
    void remember_default_account(std::uint32_t user_id, const std::string& account);

  private:
    struct Slot {
        std::atomic<const slurmdb_qos_rec_t*> record = nullptr;
        std::atomic<Generation> generation = no_generation;
    };
    static constexpr std::size_t slot_count = 4096; // several times what large sites have

    std::mutex generation_mutex_;
    std::optional<RecordsState> state_;
    Clock::time_point begin_;
    Generation generation_ = no_generation;

    std::array<Slot, slot_count> slots_{};

    Published<model::TresCatalogue> tres_;                    ///< made again if the names change
    std::atomic<Generation> tres_generation_ = no_generation; ///< in which they were last compared

    mutable std::mutex accounts_mutex_;
    std::unordered_map<std::uint32_t, std::string> default_accounts_; ///< by user id
};

} // namespace qg::plugin
