// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines for slurmctld's log. Slurm's log functions are like printf with extensions, so a text of the plugin
// or of a user is never the format.
#pragma once

#include "qosgate/base/log.hpp"
#include "qosgate/base/text.hpp"

#include <slurm/spank.h>

#include <string_view>

namespace qg::plugin {

inline void log_info(const char* line) noexcept {
    slurm_info("job_submit/qosgate: %s", line);
}

inline void log_error(const char* line) noexcept {
    slurm_error("job_submit/qosgate: %s", line);
}

/// A line of a site's script for job_submit/lua, as Slurm's plugin writes it: level 0 is info, 1 verbose, 2
/// and more debug, below 0 error.
inline void log_of_script(int level, const char* line) noexcept {
    if (level < 0)
        slurm_error("%s", line);
    else if (level == 0)
        slurm_info("%s", line);
    else if (level == 1)
        slurm_verbose("%s", line);
    else if (level == 2)
        slurm_debug("%s", line);
    else if (level == 3)
        slurm_debug2("%s", line);
    else
        slurm_debug3("%s", line);
}

/// How much of a line is shown, on terminals and in the log.
constexpr std::size_t max_line_length = 2000;

/// Logs a line that may contain a user's text: control characters are removed, and a long line is cut.
inline void log_line(LogLevel level, std::string_view text) {
    const std::string line = text::printable(text, max_line_length);
    if (level == LogLevel::info)
        log_info(line.c_str());
    else
        log_error(line.c_str());
}

/// Logs such a line likewise.
inline void log_script_line(int level, std::string_view text) {
    log_of_script(level, text::printable(text, max_line_length).c_str());
}

} // namespace qg::plugin
