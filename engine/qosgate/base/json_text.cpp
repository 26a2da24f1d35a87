// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/json_text.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <vector>

namespace qg::json {
namespace {

/// Whether a letter stands for itself in JSON and is ASCII.
bool is_plain(char letter) noexcept {
    return letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
}

} // namespace

std::string quote(std::string_view value, std::size_t max_bytes) {
    std::string quoted = "\"";
    if (value.size() <= max_bytes && std::ranges::all_of(value, is_plain))
        quoted += value; // nearly all texts
    else
        for (const char letter : text::printable(value, max_bytes)) {
            if (letter == '"' || letter == '\\') quoted += '\\';
            quoted += letter;
        }
    return quoted + "\"";
}

std::string quote(std::span<const std::string> values) {
    std::vector<std::string> quoted;
    for (const std::string& value : values)
        quoted.push_back(quote(value));
    return list(quoted);
}

std::string list(std::span<const std::string> values, std::string_view separator) {
    std::string all = "[";
    for (const std::string& value : values) {
        if (all.size() > 1) all += separator;
        all += value;
    }
    return all + "]";
}

void Members::add(std::string_view name, std::string_view json) {
    if (!text_.empty()) text_ += ", ";
    text_ += quote(name);
    text_ += ": ";
    text_ += json;
}

void Members::add_all(const Members& others) {
    if (!text_.empty() && !others.is_empty()) text_ += ", ";
    text_ += others.text_;
}

} // namespace qg::json
