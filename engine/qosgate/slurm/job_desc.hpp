// SPDX-License-Identifier: GPL-2.0-or-later
//
// A job description as Slurm's clients send it, as a JobRequest. Any field may contain any value: clients
// other than sbatch leave most fields unset, and slurmctld has validated few of them before it calls a
// plugin.
#pragma once

#include "qosgate/model/job_request.hpp"
#include "qosgate/model/job_update.hpp"

#include <slurm/slurm.h>

#include <cstdint>

namespace qg::slurm {

/// The job that `description` asks for, as slurmctld hands it to a plugin (it sets het_job_offset
/// beforehand). NO_VAL, INFINITE (unless it is a limit), null and empty texts are unset. Ownership:
/// copied, but for submit_line, excluded_nodes and details, which borrow the description. Cost: allocates for
/// texts longer than 15 bytes; reads each text only up to the length in job_field_members.hpp, so that no
/// request can delay slurmctld. A longer text is not read.
model::JobRequest read_job_desc(const job_desc_msg_t& description, std::uint32_t submit_uid);

/// What a change sets, as far as rules or limits may look at it. Cost: reads no text.
model::UpdateParts parts_of_update(const job_desc_msg_t& update) noexcept;

/// The job `current`, as slurmctld copies it from its records. A priority that slurmctld computed counts as
/// unset.
model::JobRequest read_job_record(const job_desc_msg_t& current, std::uint32_t submit_uid);

/// The same job after `update`: unset fields of the update leave the job's value, and an empty text removes
/// it.
model::JobRequest read_job_update(const job_desc_msg_t& current, const job_desc_msg_t& update,
                                  std::uint32_t submit_uid);

/// The complete change of the job `current` by `submit_uid`: both of the above, which fields the change
/// names, and what slurmctld may make of it otherwise (stored_parts.hpp).
model::JobUpdate read_update(const job_desc_msg_t& current, const job_desc_msg_t& update,
                             std::uint32_t submit_uid);

} // namespace qg::slurm
