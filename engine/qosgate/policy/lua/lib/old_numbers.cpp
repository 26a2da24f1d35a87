// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/lua/lib/old_numbers.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include <lua.hpp>

namespace qg::policy {

OldNumberText::OldNumberText(double number) noexcept {
    // What "%.14g" writes without an exponent and without a point; -0 is "-0".
    constexpr double end_of_plain = 1e14;
    const bool is_plain = number > -end_of_plain && number < end_of_plain && number == std::trunc(number) &&
                          !(number == 0 && std::signbit(number));
    if (is_plain) {
        const auto written =
            std::to_chars(bytes_.data(), bytes_.data() + bytes_.size(), static_cast<std::int64_t>(number));
        size_ = static_cast<std::size_t>(written.ptr - bytes_.data());
    } else {
        size_ = static_cast<std::size_t>(std::snprintf(bytes_.data(), bytes_.size(), "%.14g", number));
    }
}

void make_old_text(lua_State* lua, int index) {
    if (lua_type(lua, index) != LUA_TNUMBER) return;
    const OldNumberText text(lua_tonumber(lua, index));
    index = lua_absindex(lua, index);
    lua_pushlstring(lua, text.view().data(), text.view().size());
    lua_replace(lua, index);
}

std::optional<double> read_old_number(const char* text) noexcept {
    char* end = nullptr;
    double number = std::strtod(text, &end);
    if (end == text) return std::nullopt;
    if (*end == 'x' || *end == 'X') number = static_cast<double>(std::strtoul(text, &end, 16));
    while (std::isspace(static_cast<unsigned char>(*end)) != 0)
        ++end;
    return *end == '\0' ? std::optional(number) : std::nullopt;
}

std::optional<double> old_number_at(lua_State* lua, int index) noexcept {
    switch (lua_type(lua, index)) {
    case LUA_TNUMBER: return lua_tonumber(lua, index);
    case LUA_TSTRING: return read_old_number(lua_tostring(lua, index));
    default: return std::nullopt;
    }
}

std::int64_t to_old_integer(double number) noexcept {
    constexpr double end = 0x1p63;
    return number >= -end && number < end ? static_cast<std::int64_t>(number)
                                          : std::numeric_limits<std::int64_t>::min();
}

int to_old_int(double number) noexcept {
    return static_cast<int>(to_old_integer(number));
}

std::uint64_t to_old_unsigned(double number) noexcept {
    constexpr double half = 0x1p63;
    const bool is_large = number >= half;
    const auto low = static_cast<std::uint64_t>(to_old_integer(is_large ? number - half : number));
    return is_large ? low ^ (std::uint64_t{1} << 63U) : low;
}

} // namespace qg::policy
