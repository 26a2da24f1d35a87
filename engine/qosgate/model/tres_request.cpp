// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/tres_request.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/slurm_number.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace qg::model {
namespace {

/// A type of TRES, as spelled in requests and the catalogue.
struct Type {
    std::string_view text;
    TresKind kind;
};

constexpr std::array named_types{
    Type{"gres", TresKind::gres},
    Type{"license", TresKind::license},
    Type{"bb", TresKind::bb},
};
constexpr std::array plain_types{
    Type{"cpu", TresKind::cpu},
    Type{"mem", TresKind::mem},
    Type{"node", TresKind::node},
    Type{"billing", TresKind::billing},
};

/// Removes a leading "gres:" or "gres/" from `text`.
TresKind take_type(std::string_view& text) {
    for (const Type& type : named_types) {
        const std::size_t size = type.text.size();
        const bool is_it = text.size() > size && (text[size] == ':' || text[size] == '/') &&
                           text::istarts_with(text, type.text);
        if (!is_it) continue;
        text.remove_prefix(size + 1);
        return type.kind;
    }
    return TresKind::gres;
}

/// What slurmctld multiplies a count of gres by; the letters' case does not matter.
struct Suffix {
    std::string_view text;
    std::uint64_t factor;
};

constexpr std::uint64_t kilo = 1000, mega = kilo * kilo, giga = mega * kilo, tera = giga * kilo,
                        peta = tera * kilo;
constexpr std::uint64_t kibi = 1024, mebi = kibi * kibi, gibi = mebi * kibi, tebi = gibi * kibi,
                        pebi = tebi * kibi;
constexpr std::array suffixes{
    Suffix{"", 1},       Suffix{"k", kibi},   Suffix{"kib", kibi}, Suffix{"kb", kilo},
    Suffix{"m", mebi},   Suffix{"mib", mebi}, Suffix{"mb", mega},  Suffix{"g", gibi},
    Suffix{"gib", gibi}, Suffix{"gb", giga},  Suffix{"t", tebi},   Suffix{"tib", tebi},
    Suffix{"tb", tera},  Suffix{"p", pebi},   Suffix{"pib", pebi}, Suffix{"pb", peta},
};

/// slurmctld reads it with strtoull: a minus sign negates modulo 2^64, and a suffix multiplies modulo 2^64.
/// (Seen on 22.05: "-18446744073709551614" is 2, "36028797018963969K" is 1024, "2KB" is 2000. 24.11 differs
/// in the first: it takes that for a model, of which it counts one.)
std::optional<std::uint64_t> read_gres_count(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\v\f"), text.size()));
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = text::parse_unsigned(text.substr(0, digits));
    if (!number) return std::nullopt;
    const std::uint64_t count = is_negative ? 0 - *number : *number;
    // strtoull returns this for numbers that are too large.
    if (count == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
    const auto suffix = std::ranges::find_if(
        suffixes, [&](const Suffix& known) { return text::iequals(known.text, text.substr(digits)); });
    if (suffix == suffixes.end()) return std::nullopt;
    return count * suffix->factor;
}

/// Removes the count from the end of `text` ("gpu:a100:2" -> "gpu:a100"); 1 if there is none.
std::optional<std::uint64_t> take_count(std::string_view& text) {
    std::size_t at = text.size();
    while (at != 0 && text[at - 1] != ':' && text[at - 1] != '=')
        --at;
    if (at == 0) return 1;
    const auto count = read_gres_count(text.substr(at));
    if (!count && text[at - 1] == '=') return std::nullopt;
    if (!count) return 1; // slurmctld reads it as a model
    text = text.substr(0, at - 1);
    return count;
}

/// Removes a leading `part` from `text`, ignoring ASCII case; returns whether it was there.
bool take(std::string_view& text, std::string_view part) noexcept {
    if (!text::istarts_with(text, part)) return false;
    text.remove_prefix(part.size());
    return true;
}

/// The first TRES of the item's resource for which `matches(rest of the name)` is true.
template <typename Matches>
std::optional<std::size_t> find_resource(const TresCatalogue& catalogue, const TresItem& item,
                                         Matches matches) {
    const auto names = catalogue.names();
    for (std::size_t i = catalogue.find(item.type).value_or(names.size()); i < names.size(); ++i) {
        if (catalogue.kind(i) != item.type) continue;
        std::string_view rest = std::string_view(names[i]).substr(item.type_name().size());
        if ((item.name.empty() || (take(rest, "/") && take(rest, item.name))) && matches(rest)) return i;
    }
    return std::nullopt;
}

} // namespace

std::string_view TresItem::type_name() const noexcept {
    for (const Type& named : named_types)
        if (named.kind == type) return named.text;
    for (const Type& plain : plain_types)
        if (plain.kind == type) return plain.text;
    return {};
}

std::string TresItem::untyped_tres_name() const {
    return name.empty() ? std::string(type_name()) : text::format("{}/{}", type_name(), name);
}

std::string TresItem::tres_name() const {
    return kind.empty() ? untyped_tres_name() : text::format("{}:{}", untyped_tres_name(), kind);
}

std::optional<std::size_t> find_tres(const TresCatalogue& catalogue, const TresItem& item) {
    return find_resource(catalogue, item, [&item](std::string_view rest) {
        return item.kind.empty() ? rest.empty() : take(rest, ":") && text::iequals(rest, item.kind);
    });
}

std::optional<std::size_t> find_untyped_tres(const TresCatalogue& catalogue, const TresItem& item) {
    return find_resource(catalogue, item, [](std::string_view rest) { return rest.empty(); });
}

std::optional<std::size_t> find_any_model(const TresCatalogue& catalogue, const TresItem& item) {
    return find_resource(catalogue, item, [](std::string_view rest) { return rest.starts_with(':'); });
}

std::optional<TresItem> parse_tres_item(std::string_view text) {
    TresItem item;
    item.type = take_type(text);
    const auto count = take_count(text);
    if (!count || *count == 0 || text.empty()) return std::nullopt;
    item.count = *count;
    for (const Type& plain : plain_types) {
        if (!text::iequals(text, plain.text)) continue;
        item.type = plain.kind;
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

LicensePart read_license(std::string_view part) {
    const auto end = part.find_first_of(":=");
    LicensePart license{.name = text::trim(part.substr(0, end)), .count = 1};
    if (end == std::string_view::npos) return license;
    const auto number = read_long(part.substr(end + 1));
    const auto kept = static_cast<std::int32_t>(static_cast<std::uint32_t>(number.value_or(-1)));
    license.count = kept < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(kept));
    return license;
}

std::vector<TresItem> parse_licenses(std::string_view text) {
    std::vector<TresItem> items;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of(",;|"), text.size());
        const auto [name, count] = read_license(text.substr(0, end));
        if (!name.empty() && count.value_or(0) != 0)
            items.push_back({.type = TresKind::license, .name = name, .kind = {}, .count = *count});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return items;
}

} // namespace qg::model
