// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/old_host.hpp"

#include "qosgate/policy/lua/lib/old_numbers.hpp"

#include <cstdlib>
#include <ctime>
#include <string_view>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

/// The numbers in the table of a time.
constexpr const char* time_numbers[] = {"year", "month", "day", "hour", "min", "sec", "yday", "wday"};

/// Runs the function in upvalue 1 in this call.
int run_replaced(lua_State* lua) {
    return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

/// os.time([table]): fractions are dropped, what is no number is missing, and the table stays as it is.
int old_time(lua_State* lua) {
    if (lua_isnoneornil(lua, 1)) {
        lua_settop(lua, 0);
        return run_replaced(lua);
    }
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 1);
    lua_createtable(lua, 0, 8);
    for (const char* name : time_numbers) {
        lua_getfield(lua, 1, name);
        const auto number = old_number_at(lua, -1);
        lua_pop(lua, 1);
        if (!number) continue;
        lua_pushinteger(lua, to_old_int(*number));
        lua_setfield(lua, 2, name);
    }
    lua_getfield(lua, 1, "isdst");
    lua_setfield(lua, 2, "isdst");
    lua_remove(lua, 1);
    return run_replaced(lua);
}

/// os.date([format [, time]]): nil for a time that has no date.
int old_date(lua_State* lua) {
    const std::time_t time = luaL_optinteger(lua, 2, 0);
    std::tm fields{};
    if (gmtime_r(&time, &fields) == nullptr) {
        lua_pushnil(lua);
        return 1;
    }
    const int results = run_replaced(lua);
    if (!lua_istable(lua, -1)) return results;
    for (const char* name : time_numbers) {
        lua_getfield(lua, -1, name);
        lua_pushnumber(lua, lua_tonumber(lua, -1));
        lua_setfield(lua, -3, name);
        lua_pop(lua, 1);
    }
    return results;
}

/// os.difftime(time [, time])
int old_difftime(lua_State* lua) {
    const lua_Integer end = luaL_checkinteger(lua, 1);
    lua_pushnumber(lua, std::difftime(end, luaL_optinteger(lua, 2, 0)));
    return 1;
}

/// os.execute([command]): what system() of C returns, so 0 is success, and 256 an exit with 1.
int old_execute(lua_State* lua) {
    lua_pushinteger(lua, std::system(luaL_optstring(lua, 1, nullptr)));
    return 1;
}

/// Lua 5.4 gives three values for a program: true or nil, how it ended, and a number. The first is true in
/// Lua 5.1, which has no others.
int old_close(lua_State* lua) {
    const int results = run_replaced(lua);
    if (results != 3 || lua_type(lua, -2) != LUA_TSTRING) return results;
    const std::string_view how = lua_tostring(lua, -2);
    if (how != "exit" && how != "signal") return results;
    lua_pushboolean(lua, 1);
    lua_replace(lua, -4);
    return results;
}

/// Replaces a function of the table on top of the stack, if it has it.
void replace_function(lua_State* lua, const char* name, lua_CFunction function) {
    if (lua_getfield(lua, -1, name) != LUA_TFUNCTION) return lua_pop(lua, 1);
    lua_pushcclosure(lua, function, 1);
    lua_setfield(lua, -2, name);
}

} // namespace

void make_os_old(lua_State* lua) {
    replace_function(lua, "date", &old_date);
    replace_function(lua, "difftime", &old_difftime);
    replace_function(lua, "execute", &old_execute);
    replace_function(lua, "time", &old_time);
}

void make_io_old(lua_State* lua) {
    lua_getglobal(lua, "io");
    replace_function(lua, "close", &old_close);
    luaL_getmetatable(lua, LUA_FILEHANDLE);
    lua_getfield(lua, -1, "__index");
    replace_function(lua, "close", &old_close);
    lua_pop(lua, 3);
}

} // namespace qg::policy::compat
