// SPDX-License-Identifier: GPL-2.0-or-later
//
// Numbers in texts as slurmctld reads them with strtol.
#pragma once

#include <algorithm>
#include <string_view>

namespace qg {

/// The number without what strtol skips before the digits: blanks, and one '+' that a digit follows.
inline std::string_view skip_sign(std::string_view number) noexcept {
    number.remove_prefix(std::min(number.find_first_not_of(" \t\r\n\v\f"), number.size()));
    const bool has_sign = number.size() > 1 && number[0] == '+' && number[1] >= '0' && number[1] <= '9';
    return has_sign ? number.substr(1) : number;
}

} // namespace qg
