// SPDX-License-Identifier: GPL-2.0-or-later
//
// What qosgate and its module inside Slurm's clients (client_module.cpp) agree on: variables of the
// environment.
#pragma once

namespace qg::cli {

inline constexpr const char* client_pipe_variable = "QOSGATE_CLIENT_PIPE"; ///< a file descriptor
/// The user's own values of variables that are others while the client starts.
inline constexpr const char* client_conf_variable = "QOSGATE_CLIENT_SLURM_CONF";
inline constexpr const char* client_preload_variable = "QOSGATE_CLIENT_LD_PRELOAD";

} // namespace qg::cli
