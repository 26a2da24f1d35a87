// SPDX-License-Identifier: GPL-2.0-or-later
//
// What qosgate and its module inside Slurm's clients (client_module.cpp) agree on: variables of the
// environment, and what the module sends.
#pragma once

#include <array>
#include <string_view>

namespace qg::cli {

/// The clients that can be asked.
inline constexpr std::array<std::string_view, 3> clients{"sbatch", "salloc", "srun"};

inline constexpr std::string_view client_variables_begin = "QOSGATE_CLIENT_";
inline constexpr const char* client_pipe_variable = "QOSGATE_CLIENT_PIPE"; ///< a file descriptor
/// The directory of rules that the client's plugin runs; not set: the site's.
inline constexpr const char* client_policy_variable = "QOSGATE_CLIENT_POLICY";
/// The user's own values of variables that are others while the client starts.
inline constexpr const char* client_conf_variable = "QOSGATE_CLIENT_SLURM_CONF";
inline constexpr const char* client_preload_variable = "QOSGATE_CLIENT_LD_PRELOAD";

/// The first byte on the pipe: behind it come the descriptions of the job's parts, or what the client's
/// plugin says to its refusal.
inline constexpr char client_sends_job = 'j';
inline constexpr char client_refuses_job = 'r';

} // namespace qg::cli
