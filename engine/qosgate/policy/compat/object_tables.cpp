// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/object_tables.hpp"

#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lib/old_numbers.hpp"

namespace qg::policy::compat {

using model::ScriptValue;

ScriptHost& check_host(lua_State* lua) {
    ScriptRun* run = LuaState::of(lua).script;
    ScriptHost* host = run == nullptr ? nullptr : run->host();
    if (host == nullptr)
        raise_withheld(lua, "jobs and partitions can be read only while a job is submitted or changed");
    return *host;
}

std::string_view check_text(lua_State* lua, int index) {
    make_old_text(lua, index);
    std::size_t length = 0;
    const char* text = luaL_checklstring(lua, index, &length);
    return {text, length};
}

int raise(lua_State* lua, const ErrorText& error) {
    return raise_withheld(lua, error.c_str());
}

void push_script_value(lua_State* lua, const ScriptValue& value) {
    switch (value.kind) {
    case ScriptValue::Kind::number: return lua_pushnumber(lua, value.number);
    case ScriptValue::Kind::flag: return lua_pushboolean(lua, value.number != 0 ? 1 : 0);
    case ScriptValue::Kind::text:
        if (value.text.size() > Budget::max_string)
            raise_withheld(lua, lua_pushfstring(lua, "the text is longer than %d bytes",
                                                static_cast<int>(Budget::max_string)));
        lua_pushlstring(lua, value.text.data(), value.text.size());
        return;
    case ScriptValue::Kind::nothing:
    case ScriptValue::Kind::unknown: break; // read_listed_field() looks for it
    }
    lua_pushnil(lua);
}

void make_type(lua_State* lua, const char* type, const luaL_Reg* functions) {
    luaL_newmetatable(lua, type);
    luaL_setfuncs(lua, functions, 0);
    hide_metatable(lua);
    lua_pop(lua, 1);
}

void push_object(lua_State* lua, const char* type) {
    lua_createtable(lua, 0, 0);
    luaL_setmetatable(lua, type);
}

void hide_metatable(lua_State* lua) {
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
}

} // namespace qg::policy::compat
