// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a verdict needs to know of the cluster as a whole: its partitions and a few lines of slurm.conf.
#pragma once

#include "qosgate/model/known_names.hpp"
#include "qosgate/model/partition.hpp"

#include <cstdint>
#include <optional>

namespace qg::model {

/// EnforcePartLimits of slurm.conf (limits/README.md 8.3).
enum class EnforcePartLimits : std::uint8_t { no, any, all };

/// How the weighted TRES of a job make up its billing: PriorityFlags of slurm.conf. What belongs to nodes is
/// cpu, mem, node and gres.
enum class Billing : std::uint8_t {
    sum,
    largest,         ///< MAX_TRES: of what belongs to nodes only the largest
    largest_and_gres ///< MAX_TRES_GRES (25.05): the same, but all gres
};

/// One snapshot of the cluster. Immutable once published; `generation` is that of its partition table.
struct Cluster {
    PartitionTable partitions;
    std::optional<Memory> default_memory; ///< DefMemPerNode, DefMemPerCPU of the cluster
    EnforcePartLimits enforce_part_limits = EnforcePartLimits::no;
    Billing billing = Billing::sum;
    std::uint32_t max_array_size = 1001;
    bool usage_lasts = false; ///< PriorityDecayHalfLife=0 and PriorityUsageResetPeriod=NONE
    std::uint32_t slurm_user_id = 0;
    std::optional<KnownNames> names; ///< nothing: not known
};

} // namespace qg::model
