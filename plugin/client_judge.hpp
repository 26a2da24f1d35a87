// SPDX-License-Identifier: GPL-2.0-or-later
//
// Judges a job inside sbatch, salloc, srun or scrontab, before it is sent: by the rules that this host has,
// and by what slurmctld tells this user.
#pragma once

#include "client_answer.hpp"
#include "client_options.hpp"

#include <chrono>
#include <functional>
#include <string_view>

namespace qg::plugin {

/// How long a client waits for an answer, until the site's own setting is known.
inline constexpr std::chrono::milliseconds default_client_timeout{300};

struct ClientCommand {
    std::string_view name; ///< "sbatch", "salloc", "srun" or "scrontab"
    int part = 0;          ///< of a heterogeneous job
};

/// Judges. `allow` is called with the site's own time. Cost: blocking RPCs; run it in a process of its own.
ClientAnswer judge_client_job(ClientOptions options, const ClientCommand& command,
                              const std::function<void(std::chrono::milliseconds)>& allow);

} // namespace qg::plugin
