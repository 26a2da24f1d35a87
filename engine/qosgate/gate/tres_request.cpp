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
std::string_view take_type(std::string_view& text) {
    for (std::string_view type : named_types) {
        const bool is_it = text.size() > type.size() && text::istarts_with(text, type) &&
                           (text[type.size()] == ':' || text[type.size()] == '/');
        if (!is_it) continue;
        text.remove_prefix(type.size() + 1);
        return type;
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

/// Takes `part` off the front of `text`, ASCII case ignored; whether it stood there.
bool take(std::string_view& text, std::string_view part) noexcept {
    if (!text::istarts_with(text, part)) return false;
    text.remove_prefix(part.size());
    return true;
}

/// Takes the item's type and name off the front of a TRES name.
bool take_resource(std::string_view& tres, const TresItem& item) noexcept {
    return take(tres, item.type) && (item.name.empty() || (take(tres, "/") && take(tres, item.name)));
}

/// The first TRES of which `matches(rest of its name after the item's resource)`.
template <typename Matches>
std::optional<std::size_t> find_resource(const model::TresCatalogue& catalogue, const TresItem& item,
                                         Matches matches) {
    const auto names = catalogue.names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::string_view rest = names[i];
        if (rest.size() < item.type.size() + item.name.size()) continue;
        if (take_resource(rest, item) && matches(rest)) return i;
    }
    return std::nullopt;
}

} // namespace

std::string TresItem::untyped_tres_name() const {
    return name.empty() ? std::string(type) : text::format("{}/{}", type, name);
}

std::string TresItem::tres_name() const {
    return kind.empty() ? untyped_tres_name() : text::format("{}:{}", untyped_tres_name(), kind);
}

std::optional<std::size_t> find_tres(const model::TresCatalogue& catalogue, const TresItem& item) {
    return find_resource(catalogue, item, [&item](std::string_view rest) {
        return item.kind.empty() ? rest.empty() : take(rest, ":") && text::iequals(rest, item.kind);
    });
}

std::optional<std::size_t> find_untyped_tres(const model::TresCatalogue& catalogue, const TresItem& item) {
    return find_resource(catalogue, item, [](std::string_view rest) { return rest.empty(); });
}

std::optional<std::size_t> find_any_model(const model::TresCatalogue& catalogue, const TresItem& item) {
    return find_resource(catalogue, item, [](std::string_view rest) { return rest.starts_with(':'); });
}

std::optional<TresItem> parse_tres_item(std::string_view part) {
    std::string_view text = part;
    TresItem item;
    item.type = take_type(text);
    const auto count = take_count(text);
    if (!count || *count == 0 || text.empty()) return std::nullopt;
    item.count = *count;
    for (std::string_view plain : plain_types) {
        if (!text::iequals(text, plain)) continue;
        item.type = plain;
        return item;
    }
    const auto colon = text.find(':');
    item.name = text.substr(0, colon);
    if (colon != std::string_view::npos) item.kind = text.substr(colon + 1);
    return item;
}

std::vector<TresItem> parse_tres_request(std::string_view text) {
    std::vector<TresItem> items;
    for_each_tres_item(text, [&items](const TresItem& item) { items.push_back(item); });
    return items;
}

std::vector<TresItem> parse_licenses(std::string_view text) {
    std::vector<TresItem> items;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of(",;|"), text.size());
        if (auto item = parse_tres_item(text.substr(0, end))) {
            item->type = "license";
            items.push_back(*item);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return items;
}

} // namespace qg::gate
