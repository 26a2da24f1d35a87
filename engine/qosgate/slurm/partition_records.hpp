// SPDX-License-Identifier: GPL-2.0-or-later
//
// Converts the answers of slurm_load_partitions(), slurm_load_node() and slurm_load_ctl_conf() to a
// model::Cluster.
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/model/partition.hpp"

#include <slurm/slurm.h>

#include <cstdint>
#include <span>

namespace qg::slurm {

/// One partition. `nodes` are the cluster's nodes, in the order of the indices in partition_info_t::node_inx.
/// Without them, or in a partition without nodes, the memory of its first node stays unknown.
model::Partition read_partition(const partition_info_t& partition, std::span<const node_info_t> nodes);

/// All partitions. `nodes` may be null (not known yet).
model::PartitionTable read_partitions(const partition_info_msg_t& partitions, const node_info_msg_t* nodes);

/// EnforcePartLimits of slurm.conf; a number that this release does not define counts as `no`.
model::EnforcePartLimits read_enforce_part_limits(std::uint16_t value) noexcept;

/// SelectTypeParameters of slurm.conf: what of a node is allocated.
model::AllocatedUnit read_allocated_unit(std::uint16_t select_type_param) noexcept;

/// The PriorityFlags of slurm.conf that determine how jobs are billed.
model::Billing read_billing(std::uint16_t priority_flags) noexcept;

/// A cluster with these partitions and the relevant settings of slurm.conf. `conf` and `nodes` may be null:
/// then Slurm's defaults are used.
model::Cluster read_cluster(const partition_info_msg_t& partitions, const node_info_msg_t* nodes,
                            const slurm_conf_t* conf);

} // namespace qg::slurm
