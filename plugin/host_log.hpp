// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines for slurmctld's log. Slurm's log functions are printf-like with extensions of their own, so no text
// of ours or of a user is ever the format.
#pragma once

#include <slurm/spank.h>

namespace qg::plugin {

inline void log_info(const char* line) noexcept {
    slurm_info("job_submit/qosgate: %s", line);
}

inline void log_error(const char* line) noexcept {
    slurm_error("job_submit/qosgate: %s", line);
}

} // namespace qg::plugin
