// SPDX-License-Identifier: GPL-2.0-or-later
//
// program_outputs: the setting `compat_programs`. Each entry is "COMMAND > FILE", as in a crontab: a script
// that starts the command with io.popen reads the file instead. One "*" in both stands for one word, for
// example the name of a user.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace qg::policy {

/// Why an entry cannot be one; empty: it can.
std::string why_no_program_output(std::string_view entry);

/// The file for a command line; empty: no entry is for it. Blanks are compared as one. Cost: linear.
std::string find_program_output(std::span<const std::string> entries, std::string_view command);

/// Whether an entry may be for a command line with this beginning.
bool may_have_program_output(std::span<const std::string> entries, std::string_view beginning);

} // namespace qg::policy
