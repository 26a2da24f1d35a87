// SPDX-License-Identifier: GPL-2.0-or-later
//
// read_json: JSON as RFC 8259 has it, and nothing beyond it: no comments, no commas at ends, UTF-8 only. A
// key that is there twice, null in a list, and a whole number beyond 64 bits are errors, too, because rules
// in Lua could not read them as they are written. Bounded by DataBounds; linear, except for the sorting of
// keys.
#pragma once

#include "qosgate/base/data_table.hpp"
#include "qosgate/base/result.hpp"

#include <string_view>

namespace qg {

/// The values of a file; `max_values` of them at most. Errors: invalid_input, "<line>: <what>".
Result<DataTable> read_json(std::string_view text, std::size_t max_values = DataBounds::max_values);

} // namespace qg
