// SPDX-License-Identifier: GPL-2.0-or-later
//
// The fewest nodes that hold a job, and the minimum that whole ones have (limits/README.md 6.3).
#pragma once

#include "qosgate/gate/nodes/known_nodes.hpp"
#include "qosgate/gate/size/gres_request.hpp"
#include "qosgate/gate/size/job_size.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/partition.hpp"
#include "qosgate/model/tres.hpp"

#include <cstdint>

namespace qg::gate {

/// Whether it is known what a job that takes whole nodes counts in a partition, whichever slurmctld selects:
/// all nodes have the same resources, and the job has a number of nodes and no range.
[[nodiscard]] bool knows_whole_nodes(const model::JobRequest& request, const model::Partition& partition,
                                     const model::Cluster& cluster);

/// What the nodes of a job have.
struct WholeNodes {
    std::uint64_t cpus = 0;
    std::uint64_t cpus_with_memory = 0; ///< those for which memory per CPU counts
    std::uint64_t memory_mib = 0;       ///< 0: not known
    model::TresCounts gres;             ///< by TRES; 0 for all others
};

/// The minimum that the job's nodes have, whichever nodes slurmctld selects. The job may have `min_nodes` to
/// `max_nodes` nodes. Cost: that of PossibleNodes for each TRES that is a gres.
WholeNodes min_whole_nodes(const model::JobRequest& request, const model::Partition& partition,
                           const model::Cluster& cluster, const NamedNodes& named, std::uint64_t min_nodes,
                           std::uint64_t max_nodes, const model::TresCatalogue& catalogue);

/// The fewest nodes of the partition that hold the tasks, the CPUs and the gres of a job, were they free; 1
/// if its nodes are not known, or do not hold it at all. --nodelist and --exclude are not looked at. Cost:
/// that of PossibleNodes.
[[gnu::cold]] std::uint64_t fewest_nodes(const model::JobRequest& request, const JobSize& size,
                                         const GresRequest& gres, const model::Partition& partition,
                                         const model::Cluster& cluster);

} // namespace qg::gate
