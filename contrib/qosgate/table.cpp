// SPDX-License-Identifier: GPL-2.0-or-later
#include "table.hpp"

#include <algorithm>

namespace qg::cli {
namespace {

/// The number of characters in a UTF-8 text.
std::size_t width_of(const std::string& text) {
    const auto begins_one = [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; };
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_one));
}

const std::string& or_dash(const std::string& cell) {
    static const std::string dash = "-";
    return cell.empty() ? dash : cell;
}

void print_row(std::ostream& out, const std::vector<Column>& columns, const std::vector<std::string>& cells,
               const std::vector<std::size_t>& widths) {
    constexpr std::string_view gap = "  ";
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string padding(widths[i] - width_of(or_dash(cells[i])), ' ');
        if (i > 0) line += gap;
        line += columns[i].is_number ? padding + or_dash(cells[i]) : or_dash(cells[i]) + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
}

std::vector<std::string> headings_of(const Table& table) {
    std::vector<std::string> headings;
    for (const Column& column : table.columns)
        headings.push_back(column.heading);
    return headings;
}

/// The cell with "\\x7c" in place of each '|', which would begin another column.
std::string without_separator(const std::string& cell) {
    std::string result;
    for (const char c : cell)
        c == '|' ? result += "\\x7c" : result += c;
    return result;
}

} // namespace

void print_aligned(std::ostream& out, const Table& table) {
    const auto headings = headings_of(table);
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < headings.size(); ++i) {
        widths.push_back(width_of(headings[i]));
        for (const auto& row : table.rows)
            widths[i] = std::max(widths[i], width_of(or_dash(row[i])));
    }
    print_row(out, table.columns, headings, widths);
    for (const auto& row : table.rows)
        print_row(out, table.columns, row, widths);
}

void print_separated(std::ostream& out, const Table& table) {
    const auto print = [&](const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            out << (i == 0 ? "" : "|") << without_separator(cells[i]);
        out << '\n';
    };
    print(headings_of(table));
    for (const auto& row : table.rows)
        print(row);
}

} // namespace qg::cli
