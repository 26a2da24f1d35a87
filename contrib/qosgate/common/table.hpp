// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables in plain text: aligned for people, or separated for programs. Nothing is cut off; where a terminal
// is too narrow, cells have several lines.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

/// A heading, and whether its values are right-aligned, as numbers are.
struct Column {
    std::string heading;
    bool is_number = false;
    bool may_wrap = false; ///< its cells are words: a narrow table has them in several lines
    /// What a cell becomes in a narrow table; null: it stays.
    std::string (*shorten)(const std::string& cell) = nullptr;
    std::string short_heading = {}; ///< in a narrow table; empty: the same
};

/// Rows of text below headings.
struct Table {
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows; ///< each as long as `columns`
};

inline constexpr std::size_t unlimited_width = std::string::npos;

/// Characters in a line of the terminal on standard output; unlimited_width if that is none.
std::size_t terminal_width();

/// Takes columns from the right, but not the first, until the table fits in `width`. Returns their headings,
/// in order.
std::vector<std::string> take_columns_off(Table& table, std::size_t width);

/// Columns padded to their widest cell; an empty cell is "-". A table wider than `width` is made narrower as
/// its columns allow, and headings between words; it may still be wider. `indent` is before each line, and
/// part of the width.
void print_aligned(std::ostream& out, const Table& table, std::size_t width = unlimited_width,
                   std::string_view indent = {});

/// Cells separated by '|', the headings first; an empty cell is empty, a '|' within a cell is "\\x7c".
void print_separated(std::ostream& out, const Table& table);

/// "[######....]  60%", at 80 % in yellow and at 100 % in red if there are colours.
std::string usage_bar(double share, bool colours);

/// A cell with such a bar, but without it: "60%" of "[######....]  60%". Other cells stay.
std::string without_bar(const std::string& cell);

/// Whether standard output is a terminal that shows colours.
bool takes_colours();

} // namespace qg::cli
