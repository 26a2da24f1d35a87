// SPDX-License-Identifier: GPL-2.0-or-later
//
// host_programs: the command lines that a script may give to io.popen, and their answers. No program is
// started: users and groups come from what is known of the directory service, and the
// output of a site's own programs from files that the setting `compat_programs` names.
#pragma once

#include "qosgate/base/result.hpp"

#include <span>
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

/// Why a command line cannot be answered; empty: it can.
std::string describe_bad_program(std::string_view command, const ScriptFiles& files);

/// The same if only its beginning is known and, behind values that are joined, its end; empty: it may be
/// answered.
std::string describe_bad_beginning(std::string_view beginning, std::string_view end,
                                   const ScriptFiles& files);

// ---- programs that tell of users and groups ------------------------------------------------------------
// The answers of `id`, `groups` and `getent` about users and groups, for scripts that start these programs
// with io.popen. They come from what is known of the directory service.

class ScriptHost;

/// Without the directory of Debian's and most other systems' programs.
std::string_view program_name(std::string_view path) noexcept;

/// Whether these words, the program first, are such a program with options that are answered.
bool is_user_program(std::span<const std::string> words);

/// Its exit status, and what it writes. Errors: unavailable if the user or group is not known yet.
Result<int> answer_user_program(std::span<const std::string> words, ScriptHost& host, std::string& output);

} // namespace qg::policy::compat
