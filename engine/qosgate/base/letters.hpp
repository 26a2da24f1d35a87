// SPDX-License-Identifier: GPL-2.0-or-later
//
// Letters of names: ASCII, whatever the locale.
#pragma once

namespace qg::text {

/// A letter in lower case; any other character unchanged.
[[nodiscard]] constexpr char to_lower(char letter) noexcept {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

} // namespace qg::text
