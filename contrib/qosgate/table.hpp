// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables in plain text: aligned for people, or separated for programs. Nothing is cut off.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace qg::cli {

/// A heading, and whether its values are right-aligned, as numbers are.
struct Column {
    std::string heading;
    bool is_number = false;
};

/// Rows of text below headings.
struct Table {
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows; ///< each as long as `columns`
};

/// Columns padded to their widest cell; an empty cell is "-".
void print_aligned(std::ostream& out, const Table& table);

/// Cells separated by '|', the headings first; an empty cell is empty, a '|' within a cell is "\\x7c".
void print_separated(std::ostream& out, const Table& table);

} // namespace qg::cli
