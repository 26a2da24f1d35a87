// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes the changes of the rules back into Slurm's job description.
#pragma once

#include "qosgate/model/job_request.hpp"

#include <slurm/slurm.h>

namespace qg::plugin {

/// Writes the fields in which `changed` differs from `original`; all others keep what the client sent,
/// spelling included. A field that became unset is written as Slurm's "not given". The job's owner, and how
/// the job was submitted, cannot be changed. Ownership: texts are Slurm's, see host_alloc.hpp.
void write_changes(job_desc_msg_t& description, const model::JobRequest& original,
                   const model::JobRequest& changed);

/// Names what slurmctld derives from --ntasks-per-gpu: the GPUs where `request`, the whole description, names
/// none, or else the tasks on each node where it counts GPUs per node. The job gets the same, and its record
/// shows them from then on (slurm/README.md 2.4). Ownership: as above.
void name_gpus_of_tasks(job_desc_msg_t& description, const model::JobRequest& request);

} // namespace qg::plugin
