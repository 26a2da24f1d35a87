// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/lua/lib/message_format.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/policy/lua/lib/charged.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <lua.hpp>

namespace qg::policy {
namespace {

/// "%-8.3d": what stands between "%" and the letter, and the letter.
struct Conversion {
    std::array<char, 16> flags{}; ///< flags, width and precision, terminated
    char letter = '\0';           ///< '\0': not one we know; shown as written
    std::size_t length = 0;       ///< of the whole, "%" included
};

/// Reads a conversion at the "%" that `text` begins with: up to 5 flags, 2 digits of width, 2 of precision.
Conversion read_conversion(std::string_view text) noexcept {
    Conversion found;
    std::size_t at = 1;
    const auto skip = [&](std::size_t max, auto accepts) {
        for (std::size_t n = 0; n < max && at < text.size() && accepts(text[at]); ++n)
            ++at;
    };
    skip(5, [](char c) { return std::strchr("-+ #0", c) != nullptr && c != '\0'; });
    skip(2, text::is_digit);
    if (at < text.size() && text[at] == '.') {
        ++at;
        skip(2, text::is_digit);
    }
    constexpr std::string_view letters = "diuxXofFgGeEsqc%";
    if (at >= text.size() || letters.find(text[at]) == std::string_view::npos) return found;
    std::memcpy(found.flags.data(), text.data() + 1, at - 1);
    found.letter = text[at];
    found.length = at + 1;
    return found;
}

/// Writes a number with the conversion's flags; false if the value at `index` does not fit the letter.
bool format_number(lua_State* lua, int index, const Conversion& how, std::array<char, 512>& out) noexcept {
    if (lua_type(lua, index) != LUA_TNUMBER) return false;
    std::array<char, 24> spec{};
    if (std::strchr("diuxXo", how.letter) != nullptr) {
        int is_whole = 0;
        const lua_Integer value = lua_tointegerx(lua, index, &is_whole);
        if (is_whole == 0) return false;
        std::snprintf(spec.data(), spec.size(), "%%%sll%c", how.flags.data(), how.letter);
        std::snprintf(out.data(), out.size(), spec.data(), static_cast<long long>(value));
        return true;
    }
    if (std::strchr("fFgGeE", how.letter) == nullptr) return false;
    std::snprintf(spec.data(), spec.size(), "%%%s%c", how.flags.data(), how.letter);
    std::snprintf(out.data(), out.size(), spec.data(), lua_tonumber(lua, index));
    return true;
}

/// Writes a short text with the conversion's width and precision; false if it must be added unchanged.
bool format_text(lua_State* lua, int index, const Conversion& how, std::array<char, 512>& out) noexcept {
    if (how.letter != 's' || how.flags[0] == '\0') return false;
    if (lua_type(lua, index) != LUA_TSTRING || lua_rawlen(lua, index) > 400) return false;
    std::array<char, 24> spec{};
    std::snprintf(spec.data(), spec.size(), "%%%ss", how.flags.data());
    std::snprintf(out.data(), out.size(), spec.data(), lua_tostring(lua, index));
    return true;
}

} // namespace

void push_message(lua_State* lua, int first) {
    const int last = lua_gettop(lua);
    charge_values(lua, first, last);
    if (last < first) {
        lua_pushliteral(lua, "");
        return;
    }
    std::size_t length = 0;
    const char* bytes = luaL_tolstring(lua, first, &length); // stays below the buffer, so `rest` stays valid
    std::string_view rest(bytes, length);
    luaL_Buffer result;
    luaL_buffinit(lua, &result);
    int next_value = first + 1;
    while (!rest.empty()) {
        const Conversion how = rest.front() == '%' ? read_conversion(rest) : Conversion{};
        if (how.letter == '\0' || how.letter == '%') {
            luaL_addchar(&result, rest.front());
            rest.remove_prefix(how.letter == '%' ? how.length : 1);
            continue;
        }
        rest.remove_prefix(how.length);
        if (next_value > last) {
            luaL_addstring(&result, "(missing)");
            continue;
        }
        std::array<char, 512> formatted;
        if (format_number(lua, next_value, how, formatted) || format_text(lua, next_value, how, formatted)) {
            luaL_addstring(&result, formatted.data());
        } else {
            luaL_tolstring(lua, next_value, nullptr);
            luaL_addvalue(&result);
        }
        ++next_value;
    }
    luaL_pushresult(&result);
}

std::size_t count_places(std::string_view format) noexcept {
    std::size_t places = 0;
    while (!format.empty()) {
        const Conversion how = format.front() == '%' ? read_conversion(format) : Conversion{};
        if (how.letter != '\0' && how.letter != '%') ++places;
        format.remove_prefix(how.letter == '\0' ? 1 : how.length);
    }
    return places;
}

} // namespace qg::policy
