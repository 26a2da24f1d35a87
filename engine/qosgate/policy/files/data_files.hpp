// SPDX-License-Identifier: GPL-2.0-or-later
//
// data_files: the tables of a site, qosgate.d/data/*.json and *.csv.
#pragma once

#include "qosgate/base/data_table.hpp"
#include "qosgate/base/result.hpp"
#include "qosgate/policy/source_files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

/// One file.
struct DataFile {
    std::string name; ///< as rules name it: "projects.json"
    DataTable table;
};

/// The name by which rules read a file of the part `data`.
std::string_view data_name(std::string_view file) noexcept;

/// The names of all files of the part `data`, in order.
std::vector<std::string> data_names(const SourceDirectory& sources);

/// Reads one file of the part `data`; `max_values` values at most. Errors: invalid_input,
/// "data/map.csv:3: <what>".
Result<DataFile> read_data_file(const SourceFile& file, std::size_t max_values = DataBounds::max_values);

/// Reads all of them, in the order of their names. Errors: as read_data_file().
Result<std::vector<DataFile>> read_data_files(const SourceDirectory& sources);

// ---- files of comma-separated values -------------------------------------------------------------------
// A table as RFC 4180 has it: fields with commas between them, in quotes if they contain commas, quotes
// (written twice) or ends of lines; lines end with LF or CRLF. The first line names the columns. The result
// is a list of rows; every field is a text, an empty one is nothing. Lines without any character are skipped.
// Bounded by DataBounds; linear.

/// The rows of a file; `max_values` fields at most. Errors: invalid_input, "<line>: <what>".
Result<DataTable> read_csv(std::string_view text, std::size_t max_values = DataBounds::max_values);

} // namespace qg::policy
