// SPDX-License-Identifier: GPL-2.0-or-later
//
// Numbers in texts as slurmctld reads them with strtol.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace qg {

/// The number without what strtol skips before the digits: blanks, and one '+' that a digit follows.
inline std::string_view skip_sign(std::string_view number) noexcept {
    number.remove_prefix(std::min(number.find_first_not_of(" \t\r\n\v\f"), number.size()));
    const bool has_sign = number.size() > 1 && number[0] == '+' && number[1] >= '0' && number[1] <= '9';
    return has_sign ? number.substr(1) : number;
}

/// What strtol makes of a text that it reads to its end, also of an empty one: 0. A number that does not fit
/// is the nearest that does. Empty: it does not read all of it.
inline std::optional<std::int64_t> read_long(std::string_view text) noexcept {
    if (text.empty()) return 0;
    const std::string_view number = skip_sign(text);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (end != number.data() + number.size() || error == std::errc::invalid_argument) return std::nullopt;
    if (error == std::errc::result_out_of_range)
        return number.starts_with('-') ? std::numeric_limits<std::int64_t>::min()
                                       : std::numeric_limits<std::int64_t>::max();
    return value;
}

} // namespace qg
