// SPDX-License-Identifier: GPL-2.0-or-later
//
// The job that a command line of sbatch, salloc or srun would submit, made by that client itself.
#pragma once

#include "common/client_module.hpp"

#include "qosgate/base/result.hpp"
#include "qosgate/slurm/client_refusal.hpp"
#include "qosgate/slurm/job_desc_copy.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

struct ClientJob {
    /// One description, or those of a heterogeneous job, in order; none if the client refuses the job.
    std::vector<slurm::JobDescCopy> parts;
    /// What qosgate's plugin in the client says, if it refuses the job; nothing if the script
    /// compat/cli_filter.lua refuses it, which says what it likes by itself.
    std::optional<std::vector<slurm::ClientLine>> refusal;
};

/// Runs a client with these words ("sbatch", "--qos=debug", "job.sh") up to the moment when it would submit
/// the job. It runs as the caller: its own options, the script's #SBATCH lines, the client's variables and
/// the site's cli_filter count as always, standard input may be the script, and its messages go to standard
/// error. Nothing is submitted or run. `policy` is the directory whose rules qosgate's plugin in the client
/// runs; empty: the site's.
/// Errors: invalid_input if the client itself refuses the command line (it has said why), or would do
/// something else than submit a job; unavailable if there is no such client; unsupported if it cannot be
/// asked so. Cost: blocking; as long as the client takes without slurmctld.
Result<ClientJob> ask_client(std::span<const std::string> words, const std::filesystem::path& policy);

} // namespace qg::cli
