// SPDX-License-Identifier: GPL-2.0-or-later
//
// host_programs: the command lines that a script may give to io.popen, and their answers. No program is
// started: users and groups come from what is known of the directory service (user_programs.hpp), files from
// the policy (file_programs.hpp), and the output of a site's own programs from files that the setting
// `compat_programs` names. The output may go on through the filters of output_filters.hpp.
#pragma once

#include "qosgate/base/result.hpp"

#include <string>
#include <string_view>

namespace qg::policy::compat {

class ScriptFiles;
class ScriptHost;

/// The exit status of the command line, and what it writes. `host` is null while the script is loaded.
/// Errors: unsupported for another command; unavailable if the user or group is not known yet, or while the
/// script is loaded; invalid_input for a file that it may not read, or that `compat_programs` names and that
/// does not exist; limit_exceeded for more output than there may be.
Result<int> answer_program(std::string_view command, ScriptHost* host, const ScriptFiles& files,
                           std::string& output);

/// Why a command line cannot be answered; empty: it can. `is_whole` is false if only its beginning is known.
std::string describe_bad_program(std::string_view command, bool is_whole, const ScriptFiles& files);

/// Why the end of a command line cannot be answered, because it has a program behind a "|" that is no filter
/// of ours; empty: it has none, or that is not certain.
std::string describe_bad_filters(std::string_view end_of_command);

} // namespace qg::policy::compat
