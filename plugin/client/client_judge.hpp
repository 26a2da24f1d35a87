// SPDX-License-Identifier: GPL-2.0-or-later
//
// Judges a job inside sbatch, salloc, srun or scrontab, before it is sent: by the rules that this host has,
// and by what slurmctld tells this user.
#pragma once

#include "client/child_process.hpp"
#include "client/client_answer.hpp"
#include "client/client_job.hpp"
#include "client/client_options.hpp"

#include <chrono>
#include <string_view>

namespace qg::plugin {

/// How long a client waits for an answer, until the site's own setting is known.
inline constexpr std::chrono::milliseconds default_client_timeout{300};

/// Judges: first by the rules for clients, whose answer it sends at once, then by limits and the rules for
/// jobs, unless `why_no_limits` says why not (empty: judge). `line` gets the site's own time. Cost: blocking
/// RPCs; run it in a process of its own.
ClientAnswer judge_client_job(ClientOptions options, const ClientCommand& command,
                              std::string_view why_no_limits, ChildLine& line);

} // namespace qg::plugin
