// SPDX-License-Identifier: GPL-2.0-or-later
//
// Arithmetic on whole numbers that does not overflow: the result is the maximum if it is too large.
#pragma once

#include <cstdint>
#include <limits>

namespace qg {

/// The number without its fraction. A negative number or NaN becomes 0, a number that is too large becomes
/// the maximum. A plain conversion of such numbers is undefined.
template <typename Float>
[[nodiscard]] constexpr std::uint64_t saturate(Float value) noexcept {
    if (!(value > 0)) return 0; // true for NaN, too
    constexpr auto too_large = static_cast<Float>(std::uint64_t{1} << 63) * 2;
    return value < too_large ? static_cast<std::uint64_t>(value) : std::numeric_limits<std::uint64_t>::max();
}

[[nodiscard]] constexpr std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) noexcept {
    constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    return a > max - b ? max : a + b;
}

[[nodiscard]] constexpr std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) noexcept {
    constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    return a != 0 && b > max / a ? max : a * b;
}

/// The quotient, rounded up to a whole number. `by` must not be 0.
[[nodiscard]] constexpr std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) noexcept {
    return value / by + (value % by != 0 ? 1 : 0);
}

} // namespace qg
