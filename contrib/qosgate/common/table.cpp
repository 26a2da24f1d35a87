// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/table.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace qg::cli {
namespace {

/// The number of characters in a UTF-8 text; colours have none.
std::size_t width_of(const std::string& text) {
    std::size_t width = 0;
    bool is_colour = false;
    for (const char c : text) {
        is_colour = is_colour || c == '\033';
        if (!is_colour && (static_cast<unsigned char>(c) & 0xc0u) != 0x80u) ++width;
        if (c == 'm') is_colour = false;
    }
    return width;
}

const std::string& or_dash(const std::string& cell) {
    static const std::string dash = "-";
    return cell.empty() ? dash : cell;
}

constexpr std::string_view gap = "  ";

/// The words in lines of at most `width` characters; a word that is longer has a line of its own.
std::vector<std::string> wrap(const std::string& text, std::size_t width) {
    if (width_of(text) <= width) return {text};
    std::vector<std::string> lines;
    for (const std::string_view part : text::split(text, ' ')) {
        const std::string word(part);
        if (lines.empty() || width_of(lines.back()) + 1 + width_of(word) > width)
            lines.push_back(word);
        else
            lines.back() += " " + word;
    }
    return lines;
}

std::size_t longest_word(const std::string& text) {
    std::size_t longest = 0;
    for (const std::string_view word : text::split(text, ' '))
        longest = std::max(longest, width_of(std::string(word)));
    return longest;
}

/// How wide a column is, and how narrow it may be.
struct Width {
    std::size_t now = 0;
    std::size_t of_cells = 0; ///< with its heading in several lines
    std::size_t least = 0;    ///< with its cells in several lines, too
};

std::vector<Width> widths_of(const Table& table) {
    std::vector<Width> widths;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const Column& column = table.columns[i];
        const std::size_t word = longest_word(column.heading);
        Width width{width_of(column.heading), word, word};
        for (const auto& row : table.rows) {
            const std::string& cell = or_dash(row[i]);
            width.now = std::max(width.now, width_of(cell));
            width.of_cells = std::max(width.of_cells, width_of(cell));
            width.least = std::max(width.least, column.may_wrap ? longest_word(cell) : width_of(cell));
        }
        widths.push_back(width);
    }
    return widths;
}

std::size_t total_of(const std::vector<Width>& widths) {
    std::size_t total = 0;
    for (const Width& width : widths)
        total += width.now + (total == 0 ? 0 : gap.size());
    return total;
}

/// Takes from the widest columns that are above `least`, until the table fits or there is none.
void narrow_columns(std::vector<Width>& widths, std::size_t Width::*least, std::size_t limit) {
    while (total_of(widths) > limit) {
        Width* widest = nullptr;
        for (Width& width : widths)
            if (width.now > width.*least && (widest == nullptr || width.now > widest->now)) widest = &width;
        if (widest == nullptr) return;
        --widest->now;
    }
}

Table shortened(Table table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        Column& column = table.columns[i];
        if (!column.short_heading.empty()) column.heading = column.short_heading;
        if (column.shorten == nullptr) continue;
        for (auto& row : table.rows)
            row[i] = column.shorten(row[i]);
    }
    return table;
}

void print_row(std::ostream& out, const std::vector<Column>& columns, const std::vector<std::string>& cells,
               const std::vector<Width>& widths, std::string_view indent) {
    std::vector<std::vector<std::string>> wrapped;
    std::size_t height = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        wrapped.push_back(wrap(or_dash(cells[i]), widths[i].now));
        height = std::max(height, wrapped.back().size());
    }
    for (std::size_t at = 0; at < height; ++at) {
        std::string line(indent);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::string part = at < wrapped[i].size() ? wrapped[i][at] : "";
            const std::string padding(widths[i].now - std::min(width_of(part), widths[i].now), ' ');
            if (i > 0) line += gap;
            line += columns[i].is_number ? padding + part : part + padding;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }
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

std::size_t terminal_width() {
    winsize size{};
    const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? size.ws_col : unlimited_width;
}

std::vector<std::string> take_columns_off(Table& table, std::size_t width) {
    const auto widths = widths_of(table);
    std::size_t fitting = 0;
    std::size_t total = 0;
    while (fitting < widths.size()) {
        total += widths[fitting].now + (fitting == 0 ? 0 : gap.size());
        if (fitting > 0 && total > width) break;
        ++fitting;
    }
    std::vector<std::string> taken;
    for (std::size_t i = fitting; i < table.columns.size(); ++i)
        taken.push_back(table.columns[i].heading);
    table.columns.resize(fitting);
    for (auto& row : table.rows)
        row.resize(fitting);
    return taken;
}

void print_aligned(std::ostream& out, const Table& table, std::size_t width, std::string_view indent) {
    width -= std::min(width, indent.size());
    const bool is_too_wide = total_of(widths_of(table)) > width;
    const Table shown = is_too_wide ? shortened(table) : table;
    auto widths = widths_of(shown);
    narrow_columns(widths, &Width::of_cells, width);
    narrow_columns(widths, &Width::least, width);
    print_row(out, shown.columns, headings_of(shown), widths, indent);
    for (const auto& row : shown.rows)
        print_row(out, shown.columns, row, widths, indent);
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

std::string usage_bar(double share, bool colours) {
    constexpr int width = 10;
    constexpr double max_percent = 9999; // usage may exceed a limit that was set later
    const int percent = static_cast<int>(std::min(std::floor(share * 100), max_percent));
    int full = std::min(static_cast<int>(std::min(share, 1.0) * width), width);
    if (full == 0 && share > 0) full = 1;
    const char* colour = percent >= 100 ? "\033[31m" : percent >= 80 ? "\033[33m" : "\033[32m";
    return text::format(
        "{}[{}{}]{} {:>3}%", colours ? colour : "", std::string(static_cast<std::size_t>(full), '#'),
        std::string(static_cast<std::size_t>(width - full), '.'), colours ? "\033[0m" : "", percent);
}

std::string without_bar(const std::string& cell) {
    const std::size_t percent = cell.find('%');
    if (percent == std::string::npos) return cell;
    return cell.substr(cell.find_last_of(' ', percent) + 1);
}

bool takes_colours() {
    const char* terminal = std::getenv("TERM");
    return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr && terminal != nullptr &&
           std::string_view(terminal) != "dumb";
}

} // namespace qg::cli
