// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld adds to a request before it counts and judges it (limits/README.md 6.6): the partition of
// its reservation, the alternate of a closed partition, the nodes between those of a contiguous list.
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"

#include <memory>

namespace qg::gate {

/// As complete(), of a request that may not be.
std::shared_ptr<const model::JobRequest> look_what_is_missing(const model::JobRequest& asked,
                                                              const model::Cluster& cluster);

/// The request as slurmctld completes it when the job gets its partitions; null if it is complete, as is
/// usual. Cost: linear in the request's lists, which are read up to a bound. Threads: pure.
[[nodiscard]] inline std::shared_ptr<const model::JobRequest> complete(const model::JobRequest& asked,
                                                                       const model::Cluster& cluster) {
    const bool may_lack = asked.reservation || asked.required_nodes || cluster.partitions.has_alternates();
    return may_lack ? look_what_is_missing(asked, cluster) : nullptr;
}

/// Whether the job names a reservation and got no partition from its user: a reservation may give it one.
bool may_get_partition_of_reservation(const model::JobRequest& asked);

/// The same of a job that names several: slurmctld takes the partition of one of them without judging it.
bool names_reservations_only(const model::JobRequest& asked);

/// Whether only slurmctld will know the job's partition, when the job starts: the job names several
/// reservations and no partition, and one of them has another partition than that in which the job is judged.
/// Reservations that are not known may have one; false if none is known. Cost and threads: likewise.
bool gets_partition_at_start(const model::JobRequest& asked, const model::Cluster& cluster);

} // namespace qg::gate
