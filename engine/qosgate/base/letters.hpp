// SPDX-License-Identifier: GPL-2.0-or-later
//
// Letters and digits of names: ASCII, whatever the locale.
#pragma once

namespace qg::text {

[[nodiscard]] constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

[[nodiscard]] constexpr bool is_lower_letter(char c) noexcept {
    return c >= 'a' && c <= 'z';
}

[[nodiscard]] constexpr bool is_letter(char c) noexcept {
    return is_lower_letter(c) || (c >= 'A' && c <= 'Z');
}

/// A letter in lower case; any other character unchanged.
[[nodiscard]] constexpr char to_lower(char letter) noexcept {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

} // namespace qg::text
