// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/tres_request.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/units.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace qg::gate {
namespace {

constexpr std::array<std::string_view, 3> named_types{"gres", "license", "bb"};
constexpr std::array<std::string_view, 4> plain_types{"cpu", "mem", "node", "billing"};

/// Takes "gres:" or "gres/" off the front of `text`.
std::string take_type(std::string_view& text) {
    for (std::string_view type : named_types) {
        const bool is_it = text.size() > type.size() && text::istarts_with(text, type) &&
                           (text[type.size()] == ':' || text[type.size()] == '/');
        if (!is_it) continue;
        text.remove_prefix(type.size() + 1);
        return std::string(type);
    }
    return "gres";
}

/// Takes the count off the end of `text` ("gpu:a100:2" -> "gpu:a100"); 1 where there is none.
std::optional<std::uint64_t> take_count(std::string_view& text) {
    const auto at = text.find_last_of(":=");
    if (at == std::string_view::npos) return 1;
    const std::string_view last = text.substr(at + 1);
    const bool is_count = !last.empty() && last.front() >= '0' && last.front() <= '9';
    if (!is_count) {
        if (text[at] == '=') return std::nullopt;
        return 1;
    }
    const auto count = units::parse_count(last);
    if (!count) return std::nullopt;
    text = text.substr(0, at);
    return *count;
}

std::optional<TresItem> parse_item(std::string_view text) {
    TresItem item;
    item.type = take_type(text);
    const auto count = take_count(text);
    if (!count || *count == 0 || text.empty()) return std::nullopt;
    item.count = *count;
    for (std::string_view plain : plain_types) {
        if (!text::iequals(text, plain)) continue;
        item.type = std::string(plain);
        return item;
    }
    const auto colon = text.find(':');
    item.name = std::string(text.substr(0, colon));
    if (colon != std::string_view::npos) item.kind = std::string(text.substr(colon + 1));
    return item;
}

} // namespace

std::string TresItem::untyped_tres_name() const {
    return name.empty() ? type : type + "/" + name;
}

std::string TresItem::tres_name() const {
    return kind.empty() ? untyped_tres_name() : untyped_tres_name() + ":" + kind;
}

std::vector<TresItem> parse_tres_request(std::string_view text) {
    std::vector<TresItem> items;
    for (std::string_view part : text::split(text, ','))
        if (auto item = parse_item(part)) items.push_back(std::move(*item));
    return items;
}

std::vector<TresItem> parse_licenses(std::string_view text) {
    std::vector<TresItem> items;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of(",;|"), text.size());
        if (auto item = parse_item(text.substr(0, end))) {
            item->type = "license";
            items.push_back(std::move(*item));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return items;
}

} // namespace qg::gate
