// SPDX-License-Identifier: GPL-2.0-or-later
//
// The gate's reject codes as Slurm's error codes: the return values of job_submit() and job_modify().
#pragma once

#include "qosgate/model/decision.hpp"

#include <string>

namespace qg::slurm {

/// What a plugin returns; SLURM_SUCCESS for `none`. Only `try_again` is a code that a client reads as "try
/// again": with EAGAIN, ESLURM_NODES_BUSY and the like, sbatch sleeps and submits the job again, up to 15
/// times.
int to_slurm_error(model::RejectCode code) noexcept;

/// The text that sbatch prints for such a code: "Job violates accounting/QOS policy …".
std::string describe_slurm_error(model::RejectCode code);
/// The same for a code of Slurm.
std::string describe_slurm_error(int code);

/// Slurm's texts for a job to which a partition is closed (gate/partitions/closed_partitions.hpp): for
/// ESLURM_JOB_MISSING_REQUIRED_PARTITION_GROUP and ESLURM_PARTITION_NOT_AVAIL.
std::string describe_missing_group();
std::string describe_unavailable_partition();

} // namespace qg::slurm
