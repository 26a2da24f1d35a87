// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/old_lua.hpp"

#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lib/old_numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

int traceback(lua_State* lua) {
    if (lua_gettop(lua) >= 1) make_old_text(lua, 1);
    luaL_traceback(lua, lua, lua_tostring(lua, 1), 1);
    return 1;
}

void set_number(lua_State* lua, const char* name, int number) {
    lua_pushnumber(lua, number);
    lua_setfield(lua, -2, name);
}

void set_text(lua_State* lua, const char* name, const char* text) {
    lua_pushstring(lua, text);
    lua_setfield(lua, -2, name);
}

/// A file of qosgate.d/compat is in the directory from which the script reads files: ./
void set_source(lua_State* lua, const lua_Debug& found) {
    constexpr std::string_view directory = "@compat/";
    if (std::string_view(found.source).starts_with(directory))
        lua_pushfstring(lua, "@./%s", found.source + directory.size());
    else
        lua_pushstring(lua, found.source);
    lua_setfield(lua, -2, "source");
}

/// debug.getinfo(level or function): where it is, for scripts that look for their own directory or line. All
/// members are there, whatever the second argument asks for, but no function.
int get_info(lua_State* lua) {
    lua_Debug found{};
    lua_settop(lua, 1);
    if (lua_isfunction(lua, 1) != 0) {
        lua_getinfo(lua, ">Snl", &found);
    } else {
        constexpr lua_Integer max_level = 100'000;
        const lua_Integer level =
            std::clamp<lua_Integer>(to_old_integer(luaL_checknumber(lua, 1)), -1, max_level);
        Budget::charge(lua, level / 10);
        if (level < 0 || lua_getstack(lua, static_cast<int>(level), &found) == 0) {
            lua_pushnil(lua);
            return 1;
        }
        lua_getinfo(lua, "Snl", &found);
    }
    Budget::charge(lua, 50 + static_cast<std::int64_t>(std::strlen(found.source)) / 32);
    lua_createtable(lua, 0, 8);
    set_source(lua, found);
    set_text(lua, "short_src", found.short_src);
    set_text(lua, "what", found.what);
    set_text(lua, "name", found.name);
    set_text(lua, "namewhat", found.namewhat);
    set_number(lua, "currentline", found.currentline);
    set_number(lua, "linedefined", found.linedefined);
    set_number(lua, "lastlinedefined", found.lastlinedefined);
    return 1;
}

} // namespace

void push_debug(lua_State* lua) {
    static constexpr luaL_Reg functions[] = {
        {"traceback", &traceback}, {"getinfo", &get_info}, {nullptr, nullptr}};
    luaL_newlib(lua, functions);
}

} // namespace qg::policy::compat
