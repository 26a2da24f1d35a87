// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the comparison asks of a live slurmctld, over its public RPCs only.
// Errors: every function throws std::runtime_error where slurmctld does not answer.
#pragma once

#include "job_description.hpp"

#include <cstdint>
#include <list>
#include <string>
#include <vector>

namespace qg::test {

/// slurmctld's answer to a submission.
struct Answer {
    int error = 0;            ///< the Slurm error of a refusal
    std::uint32_t job_id = 0; ///< 0: refused
    std::string message;      ///< all lines that a user would have read
};

/// What slurmctld shows of a job.
struct JobState {
    std::string state;     ///< "PENDING", "RUNNING", or any other by its number
    std::string reason;    ///< the Reason token
    std::string partition; ///< the partition in which it runs, or all in which it may run
    std::string qos;
    std::uint32_t time_limit = 0;
};

/// Submits as sbatch or salloc do; does not wait for an allocation.
Answer submit(JobDescription& job);

/// Submits the parts of a heterogeneous job as sbatch does. The id is that of the first part.
Answer submit_together(std::list<JobDescription>& parts);

JobState look_at(std::uint32_t job_id);

/// Gives a running job another time limit, in minutes.
void set_time_limit(std::uint32_t job_id, std::uint32_t minutes);

/// Ends all jobs, and waits until none is left, also on nodes.
void end_all_jobs();

/// Ends one job, with all its parts, and waits until its nodes are free again.
void end_job(std::uint32_t job_id);

/// Waits until the backfill scheduler has tried every job that is pending now. `bait` is a job that it tries,
/// too, and can never start: without any job to try, backfill would make and count no pass.
void await_scheduling_pass(const nlohmann::json& bait);

/// Submits a job that stays held.
Answer submit_held(nlohmann::json job);

/// Changes a partition. Keys as scontrol's, in lower case with underscores; texts and numbers.
void update_partition(const std::string& name, const nlohmann::json& settings);

/// Fills all free CPUs of the nodes with allocations. `filler` says whose they are.
void fill_nodes(const nlohmann::json& filler, const std::vector<std::string>& nodes);

} // namespace qg::test
