// SPDX-License-Identifier: GPL-2.0-or-later
//
// The gate's reject codes as return values of job_submit() and job_modify().
#pragma once

#include "qosgate/model/decision.hpp"

namespace qg::plugin {

/// What the plugin returns; SLURM_SUCCESS for `none`. Only codes that no client takes for "try again":
/// EAGAIN, ESLURM_NODES_BUSY and the like make sbatch sleep and repeat a job that will be refused again.
int to_slurm_error(model::RejectCode code) noexcept;

} // namespace qg::plugin
