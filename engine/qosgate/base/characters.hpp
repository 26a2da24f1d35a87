// SPDX-License-Identifier: GPL-2.0-or-later
//
// How non-ASCII characters are displayed, according to Unicode's tables.
#pragma once

#include <cstdint>

namespace qg::text {

/// Whether a non-ASCII character is invisible: a control or format character, a change of text direction, a
/// line break, or a character that is ignored if the font does not have it (tags, variation selectors,
/// fillers).
[[nodiscard]] bool is_invisible(std::uint32_t code) noexcept;

/// Whether a character is drawn onto the one before it, as an accent is. False for invisible characters.
[[nodiscard]] bool is_combining(std::uint32_t code) noexcept;

} // namespace qg::text
