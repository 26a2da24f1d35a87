// SPDX-License-Identifier: GPL-2.0-or-later
//
// read_file: a whole file, or its lines, up to a bound: /dev/zero has no end.
#pragma once

#include "qosgate/base/result.hpp"

#include <cstddef>
#include <istream>
#include <string>

namespace qg {

/// All bytes of a file, a pipe or a device. Errors: unavailable with the system's reason, invalid_input if
/// there are more than `max_bytes`; both with the path in front. Cost: blocking.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes);

/// Reads the next line, without its end. False: there is none; `in.bad()` tells whether reading failed.
/// Errors: invalid_input for a line of more than `max_bytes`, of which `line` has the beginning.
Result<bool> read_line(std::istream& in, std::string& line, std::size_t max_bytes);

} // namespace qg
