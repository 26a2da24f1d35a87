// SPDX-License-Identifier: GPL-2.0-or-later
//
// client_job: the request that the options of sbatch, salloc, srun or scrontab make.
#pragma once

#include "client/client_options.hpp"
#include "qosgate/model/job_request.hpp"

#include <optional>
#include <string_view>

namespace qg::plugin {

struct ClientCommand {
    std::string_view name; ///< "sbatch", "salloc", "srun" or "scrontab"
    int part = 0;          ///< of a heterogeneous job
};

/// The request; empty if the options make none. Slurm's description of the job is never freed, and making it
/// may write errors: call it in a process that ends.
std::optional<model::JobRequest> make_request(ClientOptions& options, const ClientCommand& command);

/// Whether the client counts more than is known here.
bool counts_later(const ClientOptions& options, const model::JobRequest& request);

} // namespace qg::plugin
