// SPDX-License-Identifier: GPL-2.0-or-later
//
// The job that a command line of sbatch would submit, made by sbatch itself.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurm/job_desc_copy.hpp"

#include <span>
#include <string>
#include <vector>

namespace qg::cli {

/// Runs sbatch with these words ("sbatch", "--qos=debug", "job.sh") up to the moment when it would submit the
/// job. sbatch runs as the caller: its own options, the script's #SBATCH lines, SBATCH_* variables and the
/// site's cli_filter count as always, standard input may be the script, and its messages go to standard
/// error. Nothing is submitted. One description, or those of a heterogeneous job, in order.
/// Errors: invalid_input if sbatch itself refuses the command line (it has said why), or asks for something
/// else than a job; unavailable if there is no sbatch; unsupported if this sbatch cannot be asked so.
/// Cost: blocking; as long as sbatch takes without slurmctld.
Result<std::vector<slurm::JobDescCopy>> ask_sbatch(std::span<const std::string> words);

} // namespace qg::cli
