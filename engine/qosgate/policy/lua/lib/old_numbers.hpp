// SPDX-License-Identifier: GPL-2.0-or-later
//
// old_numbers: the numbers of Lua 5.1 on x86-64. All are double: there are no integers. So 4 / 2 reads "2",
// and a function in C that needs a whole number drops the fraction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

struct lua_State;

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

} // namespace qg::policy
