// SPDX-License-Identifier: GPL-2.0-or-later
//
// The details of a job (model/job_details.hpp) in Slurm's job descriptions.
#pragma once

#include "qosgate/model/job_details.hpp"
#include "qosgate/model/update_parts.hpp"

#include <slurm/slurm.h>

namespace qg::slurm {

/// Of a submission. Ownership: borrows the description, which must outlive the details.
model::JobDetails details_of_submission(const job_desc_msg_t& description) noexcept;

/// Of a job that slurmctld copied from its records; with `update`, as the job would be after this change. The
/// copy has no script that can be read, and no place in a heterogeneous job. Ownership: as above, of both.
model::JobDetails details_of_record(const job_desc_msg_t& job,
                                    const job_desc_msg_t* update = nullptr) noexcept;

/// The details that a change sets. Cost: reads no text.
model::UpdateParts parts_of_details(const job_desc_msg_t& update) noexcept;

} // namespace qg::slurm
