// SPDX-License-Identifier: GPL-2.0-or-later
//
// Job descriptions under test.
#pragma once

#include <slurm/slurm.h>

#include <cstdint>

namespace qg::test {

inline constexpr std::uint32_t submitter = 77;

/// What a client sends that sets nothing.
inline job_desc_msg_t unset_job() {
    job_desc_msg_t job;
    slurm_init_job_desc_msg(&job);
    job.het_job_offset = NO_VAL; // as slurmctld does for a job that is no part of another
    job.user_id = 1000;
    return job;
}

} // namespace qg::test
