// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the verbs of `qosgate report` share: the order of the rows, and how they are written.
#pragma once

#include "common/command.hpp"
#include "common/table.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

struct ReportOptions {
    std::string sort;
    bool csv = false;
};

/// One order of the rows: whether one comes before the other.
template <typename Row>
struct SortKey {
    std::string_view name;
    bool (*before)(const Row& a, const Row& b);
};

/// Sorts by the key of that name, or with "-" before it the other way round; equal rows keep their order.
/// Errors: invalid_input, with the near miss.
template <typename Row>
Result<void> sort_rows(std::vector<Row>& rows, std::string_view name, std::span<const SortKey<Row>> keys) {
    const bool is_reversed = name.starts_with('-');
    if (is_reversed) name.remove_prefix(1);
    std::vector<std::string> names;
    for (const SortKey<Row>& key : keys) {
        names.emplace_back(key.name);
        if (key.name != name) continue;
        std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
            return is_reversed ? key.before(b, a) : key.before(a, b);
        });
        return {};
    }
    return Error{ErrorCode::invalid_input,
                 text::format("--sort: there is no order {}{}; there are {}", text::quoted(name, 64),
                              text::did_you_mean(name, names), text::join(names, ", "))};
}

/// Adds --sort, --csv and --json.
void add_report_options(Command command, ReportOptions& options, Invocation& invocation);

/// Comma-separated values as RFC 4180 has them: the headings first, lines end with a line feed. Control
/// characters become `?`, and a text that a spreadsheet would take as a formula begins with a quote (').
void print_csv(std::ostream& out, const Table& table);

} // namespace qg::cli
