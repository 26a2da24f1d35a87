// SPDX-License-Identifier: GPL-2.0-or-later
//
// A job description as Slurm's clients send it, as a JobRequest. Any field may hold anything: clients other
// than sbatch leave most of it unset, and slurmctld has validated little of it when a plugin sees it.
#pragma once

#include "qosgate/model/job_request.hpp"

#include <slurm/slurm.h>

#include <cstdint>

namespace qg::slurm {

/// The job that `description` asks for, as slurmctld hands it to a plugin (it sets het_job_offset
/// beforehand). NO_VAL, INFINITE where it is no limit, null and empty texts are unset. Ownership: everything
/// is copied. Cost: allocates for texts longer than 15 bytes; looks at no text further than
/// job_desc_fields.hpp says, so that nobody's request can hold slurmctld up. A longer one is left unread.
model::JobRequest read_job_desc(const job_desc_msg_t& description, std::uint32_t submit_uid);

/// Whether a change touches what rules and limits decide about: partition, QOS, account, time, size,
/// nodes named or excluded, reservation, features, preferred ones too, licences. Not names and comments, not
/// the priority, and not what makes the job wait. Cost: reads no text.
bool touches_decision(const job_desc_msg_t& update) noexcept;

/// The job `current`, as slurmctld copies it from its records. A priority that slurmctld computed is none
/// that was asked for.
model::JobRequest read_job_record(const job_desc_msg_t& current, std::uint32_t submit_uid);

/// The same job the way it would be after `update`: an update request in which unset fields stay as they are
/// and an empty text takes the job's value away.
model::JobRequest read_job_update(const job_desc_msg_t& current, const job_desc_msg_t& update,
                                  std::uint32_t submit_uid);

} // namespace qg::slurm
