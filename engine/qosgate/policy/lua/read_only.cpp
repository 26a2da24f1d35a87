// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/lua/read_only.hpp"

#include "qosgate/policy/lua/budget.hpp"

#include <lua.hpp>

namespace qg::policy {
namespace {

/// Upvalues: the name of the thing that cannot be written, and what to do instead, or nil.
int refuse_write(lua_State* lua) {
    const char* const name = lua_tostring(lua, lua_upvalueindex(1));
    const char* const advice = lua_tostring(lua, lua_upvalueindex(2));
    const char* const field = luaL_tolstring(lua, 2, nullptr);
    if (advice != nullptr)
        return luaL_error(lua, "%s cannot be changed (field '%s'): %s", name, field, advice);
    return luaL_error(lua, "%s cannot be changed (field '%s')", name, field);
}

int length_of(lua_State* lua) {
    push_contents(lua, 1);
    lua_pushinteger(lua, static_cast<lua_Integer>(lua_rawlen(lua, -1)));
    return 1;
}

int pairs_of(lua_State* lua) {
    lua_pushcfunction(lua, &next_entry);
    lua_pushvalue(lua, 1);
    lua_pushnil(lua);
    return 3;
}

/// Makes the table at `shown` show the hidden one on top of the stack, which is popped.
void show(lua_State* lua, int shown, const char* description, const char* advice = nullptr) {
    const int table = lua_absindex(lua, shown);
    lua_createtable(lua, 0, 4);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, "__index");
    lua_pushstring(lua, description);
    lua_pushstring(lua, advice); // nil for null
    lua_pushcclosure(lua, &refuse_write, 2);
    lua_setfield(lua, -2, "__newindex");
    lua_pushcfunction(lua, &length_of);
    lua_setfield(lua, -2, "__len");
    lua_pushcfunction(lua, &pairs_of);
    lua_setfield(lua, -2, "__pairs");
    lua_setmetatable(lua, table);
}

/// Adds the value at `index` to the list at `list` if it is a table.
void add_table(lua_State* lua, int list, int index) {
    if (!lua_istable(lua, index)) return;
    lua_pushvalue(lua, index);
    lua_rawseti(lua, list, static_cast<lua_Integer>(lua_rawlen(lua, list)) + 1);
}

/// Moves the entries of the table on top of the stack to a new one, which is pushed. Notes tables among the
/// keys and values in the list.
void move_entries(lua_State* lua, int list) {
    const int table = lua_gettop(lua);
    lua_createtable(lua, static_cast<int>(lua_rawlen(lua, table)), 0);
    const int hidden = table + 1;
    for (lua_pushnil(lua); lua_next(lua, table) != 0;) {
        Budget::charge(lua, 1);
        add_table(lua, list, -2);
        add_table(lua, list, -1);
        lua_pushvalue(lua, -2);
        lua_insert(lua, -2);
        lua_rawset(lua, hidden);
        // A field may be cleared while next() goes through the table.
        lua_pushvalue(lua, -1);
        lua_pushnil(lua);
        lua_rawset(lua, table);
    }
}

} // namespace

void make_read_only(lua_State* lua, const char* description, const char* advice) {
    lua_createtable(lua, 0, 0);
    lua_insert(lua, -2);
    show(lua, -2, description, advice);
}

void freeze(lua_State* lua, const char* description) {
    luaL_checkstack(lua, 12, nullptr);
    lua_createtable(lua, 1, 0);
    const int list = lua_gettop(lua);
    add_table(lua, list, list - 1);
    for (lua_Integer at = 1; at <= static_cast<lua_Integer>(lua_rawlen(lua, list)); ++at) {
        lua_rawgeti(lua, list, at);
        if (lua_getmetatable(lua, -1) != 0) { // read-only before
            lua_pop(lua, 2);
            continue;
        }
        move_entries(lua, list);
        show(lua, -2, description);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

void push_contents(lua_State* lua, int index) {
    const int table = lua_absindex(lua, index);
    const int type = luaL_getmetafield(lua, table, "__index"); // nil is not pushed
    if (type == LUA_TTABLE) return;
    if (type != LUA_TNIL) lua_pop(lua, 1);
    lua_pushvalue(lua, table);
}

int next_entry(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 2);
    push_contents(lua, 1);
    lua_insert(lua, 2);
    if (lua_next(lua, 2) != 0) return 2;
    lua_pushnil(lua);
    return 1;
}

} // namespace qg::policy
