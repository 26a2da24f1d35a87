// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <limits>

#include <lua.hpp>

namespace qg::policy::compat {

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

} // namespace qg::policy::compat
