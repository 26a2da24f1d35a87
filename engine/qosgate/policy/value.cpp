// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/value.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/lua/budget.hpp"

#include <cmath>
#include <limits>

#include <lua.hpp>

namespace qg::policy {

Value Value::of_count(std::uint64_t value) noexcept {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return unlimited();
    return {Kind::integer, static_cast<std::int64_t>(value), {}};
}

Value Value::of_time(TimeLimit limit) noexcept {
    return limit.is_unlimited() ? unlimited() : of_count(limit.minutes);
}

Value Value::of_text(std::string_view value) noexcept {
    if (value.empty()) return {};
    return {Kind::text, 0, value};
}

std::string describe(const Value& value) {
    switch (value.kind) {
    case Value::Kind::nothing: return "nil";
    case Value::Kind::flag: return value.integer != 0 ? "true" : "false";
    case Value::Kind::integer: return std::to_string(value.integer);
    case Value::Kind::unlimited: return "math.huge";
    case Value::Kind::text: return text::format("\"{}\"", text::printable(value.text, 60));
    case Value::Kind::other: return std::string(value.text);
    }
    return {};
}

Value to_value(lua_State* lua, int index) noexcept {
    switch (lua_type(lua, index)) {
    case LUA_TNIL: return {};
    case LUA_TBOOLEAN: return Value::of_flag(lua_toboolean(lua, index) != 0);
    case LUA_TNUMBER: {
        int is_whole = 0;
        const lua_Integer integer = lua_tointegerx(lua, index, &is_whole);
        if (is_whole != 0) return {Value::Kind::integer, integer, {}};
        if (lua_tonumber(lua, index) == HUGE_VAL) return Value::unlimited();
        return {Value::Kind::other, 0, "a fraction or too large a number"};
    }
    case LUA_TSTRING: return {Value::Kind::text, 0, text_at(lua, index)};
    case LUA_TTABLE: return {Value::Kind::other, 0, "a table"};
    case LUA_TFUNCTION: return {Value::Kind::other, 0, "a function"};
    default: return {Value::Kind::other, 0, "a value of that type"};
    }
}

std::string_view text_at(lua_State* lua, int index) {
    std::size_t length = 0;
    const char* bytes = lua_tolstring(lua, index, &length);
    return {bytes, length};
}

void push_value(lua_State* lua, const Value& value) {
    switch (value.kind) {
    case Value::Kind::flag: lua_pushboolean(lua, value.integer != 0 ? 1 : 0); return;
    case Value::Kind::integer: lua_pushinteger(lua, value.integer); return;
    case Value::Kind::unlimited: lua_pushnumber(lua, HUGE_VAL); return;
    case Value::Kind::text:
        if (value.text.size() > Budget::max_string)
            luaL_error(lua, "the text is longer than %d bytes", static_cast<int>(Budget::max_string));
        lua_pushlstring(lua, value.text.data(), value.text.size());
        return;
    case Value::Kind::nothing:
    case Value::Kind::other: break;
    }
    lua_pushnil(lua);
}

} // namespace qg::policy
