// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/report_table.hpp"

namespace qg::cli {
namespace {

/// Whether a spreadsheet would take a cell that begins so as a formula.
bool is_formula(const std::string& cell) {
    if (cell.empty() || std::string_view("=+-@").find(cell.front()) == std::string_view::npos) return false;
    const bool is_number = cell.front() == '-' && cell.size() > 1 &&
                           cell.find_first_not_of("0123456789.", 1) == std::string::npos;
    return !is_number;
}

std::string csv_cell(const std::string& text) {
    std::string cell = text::printable(text, std::string::npos);
    if (is_formula(cell)) cell.insert(0, 1, '\'');
    if (cell.find_first_of(",\"") == std::string::npos) return cell;
    std::string quoted = "\"";
    for (const char c : cell)
        c == '"' ? quoted += "\"\"" : quoted += c;
    return quoted + "\"";
}

} // namespace

void add_report_options(Command command, ReportOptions& options, Invocation& invocation) {
    command.add_option("--sort", options.sort, "The order of the rows, see below; '-' before it reverses it")
        .capture_default_str()
        .option_text("ORDER");
    const Option csv = command.add_flag("--csv", options.csv, "Write comma-separated values");
    add_json_flag(command, invocation);
    csv.excludes(command.get_option("--json"));
}

void print_csv(std::ostream& out, const Table& table) {
    const auto print = [&](const auto& cells, const auto& text_of) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            out << (i == 0 ? "" : ",") << csv_cell(text_of(cells[i]));
        out << '\n';
    };
    print(table.columns, [](const Column& column) { return column.heading; });
    for (const auto& row : table.rows)
        print(row, [](const std::string& cell) { return cell; });
}

} // namespace qg::cli
