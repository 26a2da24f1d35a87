// SPDX-License-Identifier: GPL-2.0-or-later
//
// script_findings: what the text of a script for job_submit/lua or cli_filter/lua shows to be wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qg::policy::compat {

class ScriptFiles;

struct ScriptFinding {
    int line = 0; ///< 0: the file as a whole
    std::string message;
    bool stops_loading = false;
};

/// Fields that do not exist, functions that are missing or end without a return, and functions that reach the
/// host. By line. The source has compiled. `files` is what it may read. Cost: linear.
std::vector<ScriptFinding> find_script_problems(std::string_view source, const ScriptFiles* files);

/// Whether the text is one for cli_filter/lua: it has one of its functions, and not slurm_job_submit. Cost:
/// linear.
bool is_client_script(std::string_view source);

/// The same of a script for cli_filter/lua: functions that are missing or end without a return, and names
/// that `slurm` does not have. It may reach the host. The source has compiled. Cost: linear.
std::vector<ScriptFinding> find_client_script_problems(std::string_view source);

} // namespace qg::policy::compat
