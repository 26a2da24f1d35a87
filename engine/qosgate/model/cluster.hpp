// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a verdict needs to know of the cluster as a whole: its partitions and a few lines of slurm.conf.
#pragma once

#include "qosgate/model/partition.hpp"

#include <cstdint>
#include <optional>

namespace qg::model {

/// EnforcePartLimits of slurm.conf (limits.md 4.3).
enum class EnforcePartLimits : std::uint8_t { no, any, all };

/// One snapshot of the cluster. Immutable once published; `generation` is that of its partition table.
struct Cluster {
    PartitionTable partitions;
    std::optional<Memory> default_memory; ///< DefMemPerNode, DefMemPerCPU of the cluster
    EnforcePartLimits enforce_part_limits = EnforcePartLimits::no;
    std::uint32_t max_array_size = 1001;
};

} // namespace qg::model
