// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a verdict needs to know about the cluster as a whole: its partitions and a few settings of slurm.conf.
#pragma once

#include "qosgate/model/known_names.hpp"
#include "qosgate/model/partition.hpp"
#include "qosgate/model/script_value.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace qg::model {

/// EnforcePartLimits of slurm.conf (limits/README.md 8.3).
enum class EnforcePartLimits : std::uint8_t { no, any, all };

/// How a job's billing is computed from its weighted TRES: PriorityFlags of slurm.conf. The TRES of nodes are
/// cpu, mem, node and gres.
enum class Billing : std::uint8_t {
    sum,
    largest,         ///< MAX_TRES: only the largest of the TRES of nodes
    largest_and_gres ///< MAX_TRES_GRES (25.05): the same, but all gres
};

/// One snapshot of the cluster. Immutable once published.
struct Cluster {
    std::string name; ///< ClusterName of slurm.conf
    PartitionTable partitions;
    NodeTable nodes;
    std::optional<Memory> default_memory; ///< DefMemPerNode, DefMemPerCPU of the cluster
    std::optional<Memory> max_memory;     ///< MaxMemPerNode, MaxMemPerCPU; empty: unlimited
    bool shares_out_memory = true;        ///< SelectTypeParameters: memory is allocated to jobs, as CPUs are
    bool gives_whole_nodes = false;       ///< SelectType=select/linear: to every job
    AllocatedUnit allocated_unit = AllocatedUnit::cpu;
    bool gives_cores_to_tasks = false; ///< CR_ONE_TASK_PER_CORE: no core is shared by two tasks of a job
    std::optional<std::uint64_t> cpus_per_gpu;       ///< DefCpuPerGPU of the cluster; empty: not set
    std::optional<std::uint64_t> memory_per_gpu_mib; ///< DefMemPerGPU likewise
    bool allows_spec_resources =
        false; ///< AllowSpecResourcesUsage; else --core-spec and the like count for nothing
    EnforcePartLimits enforce_part_limits = EnforcePartLimits::no;
    Billing billing = Billing::sum;
    std::uint32_t max_array_size = 1001;
    bool usage_lasts = false; ///< PriorityDecayHalfLife=0 and PriorityUsageResetPeriod=NONE
    std::uint32_t slurm_user_id = 0;
    std::optional<KnownNames> names; ///< empty: not known
    ScriptRecords script_partitions; ///< the same partitions, in the same order, as scripts see them
    ScriptRecords script_reservations;
};

/// SelectTypeParameters in one partition, which may be null. slurmctld ignores that of a partition where the
/// cluster allocates CPUs. [L22, S]
[[nodiscard]] inline Selection selection_in(const Partition* partition, const Cluster& cluster) noexcept {
    if (partition != nullptr && partition->selection && cluster.allocated_unit != AllocatedUnit::cpu)
        return *partition->selection;
    return {cluster.allocated_unit, cluster.shares_out_memory};
}

} // namespace qg::model
