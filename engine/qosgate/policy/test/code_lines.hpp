// SPDX-License-Identifier: GPL-2.0-or-later
//
// code_lines: which lines of a Lua source hold code of functions, also of those that never run. What stands
// outside of functions runs whenever the file is loaded. Lua's own functions tell lines only of functions
// that exist, so they are read from the compiled chunk's debug information.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/source_files.hpp"

#include <vector>

namespace qg::policy {

/// The lines, ascending, each once. The end of a function belongs to the function that makes it.
/// Errors: invalid_input if the source does not compile, unsupported for another release of Lua than 5.4,
/// limit_exceeded if memory is short.
Result<std::vector<int>> find_code_lines(const SourceFile& file);

} // namespace qg::policy
