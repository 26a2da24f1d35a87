// SPDX-License-Identifier: GPL-2.0-or-later
//
// The partitions a job may run in, in the order slurmctld tries them.
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"

#include <memory>
#include <string>
#include <vector>

namespace qg::gate {

struct PartitionList {
    std::vector<std::shared_ptr<const model::Partition>> partitions; ///< by priority tier, highest first
    std::vector<std::string> unknown;                                ///< names that no partition has
};

/// The partitions of the request, or the default one. Empty where the request names none and there is no
/// default.
PartitionList find_partitions(const model::JobRequest& request, const model::Cluster& cluster);

} // namespace qg::gate
