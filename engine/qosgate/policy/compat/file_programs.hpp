// SPDX-License-Identifier: GPL-2.0-or-later
//
// file_programs: the answers of `ls` and `cat` about the files that a script may read, for scripts that start
// these programs with io.popen. No disk is looked at.
#pragma once

#include "qosgate/base/result.hpp"

#include <span>
#include <string>

namespace qg::policy::compat {

class ScriptFiles;

/// Whether these words, the program first, are such a program with options that are answered. `has_pattern`:
/// a shell would replace "*" and "?" in them.
bool is_file_program(std::span<const std::string> words, bool has_pattern);

/// Its exit status, and what it writes; names are in the order of their bytes. Errors: invalid_input for a
/// file that the script may not read, unsupported for a pattern that a directory matches.
/// Cost: linear in the files and in the output.
Result<int> answer_file_program(std::span<const std::string> words, bool has_pattern,
                                const ScriptFiles& files, std::string& output);

} // namespace qg::policy::compat
