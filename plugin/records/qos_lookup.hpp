// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurmctld's list of QOSs.
#pragma once

#include "qosgate/quota/choose_qos.hpp"
#include "records/records_cache.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qg::plugin {

/// Finds QOSs. Within a generation a cached pointer is valid. Otherwise the list is first searched for the
/// cached address: a record on the list is alive, and comparing addresses does not read the other records,
/// which is most of a walk's cost. Ownership: borrows. Threads: needs the qos lock.
class QosList {
  public:
    /// `generation` is the present one.
    QosList(slurm::ListHandle list, RecordsCache& cache, Generation generation)
        : list_(list), cache_(cache), generation_(generation) {}

    /// The QOS with that name, ASCII case ignored, or null. Cost: at most two walks, none if cached.
    [[nodiscard]] const slurmdb_qos_rec_t* find(std::string_view name) const;

    /// The QOS with that id, or null. Cost: the same.
    [[nodiscard]] const slurmdb_qos_rec_t* find(std::uint32_t id) const;

    /// The names of the QOSs that the association may use. Cost: walks the whole list.
    [[nodiscard]] std::vector<std::string> permitted_names(const quota::QosDirectory& directory) const;

  private:
    template <typename Matches>
    const slurmdb_qos_rec_t* find(std::uint32_t hash, Matches matches) const;

    slurm::ListHandle list_;
    RecordsCache& cache_;
    Generation generation_;
};

} // namespace qg::plugin
