// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurm.jobs of scripts for job_submit/lua: jobs with the names and numbers of Slurm's plugin. That plugin
// reads slurmctld's records; job_info_t, which the RPC tells, has some of their values always, some only in
// some states of the job, and some never.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/script_value.hpp"

#include <slurm/slurm.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <set>
#include <string>

namespace qg::slurm {

/// Names that a script mentions.
using MentionedNames = std::set<std::string, std::less<>>;

/// Bounds on what is kept of jobs.
struct JobBoundsForScripts {
    std::size_t jobs = 100'000;
    std::size_t bytes = std::size_t{64} << 20u;
};

/// The mentioned fields of all jobs, in the order of their ids; the names of the others are in `unread`.
/// Errors: limit_exceeded.
Result<model::ScriptRecords> read_script_jobs(const job_info_msg_t& jobs, const MentionedNames& mentioned,
                                              const JobBoundsForScripts& bounds = {});

/// Where the job is in what read_script_jobs() returned; empty: there is none. Cost: log n.
std::optional<std::size_t> find_script_job(const model::ScriptRecords& jobs, std::uint32_t job_id);

/// The same of all jobs that slurmctld has. Empty: nothing has changed since `newer_than`, which becomes the
/// time of the answer. Errors: unavailable, with Slurm's error text; limit_exceeded. Cost: one RPC, blocking
/// up to MessageTimeout; slurmctld holds its read locks on jobs meanwhile, and the answer takes some KiB of
/// memory for each job.
Result<std::optional<model::ScriptRecords>> load_script_jobs(const MentionedNames& mentioned,
                                                             std::time_t& newer_than,
                                                             const JobBoundsForScripts& bounds = {});

/// Whether PrivateData hides some jobs, partitions or reservations, which slurmctld shows its script, from
/// those who are no operators. Errors: unavailable, with Slurm's error text. Cost: one RPC, blocking.
Result<bool> hides_records_of_scripts();

} // namespace qg::slurm
