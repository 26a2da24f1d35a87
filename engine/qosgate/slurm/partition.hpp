// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurm_load_partitions(), slurm_load_node() and slurm_load_ctl_conf() answer, as a model::Cluster.
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/model/partition.hpp"

#include <slurm/slurm.h>

#include <cstdint>
#include <span>

namespace qg::slurm {

/// One partition. `nodes` are the cluster's nodes in the order that partition_info_t::node_inx counts;
/// without them, or in a partition without nodes, the memory and sockets of its first node stay unknown.
model::Partition read_partition(const partition_info_t& partition, std::span<const node_info_t> nodes);

/// All partitions. `nodes` may be null (not known yet).
model::PartitionTable read_partitions(const partition_info_msg_t& partitions, const node_info_msg_t* nodes,
                                      std::uint64_t generation);

/// EnforcePartLimits of slurm.conf; a number this release does not define counts as `no`.
model::EnforcePartLimits read_enforce_part_limits(std::uint16_t value) noexcept;

/// PriorityFlags of slurm.conf, as far as they say how jobs are billed.
model::Billing read_billing(std::uint16_t priority_flags) noexcept;

/// A cluster with these partitions and the lines of slurm.conf that matter. `conf` and `nodes` may be null:
/// then what they say stays at Slurm's defaults.
model::Cluster read_cluster(const partition_info_msg_t& partitions, const node_info_msg_t* nodes,
                            const slurm_conf_t* conf, std::uint64_t generation);

} // namespace qg::slurm
