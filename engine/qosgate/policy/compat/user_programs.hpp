// SPDX-License-Identifier: GPL-2.0-or-later
//
// user_programs: the answers of `id`, `groups` and `getent` about users and groups, for scripts that start
// these programs with io.popen. They come from what is known of the directory service.
#pragma once

#include "qosgate/base/result.hpp"

#include <span>
#include <string>
#include <string_view>

namespace qg::policy::compat {

class ScriptHost;

/// Without the directory of Debian's and most other systems' programs.
std::string_view program_name(std::string_view path) noexcept;

/// Whether these words, the program first, are such a program with options that are answered.
bool is_user_program(std::span<const std::string> words);

/// Its exit status, and what it writes. Errors: unavailable if the user or group is not known yet.
Result<int> answer_user_program(std::span<const std::string> words, ScriptHost& host, std::string& output);

} // namespace qg::policy::compat
