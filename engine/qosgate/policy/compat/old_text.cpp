// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/old_text.hpp"

#include "qosgate/policy/budget.hpp"
#include "qosgate/policy/compat/old_lua.hpp"
#include "qosgate/policy/compat/source_rewrite.hpp"
#include "qosgate/policy/lua_lib/charged.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <new>
#include <string>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

bool is_fraction_type(lua_State* lua, int index) noexcept {
    return lua_type(lua, index) == LUA_TNUMBER && lua_isinteger(lua, index) == 0;
}

/// Pushes a number of the type that may print as "2.0".
void push_number_text(lua_State* lua, double number) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.14g", number);
    lua_pushstring(lua, text.data());
}

// ---- a .. b --------------------------------------------------------------------------------------------

bool is_text(lua_State* lua, int index) {
    return lua_isstring(lua, index) != 0; // also of a number
}

/// Pushes the result of joining the values at `left` and `right`, of which one may have a metamethod.
void join(lua_State* lua, int left, int right) {
    if (is_text(lua, left) && is_text(lua, right)) {
        charge_values(lua, left, right);
        push_old_text(lua, left);
        push_old_text(lua, right);
        lua_concat(lua, 2);
        return;
    }
    if (luaL_getmetafield(lua, left, "__concat") == LUA_TNIL &&
        luaL_getmetafield(lua, right, "__concat") == LUA_TNIL)
        luaL_error(lua, "attempt to concatenate a %s value",
                   luaL_typename(lua, is_text(lua, left) ? right : left));
    lua_pushvalue(lua, left);
    lua_pushvalue(lua, right);
    lua_call(lua, 2, 1);
}

/// From right to left, as the operator does.
void join_one_by_one(lua_State* lua) {
    for (int left = lua_gettop(lua) - 1; left >= 1; --left) {
        join(lua, left, left + 1);
        lua_replace(lua, left);
        lua_settop(lua, left);
    }
}

// ---- string.format -------------------------------------------------------------------------------------

/// What one place of a format takes.
enum class Place : std::uint8_t { text, whole, other };

/// Whether the letter stands between "%" and what the place takes.
bool is_modifier(char letter) noexcept {
    return std::string_view("-+ #0123456789.").find(letter) != std::string_view::npos;
}

Place place_of(char letter) noexcept {
    switch (letter) {
    case 's': return Place::text;
    case 'd':
    case 'u':
    case 'i':
    case 'c':
    case 'o':
    case 'x':
    case 'X': return Place::whole;
    default: return Place::other;
    }
}

/// Replaces a number with a fraction by the whole number in it, as the casts of Lua 5.1 do.
void cut_fraction(lua_State* lua, int index) {
    if (lua_isnumber(lua, index) == 0) return;
    int is_whole = 0;
    lua_tointegerx(lua, index, &is_whole);
    if (is_whole != 0) return;
    const double number = std::trunc(lua_tonumber(lua, index));
    constexpr double limit = 0x1p63;
    // Beyond that a cast gives the lowest number; also for what is not a number.
    const bool fits = number >= -limit && number < limit;
    lua_pushinteger(lua, fits ? static_cast<lua_Integer>(number) : LUA_MININTEGER);
    lua_replace(lua, index);
}

/// Prepares the argument of one place.
void prepare(lua_State* lua, int index, Place place) {
    if (index > lua_gettop(lua)) return; // string.format says what is missing
    if (place == Place::text) {
        push_old_text(lua, index);
        lua_replace(lua, index);
    } else if (place != Place::other) {
        cut_fraction(lua, index);
    }
}

// ---- sources -------------------------------------------------------------------------------------------

int destroy_text(lua_State* lua) {
    std::destroy_at(static_cast<std::string*>(lua_touserdata(lua, 1)));
    return 0;
}

/// False: there is no memory.
bool rewrite(std::string_view source, bool has_environment, std::string& into) noexcept {
    try {
        // Texts find their methods without any global.
        const std::string concat = std::string(has_environment ? "('')." : "").append(concat_name);
        into = rewrite_for_lua_5_4(source, concat);
        return true;
    } catch (...) {
        return false;
    }
}

} // namespace

void push_old_text(lua_State* lua, int index) {
    if (is_fraction_type(lua, index))
        push_number_text(lua, lua_tonumber(lua, index));
    else
        luaL_tolstring(lua, index, nullptr);
}

int old_tostring(lua_State* lua) {
    luaL_checkany(lua, 1);
    push_old_text(lua, 1);
    return 1;
}

int format_text(lua_State* lua) {
    std::size_t length = 0;
    const char* format = luaL_checklstring(lua, 1, &length);
    Budget::charge(lua, 1 + static_cast<std::int64_t>(length / 4));
    luaL_Buffer changed;
    const int arguments = lua_gettop(lua);
    int argument = 1;
    // The arguments are changed first: a buffer keeps values of its own on the stack.
    for (std::size_t i = 0; i + 1 < length; ++i) {
        if (format[i] != '%') continue;
        if (format[++i] == '%') continue;
        while (i + 1 < length && is_modifier(format[i]))
            ++i;
        prepare(lua, ++argument, place_of(format[i]));
    }
    luaL_checkstack(lua, arguments + LUA_MINSTACK, "too many values for string.format");
    lua_pushvalue(lua, lua_upvalueindex(1));
    luaL_buffinit(lua, &changed);
    bool is_in_place = false;
    for (std::size_t i = 0; i < length; ++i) {
        luaL_addchar(&changed, is_in_place && format[i] == 'u' ? 'd' : format[i]);
        is_in_place = is_in_place ? is_modifier(format[i]) : format[i] == '%';
    }
    luaL_pushresult(&changed);
    for (int i = 2; i <= arguments; ++i)
        lua_pushvalue(lua, i);
    lua_call(lua, arguments, 1);
    return 1;
}

int concat_table(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    std::size_t separator_length = 0;
    const char* separator = luaL_optlstring(lua, 2, "", &separator_length);
    const lua_Integer first = opt_integer(lua, 3, 1);
    const lua_Integer last = lua_isnoneornil(lua, 4) ? luaL_len(lua, 1) : check_integer(lua, 4);
    lua_settop(lua, 2);
    luaL_Buffer result;
    luaL_buffinit(lua, &result);
    for (lua_Integer i = first; i <= last; ++i) {
        Budget::charge(lua, 1);
        lua_geti(lua, 1, i);
        if (lua_isstring(lua, -1) == 0)
            return luaL_error(lua, "invalid value (at index %d) in table for 'concat'", static_cast<int>(i));
        if (is_fraction_type(lua, -1)) {
            push_number_text(lua, lua_tonumber(lua, -1));
            lua_remove(lua, -2);
        }
        Budget::charge(lua, static_cast<std::int64_t>((lua_rawlen(lua, -1) + separator_length) / 16));
        luaL_addvalue(&result);
        if (i == last) break; // i may be the largest number there is
        luaL_addlstring(&result, separator, separator_length);
    }
    luaL_pushresult(&result);
    return 1;
}

int concat(lua_State* lua) {
    const int count = lua_gettop(lua);
    std::size_t bytes = 0;
    for (int i = 1; i <= count; ++i) {
        if (!is_text(lua, i)) {
            join_one_by_one(lua);
            return 1;
        }
        if (lua_type(lua, i) == LUA_TSTRING) bytes += lua_rawlen(lua, i);
    }
    Budget::charge(lua, 1 + static_cast<std::int64_t>(bytes / 16));
    luaL_Buffer result;
    luaL_buffinit(lua, &result);
    for (int i = 1; i <= count; ++i) {
        push_old_text(lua, i);
        luaL_addvalue(&result);
    }
    luaL_pushresult(&result);
    return 1;
}

bool push_rewritten(lua_State* lua, std::string_view source, bool has_environment, std::string_view& text) {
    // Errors of Lua skip destructors, so Lua owns the text.
    auto* block = new (lua_newuserdatauv(lua, sizeof(std::string), 0)) std::string();
    lua_createtable(lua, 0, 1);
    lua_pushcfunction(lua, &destroy_text);
    lua_setfield(lua, -2, "__gc");
    lua_setmetatable(lua, -2);
    if (!rewrite(source, has_environment, *block)) {
        lua_pop(lua, 1);
        return false;
    }
    text = *block;
    return true;
}

} // namespace qg::policy::compat
