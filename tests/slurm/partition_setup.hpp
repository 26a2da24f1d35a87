// SPDX-License-Identifier: GPL-2.0-or-later
//
// A partition of two nodes as slurmctld sends it.
#pragma once

#include "qosgate/slurm/partition_records.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace qg::test {

inline std::string name = "main";
inline std::int32_t all_nodes[] = {0, 1, -1};
inline std::int32_t second_node[] = {1, 1, -1};
inline std::int32_t no_nodes[] = {-1};

/// A partition as slurmctld sends one for which slurm.conf sets no limits.
inline partition_info_t plain_partition() {
    partition_info_t partition{};
    partition.name = name.data();
    partition.max_time = INFINITE;
    partition.default_time = NO_VAL;
    partition.max_nodes = INFINITE;
    partition.max_share = 1;
    partition.priority_job_factor = 1;
    partition.node_inx = all_nodes;
    partition.state_up = PARTITION_UP;
    return partition;
}

inline std::vector<node_info_t> two_nodes() {
    std::vector<node_info_t> nodes(2);
    nodes[0].real_memory = 64000;
    nodes[0].mem_spec_limit = 4000;
    nodes[0].sockets = 2;
    nodes[1].real_memory = 128000;
    nodes[1].sockets = 4;
    return nodes;
}

inline model::Partition read(const partition_info_t& partition) {
    return slurm::read_partition(partition, two_nodes());
}

} // namespace qg::test
