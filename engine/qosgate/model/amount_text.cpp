// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/amount_text.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/base/units.hpp"
#include "qosgate/model/tres.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace qg::model {
namespace {

/// "2T" for "2TB" and "2TiB". Bytes alone are no unit: "2B" stays.
std::string_view without_byte(std::string_view size) {
    for (const std::string_view byte : {"iB", "B"}) {
        if (size.size() <= byte.size() || !text::iequals(size.substr(size.size() - byte.size()), byte))
            continue;
        const std::string_view plain = size.substr(0, size.size() - byte.size());
        return text::is_digit(plain.back()) ? size : plain;
    }
    return size;
}

} // namespace

std::optional<std::uint64_t> parse_unit_seconds(std::string_view text) noexcept {
    constexpr std::array<std::pair<char, std::uint64_t>, 4> units{
        {{'d', 86'400}, {'h', 3'600}, {'m', 60}, {'s', 1}}};
    if (text.empty()) return std::nullopt;
    std::uint64_t seconds = 0;
    std::size_t next = 0;
    while (!text.empty()) {
        const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
        const auto number = text::parse_unsigned(text.substr(0, digits));
        if (!number || *number > 1'000'000'000 || digits == text.size()) return std::nullopt;
        while (next < units.size() && units[next].first != text[digits])
            ++next;
        if (next == units.size()) return std::nullopt;
        seconds += *number * units[next++].second;
        text.remove_prefix(digits + 1);
    }
    return seconds;
}

Result<std::uint64_t> parse_tres_count(std::string_view tres_name, std::string_view text) {
    if (kind_of(tres_name) != TresKind::mem) return units::parse_count(text);
    const auto size = units::parse_mib(without_byte(text::trim(text)));
    return size ? size : units::parse_mib(text); // the error names what was written
}

} // namespace qg::model
