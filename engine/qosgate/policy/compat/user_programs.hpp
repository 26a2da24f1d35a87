// SPDX-License-Identifier: GPL-2.0-or-later
//
// user_programs: the answers of `id`, `groups` and `getent` about users and groups, for scripts that start
// these programs with io.popen. No program is started: the answers come from what is known of the directory
// service. Their output may go on through `cut`, `tr`, `head` and awk '{print $N}'.
#pragma once

#include "qosgate/base/result.hpp"

#include <string>
#include <string_view>

namespace qg::policy::compat {

class ScriptHost;

/// The exit status of the command line, and what it writes. Errors: unsupported for another command;
/// unavailable if the user or group is not known yet.
Result<int> answer_program(std::string_view command, ScriptHost& host, std::string& output);

/// Why a command line cannot be answered; empty: it can. `is_whole` is false if only its beginning is known.
std::string describe_bad_program(std::string_view command, bool is_whole);

} // namespace qg::policy::compat
