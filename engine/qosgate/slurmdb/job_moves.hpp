// SPDX-License-Identifier: GPL-2.0-or-later
//
// Moves pending jobs to another QOS, before theirs is deleted.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurmdb/connection.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace qg::slurmdb {

/// A job, and the QOSs that it asks for before and after.
struct JobMove {
    std::uint32_t job;
    std::string from;
    std::string to;
};

/// The pending jobs of these QOSs of the cluster that slurm.conf names. slurmctld moves no job that has
/// started (seen on 22.05), so one of those is an error. Errors: conflict (jobs that have started),
/// unavailable.
Result<std::vector<JobMove>> find_moves(const Session& session, std::span<const std::string> from,
                                        const std::string& to);

/// Moves the pending jobs of these QOSs to the QOS `to`: all of them or none.
/// Errors: those of find_moves(); conflict: a job that slurmctld refuses to move, with its reason, or jobs
/// that keep coming. After an error all jobs are where they were, or the message names those that are not.
Result<std::vector<JobMove>> move_jobs(const Session& session, std::span<const std::string> from,
                                       const std::string& to);

/// Moves them back, as far as slurmctld lets them go. Returns those that stay.
std::vector<JobMove> move_back(const Session& session, std::span<const JobMove> moves);

} // namespace qg::slurmdb
