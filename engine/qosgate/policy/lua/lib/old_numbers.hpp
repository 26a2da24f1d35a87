// SPDX-License-Identifier: GPL-2.0-or-later
//
// old_numbers: the numbers of Lua 5.1 on x86-64. All are double: there are no integers. So 4 / 2 reads "2",
// and a function in C that needs a whole number drops the fraction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include <lua.hpp>

namespace qg::policy {

/// A number as Lua 5.1 writes it, "%.14g".
class OldNumberText {
  public:
    explicit OldNumberText(double number) noexcept;
    [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

  private:
    std::array<char, 32> bytes_; ///< the first size_ of them
    std::size_t size_;
};

/// Replaces the value at `index` by its text if it is a number.
void make_old_text(lua_State* lua, int index);

/// The number that a text is in Lua 5.1, in which strtod() decides: "nan" and "inf" are numbers, too.
std::optional<double> read_old_number(const char* text) noexcept;

/// The number at `index`, or that of its text. Cost: linear in the text. Errors: raises no Lua error.
std::optional<double> old_number_at(lua_State* lua, int index) noexcept;

/// Without its fraction, as a cast on x86-64: the lowest number for one beyond 64 bits, and for NaN.
std::int64_t to_old_integer(double number) noexcept;

/// As luaL_checkint() of Lua 5.1: the low 32 bits of that.
int to_old_int(double number) noexcept;

/// As a cast to unsigned long on x86-64, for %u and %x: -1 is the largest number.
std::uint64_t to_old_unsigned(double number) noexcept;

// ---- whole numbers -------------------------------------------------------------------------------------

/// A script's code or level as an int, its fraction dropped. A number outside of the range of int, or NaN, is
/// INT_MIN, as in Slurm's plugin on x86-64; in C++ that conversion is undefined.
inline int to_int(double number) noexcept {
    constexpr double least = std::numeric_limits<int>::min(), end = -least;
    return number > least - 1 && number < end ? static_cast<int>(number) : std::numeric_limits<int>::min();
}

/// The same of the value at `index`; 0 if it is no number.
inline int int_at(lua_State* lua, int index) {
    return to_int(lua_tonumber(lua, index));
}

} // namespace qg::policy
