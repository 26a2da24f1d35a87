// SPDX-License-Identifier: GPL-2.0-or-later
//
// The gate's reject codes as Slurm's error codes: the return values of job_submit() and job_modify().
#pragma once

#include "qosgate/model/decision.hpp"

namespace qg::slurm {

/// What a plugin returns; SLURM_SUCCESS for `none`. Never a code that a client reads as "try again": with
/// EAGAIN, ESLURM_NODES_BUSY and the like, sbatch sleeps and submits the refused job again.
int to_slurm_error(model::RejectCode code) noexcept;

} // namespace qg::slurm
