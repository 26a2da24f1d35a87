// SPDX-License-Identifier: GPL-2.0-or-later
//
// What qosgate and its module inside sbatch (sbatch_module.cpp) agree on: variables of the environment.
#pragma once

namespace qg::cli {

inline constexpr const char* sbatch_pipe_variable = "QOSGATE_SBATCH_PIPE"; ///< a file descriptor
/// The user's own values of variables that are others while sbatch starts.
inline constexpr const char* sbatch_conf_variable = "QOSGATE_SBATCH_SLURM_CONF";
inline constexpr const char* sbatch_preload_variable = "QOSGATE_SBATCH_LD_PRELOAD";

} // namespace qg::cli
