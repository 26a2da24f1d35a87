// SPDX-License-Identifier: GPL-2.0-or-later
//
// Changes of a pending job with which limits and partitions let it start now.
#pragma once

#include "job/waiting_job.hpp"

#include "qosgate/limits/violation.hpp"

#include <span>
#include <string>
#include <vector>

namespace qg::cli {

/// Command lines of scontrol, at most one each for the time limit, the size, the QOS, the partition and the
/// account. Each is accepted by slurmctld from the job's owner, and with it no limit and no partition keeps
/// the job from starting, as far as the engine knows. None if the engine does not count the job as slurmctld
/// does, or does not find the Reason that squeue shows. Cost: at most 40 forecasts for the size, and some for
/// each QOS, partition and account of the user.
std::vector<std::string> find_helpful_changes(const model::QueuedJob& job, const QueueContext& context,
                                              std::span<const limits::Violation> blocking);

} // namespace qg::cli
