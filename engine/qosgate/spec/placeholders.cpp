// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/placeholders.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <utility>

namespace qg::spec {
namespace {

constexpr std::string_view shape = "write {account: [a, b], partition: [x, y]}, or a list of mappings "
                                   "[{dept: cs, gpus: 4}, …]";

bool is_word(std::string_view name) {
    const auto is_letter = [](char c) { return text::is_letter(c) || c == '_'; };
    const auto is_allowed = [&](char c) { return is_letter(c) || text::is_digit(c) || c == '-'; };
    return !name.empty() && name.size() <= 64 && is_letter(name.front()) &&
           std::all_of(name.begin(), name.end(), is_allowed);
}

Position at(const std::string& file, const Node& node) {
    return {file, node.line, node.column};
}

bool is_name(const Node& name, const std::string& file, ProblemList& problems) {
    if (is_word(name.text)) return true;
    problems.add(at(file, name), name.text,
                 "cannot name a placeholder: use letters, digits, '_' and '-', and a letter first");
    return false;
}

bool is_text(const Node& value, const Node& name, const std::string& file, ProblemList& problems) {
    if (value.is_scalar()) return true;
    problems.add(at(file, value), name.text,
                 text::format("each value must be a text or a number, not {}", describe(value.kind)));
    return false;
}

std::vector<Bindings> read_combinations(const Node& node, const std::string& file, ProblemList& problems) {
    std::vector<Bindings> rows{{}};
    for (const auto& [name, values] : node.entries) {
        if (!is_name(*name, file, problems)) return {};
        if (!values->is_sequence() || values->items.empty()) {
            problems.add(at(file, *values), name->text, "needs a list of values that is not empty");
            return {};
        }
        if (values->items.size() > max_qos / rows.size()) {
            problems.add(at(file, node), "for_each",
                         text::format("too many combinations: at most {}", max_qos));
            return {};
        }
        std::vector<Bindings> longer;
        longer.reserve(rows.size() * values->items.size());
        for (const NodePtr& value : values->items)
            if (!is_text(*value, *name, file, problems)) return {};
        for (const Bindings& row : rows) {
            for (const NodePtr& value : values->items) {
                longer.push_back(row);
                longer.back().emplace(name->text, value->text);
            }
        }
        rows = std::move(longer);
    }
    return rows;
}

std::vector<Bindings> read_rows(const Node& node, const std::string& file, ProblemList& problems) {
    if (node.items.size() > max_qos) {
        problems.add(at(file, node), "for_each", text::format("too many rows: at most {}", max_qos));
        return {};
    }
    std::vector<Bindings> rows;
    for (const NodePtr& item : node.items) {
        if (!item->is_mapping() || item->entries.empty()) {
            problems.add(at(file, *item), "for_each",
                         text::format("each row must be a mapping with a value per placeholder, not {}",
                                      item->is_mapping() ? "an empty one" : describe(item->kind)));
            return {};
        }
        Bindings row;
        for (const auto& [name, value] : item->entries) {
            if (!is_name(*name, file, problems) || !is_text(*value, *name, file, problems)) return {};
            row.emplace(name->text, value->text);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace

Replaced replace_placeholders(std::string_view text, const Bindings& values) {
    Replaced done;
    for (std::size_t begin = 0; begin < text.size();) {
        done.is_too_long = done.text.size() > TreeBounds::max_text;
        if (done.is_too_long) return done;
        const auto open = std::min(text.find('{', begin), text.size());
        done.text += text.substr(begin, open - begin);
        if (open == text.size()) break;
        const bool is_doubled = text.substr(open).starts_with("{{");
        const std::size_t start = open + (is_doubled ? 2 : 1);
        // A name has at most 64 bytes, so that the search for its end is bounded.
        const auto length = text.substr(start, 65).find('}');
        const bool has_end = length != std::string_view::npos;
        const std::string_view name = has_end ? text.substr(start, length) : std::string_view();
        const bool ends_doubled = has_end && text.substr(start + length).starts_with("}}");
        if (!is_word(name) || (is_doubled && !ends_doubled)) {
            done.text += '{';
            begin = open + 1;
        } else if (is_doubled) {
            done.text += text.substr(open + 1, length + 2);
            begin = start + length + 2;
        } else {
            done.has_placeholder = true;
            const auto value = values.find(name);
            if (value != values.end())
                done.text += value->second;
            else if (done.unknown.empty())
                done.unknown = name;
            begin = start + length + 1;
        }
    }
    done.is_too_long = done.text.size() > TreeBounds::max_text;
    return done;
}

std::vector<Bindings> read_for_each(const Node& node, const std::string& file, ProblemList& problems) {
    const bool has_shape =
        node.is_mapping() ? !node.entries.empty() : node.is_sequence() && !node.items.empty();
    if (!has_shape) {
        problems.add(at(file, node), "for_each", shape);
        return {};
    }
    return node.is_mapping() ? read_combinations(node, file, problems) : read_rows(node, file, problems);
}

} // namespace qg::spec
