// SPDX-License-Identifier: GPL-2.0-or-later
//
// Files that an option names for a command's output: --out, --status.
#pragma once

#include "qosgate/base/result.hpp"

#include <string>
#include <string_view>

#include <sys/types.h>

namespace qg::cli {

/// Writes the file, completely or not at all. What stands there is replaced if it is a regular file. A
/// device, a pipe or a link is none, such as /dev/stdout, and root could replace it. Errors: invalid_input if
/// something else stands there; those of replace_file().
Result<void> write_output_file(const std::string& path, std::string_view content, mode_t mode);

} // namespace qg::cli
