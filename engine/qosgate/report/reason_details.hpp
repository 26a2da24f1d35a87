// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reason details: the jobs, times, reservations and nodes behind a Reason that does not come from a limit;
// and the names by which people ask for jobs, which squeue and dependencies show.
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/model/queued_job.hpp"

#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::report {

/// Whether reservations and nodes are needed to explain the job.
bool needs_obstacles(const model::QueuedJob& job);

/// Whether the job waits for nodes that are down, drained or reserved.
bool waits_for_unavailable_nodes(const model::QueuedJob& job);

/// Lines about a Reason of the job; the first ten of each kind. `queue` are all jobs that the reader may see.
/// Reservations and nodes are told that lie on nodes which the job may get: of its partitions, with its
/// features, not excluded. What is not known of a node of `cluster` leaves nothing out.
/// Cost: linear in the queue for each job that it depends on, of which at most ten are told.
std::vector<std::string> details_of(std::string_view reason, const model::QueuedJob& job,
                                    std::span<const model::QueuedJob> queue,
                                    const model::Obstacles& obstacles, const model::Cluster& cluster,
                                    std::time_t now);

/// Whether the name means the job: "1234" all of an array or a heterogeneous job, "1234_5" and "1234_[6-9]"
/// the tasks, "1234+1" the part. Tasks that are still together are meant by each of them.
bool is_meant(const model::QueuedJob& job, std::string_view name);

} // namespace qg::report
