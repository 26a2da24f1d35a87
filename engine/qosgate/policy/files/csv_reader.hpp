// SPDX-License-Identifier: GPL-2.0-or-later
//
// read_csv: a table as RFC 4180 has it: fields with commas between them, in quotes if they contain commas,
// quotes (written twice) or ends of lines; lines end with LF or CRLF. The first line names the columns. The
// result is a list of rows; every field is a text, an empty one is nothing. Lines without any character are
// skipped. Bounded by DataBounds; linear.
#pragma once

#include "qosgate/base/data_table.hpp"
#include "qosgate/base/result.hpp"

#include <string_view>

namespace qg::policy {

/// The rows of a file; `max_values` fields at most. Errors: invalid_input, "<line>: <what>".
Result<DataTable> read_csv(std::string_view text, std::size_t max_values = DataBounds::max_values);

} // namespace qg::policy
