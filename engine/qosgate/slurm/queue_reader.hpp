// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads slurmctld's queue over its public RPCs.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/queued_job.hpp"

#include <slurm/slurm.h>

#include <chrono>
#include <optional>
#include <vector>

namespace qg::slurm {

struct Queue {
    std::vector<model::QueuedJob> jobs; ///< in slurmctld's order
    /// How often slurmctld takes from the minutes of running jobs what they have used (PriorityCalcPeriod).
    /// Empty: when they end.
    std::optional<std::chrono::seconds> usage_step;
    bool hides_jobs = false; ///< PrivateData hides jobs of other users from callers that are not operators
};

/// One record of the queue. Ownership: everything is copied.
model::QueuedJob read_queued_job(const slurm_job_info_t& record);

/// The jobs that slurmctld shows the caller. Errors: unavailable, with Slurm's error text. Cost: two RPCs;
/// the size of the answer grows with the number of jobs.
Result<Queue> read_queue();

/// The places that a record takes in slurmctld's table of jobs: each pending task of an array takes one.
std::uint64_t places_of(const slurm_job_info_t& record);

/// slurmctld's table of jobs. Errors and cost: as read_queue().
Result<model::JobTable> read_job_table();

/// The reservations and stopped nodes that slurmctld shows the caller. Errors: as above. Cost: three RPCs.
Result<model::Obstacles> read_obstacles();

} // namespace qg::slurm
