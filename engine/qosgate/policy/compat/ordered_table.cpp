// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/ordered_table.hpp"

#include "qosgate/policy/lua/budget.hpp"

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

/// Its address is the key of the order in a metatable: scripts have no such value.
const char order_key = 0;

/// Pushes the order of the table at 1. False: it has none, and nothing is pushed.
bool push_order_of(lua_State* lua) {
    if (lua_getmetatable(lua, 1) == 0) return false;
    const bool has_order = lua_rawgetp(lua, -1, &order_key) == LUA_TTABLE;
    lua_remove(lua, -2);
    if (!has_order) lua_pop(lua, 1);
    return has_order;
}

/// The place of the key at `key`; 0: the order at 3 does not have it.
lua_Integer place_of(lua_State* lua, int key) {
    if (lua_type(lua, key) != LUA_TSTRING) return 0;
    lua_pushvalue(lua, key);
    lua_rawget(lua, 3);
    const lua_Integer place = lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    return place;
}

/// Pushes the first key of the order behind `place` that the table has, and its value. False: none.
bool push_next_ordered(lua_State* lua, lua_Integer place) {
    while (lua_rawgeti(lua, 3, ++place) != LUA_TNIL) {
        Budget::charge(lua, 1);
        lua_pushvalue(lua, -1);
        if (lua_rawget(lua, 1) != LUA_TNIL) return true;
        lua_pop(lua, 2);
    }
    lua_pop(lua, 1);
    return false;
}

int pairs_in_order(lua_State* lua) {
    lua_settop(lua, 1);
    lua_pushcfunction(lua, &next_in_order);
    lua_insert(lua, 1);
    lua_pushnil(lua);
    return 3;
}

} // namespace

void push_order(lua_State* lua) {
    lua_createtable(lua, 0, 0);
}

void add_to_order(lua_State* lua, int order, int key, std::int64_t place) {
    key = lua_absindex(lua, key);
    lua_pushvalue(lua, key);
    lua_rawseti(lua, order, place);
    lua_pushvalue(lua, key);
    lua_pushinteger(lua, place);
    lua_rawset(lua, order);
}

void set_order(lua_State* lua, int index) {
    lua_createtable(lua, 0, 3);
    lua_insert(lua, -2);
    lua_rawsetp(lua, -2, &order_key);
    lua_pushcfunction(lua, &pairs_in_order);
    lua_setfield(lua, -2, "__pairs");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, index);
}

int next_in_order(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 2);
    const bool has_order = push_order_of(lua);
    const lua_Integer place = has_order ? place_of(lua, 2) : 0;
    if (has_order && (place != 0 || lua_isnil(lua, 2))) {
        if (push_next_ordered(lua, place)) return 2;
        lua_pushnil(lua); // now the others, from the first one on
    } else {
        lua_pushvalue(lua, 2);
    }
    while (lua_next(lua, 1) != 0) {
        if (!has_order || place_of(lua, -2) == 0) return 2;
        Budget::charge(lua, 1);
        lua_pop(lua, 1);
    }
    lua_pushnil(lua);
    return 1;
}

} // namespace qg::policy::compat
