// SPDX-License-Identifier: GPL-2.0-or-later
//
// The partitions a job may run in. The first that it names gives the job its defaults; the scheduler tries
// those of a higher tier first.
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"

#include <memory>
#include <string>
#include <vector>

namespace qg::gate {

struct PartitionList {
    std::vector<std::shared_ptr<const model::Partition>> partitions; ///< as named
    std::vector<std::string> unknown;                                ///< names that no partition has
};

/// The partitions of the request, or the default one. Empty where the request names none and there is no
/// default.
PartitionList find_partitions(const model::JobRequest& request, const model::Cluster& cluster);

/// From here on a submission, too, meets the partitions in the order in which they are tried.
inline constexpr limits::Release sorts_partitions_at_submission(24, 11, 0);

/// The indices of the partitions in the order in which they are tried.
std::vector<std::size_t> by_tier(const std::vector<model::PartitionChoice>& partitions);

} // namespace qg::gate
