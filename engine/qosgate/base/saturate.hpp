// SPDX-License-Identifier: GPL-2.0-or-later
//
// Floating numbers as whole ones.
#pragma once

#include <cstdint>
#include <limits>

namespace qg {

/// The number cut to a whole one; what is below zero, or none, is 0, and what is too large the greatest there
/// is. A plain conversion of those is undefined.
template <typename Float>
[[nodiscard]] constexpr std::uint64_t saturate(Float value) noexcept {
    if (!(value > 0)) return 0; // also a NaN
    constexpr auto too_large = static_cast<Float>(std::uint64_t{1} << 63) * 2;
    return value < too_large ? static_cast<std::uint64_t>(value) : std::numeric_limits<std::uint64_t>::max();
}

} // namespace qg
