// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/old_lua.hpp"

#include "qosgate/policy/budget.hpp"
#include "qosgate/policy/compat/debug_library.hpp"
#include "qosgate/policy/compat/old_text.hpp"
#include "qosgate/policy/compat/script_lists.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/compat/source_rewrite.hpp"
#include "qosgate/policy/lua_lib/charged.hpp"
#include "qosgate/policy/lua_lib/string_library.hpp"
#include "qosgate/policy/lua_lib/table_library.hpp"
#include "qosgate/policy/lua_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

/// What the interpreter has and scripts do not get: it reaches the host, or leaves the bounds.
constexpr std::array withheld{"dofile", "loadfile", "require", "collectgarbage", "warn"};

/// Whether the script may not catch the present error: a budget is spent, or qosgate has withheld something.
bool ends_script(lua_State* lua) noexcept {
    LuaState& state = LuaState::of(lua);
    return state.budget().exhausted() != Exhausted::nothing ||
           (state.script != nullptr && state.script->has_withheld());
}

/// Ends a protected call: true and its results, or false and the error, unless it ends the script.
int end_protected(lua_State* lua, int status, int first) {
    if (status == LUA_OK) {
        lua_pushboolean(lua, 1);
        lua_insert(lua, first);
        return lua_gettop(lua) - first + 1;
    }
    if (ends_script(lua)) return lua_error(lua);
    lua_pushboolean(lua, 0);
    lua_insert(lua, -2);
    return 2;
}

int old_pcall(lua_State* lua) {
    luaL_checkany(lua, 1);
    return end_protected(lua, lua_pcall(lua, lua_gettop(lua) - 1, LUA_MULTRET, 0), 1);
}

/// xpcall(f, handler, ...). The handler runs when the error has ended f, not inside it as in Lua: an error
/// that the budget's hook raises would run it with hooks switched off, and so without bounds.
int old_xpcall(lua_State* lua) {
    luaL_checktype(lua, 2, LUA_TFUNCTION);
    const int arguments = lua_gettop(lua) - 2;
    lua_pushvalue(lua, 1);
    lua_insert(lua, 3);
    const int results = end_protected(lua, lua_pcall(lua, arguments, LUA_MULTRET, 0), 3);
    if (lua_toboolean(lua, -results) != 0) return results;
    lua_pushvalue(lua, 2);
    lua_insert(lua, -2);
    lua_call(lua, 1, 1);
    return 2;
}

/// A finalizer would run without bounds, and Lua 5.1 has none for tables.
int old_setmetatable(lua_State* lua) {
    const int type = lua_type(lua, 2);
    luaL_checktype(lua, 1, LUA_TTABLE);
    luaL_argexpected(lua, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
    if (luaL_getmetafield(lua, 1, "__metatable") != LUA_TNIL)
        return luaL_error(lua,
                          "cannot change a protected metatable: fields of Slurm's records are read without "
                          "setmetatable, so remove this call");
    lua_settop(lua, 2);
    if (type == LUA_TNIL) {
        lua_setmetatable(lua, 1);
        return 1;
    }
    lua_pushliteral(lua, "__gc");
    lua_rawget(lua, 2);
    lua_pushliteral(lua, "__gc");
    lua_pushnil(lua);
    lua_rawset(lua, 2);
    lua_pushvalue(lua, 2);
    lua_setmetatable(lua, 1);
    lua_pushliteral(lua, "__gc");
    lua_insert(lua, -2);
    lua_rawset(lua, 2);
    lua_settop(lua, 1);
    return 1;
}

int compile(lua_State* lua, std::string_view source, const char* chunk_name, bool has_environment) {
    std::string_view text;
    if (!push_rewritten(lua, source, has_environment, text)) return luaL_error(lua, "out of memory");
    const int status = luaL_loadbufferx(lua, text.data(), text.size(), chunk_name, "t");
    lua_remove(lua, -2); // the block of the text
    if (status == LUA_OK) return 1;
    if (status == LUA_ERRMEM) return lua_error(lua);
    lua_pushnil(lua);
    lua_insert(lua, -2);
    return 2;
}

/// Replaces the function at 1 by the text that it gives piece by piece.
void join_pieces(lua_State* lua) {
    luaL_Buffer text;
    luaL_buffinit(lua, &text);
    for (;;) {
        Budget::charge(lua, 10);
        lua_pushvalue(lua, 1);
        lua_call(lua, 0, 1);
        std::size_t length = 0;
        if (lua_isnil(lua, -1) ||
            (lua_isstring(lua, -1) != 0 && (lua_tolstring(lua, -1, &length), length == 0)))
            break;
        if (lua_isstring(lua, -1) == 0) luaL_error(lua, "reader function must return a string");
        luaL_addvalue(&text);
    }
    lua_pop(lua, 1);
    luaL_pushresult(&text);
    lua_replace(lua, 1);
}

/// load(text or function [, name [, mode [, environment]]])
int old_load(lua_State* lua) {
    const bool has_environment = !lua_isnone(lua, 4);
    if (lua_isfunction(lua, 1)) {
        lua_settop(lua, 4);
        join_pieces(lua);
    }
    std::size_t length = 0;
    const char* source = luaL_checklstring(lua, 1, &length);
    const char* name = luaL_optstring(lua, 2, source);
    Budget::charge(lua, cost_of_compiling(length));
    if (has_environment) return compile_text_in(lua, {source, length}, name, 4);
    return compile_text(lua, {source, length}, name);
}

/// The number of the memory in use, as scripts print it; nothing is collected.
int old_collectgarbage(lua_State* lua) {
    const std::string_view what = luaL_optstring(lua, 1, "collect");
    lua_pushinteger(lua, what == "count" ? lua_gc(lua, LUA_GCCOUNT) : 0);
    return 1;
}

// ---- math and table ------------------------------------------------------------------------------------

template <double (*function)(double)>
int of_one(lua_State* lua) {
    lua_pushnumber(lua, function(luaL_checknumber(lua, 1)));
    return 1;
}
template <double (*function)(double, double)>
int of_two(lua_State* lua) {
    lua_pushnumber(lua, function(luaL_checknumber(lua, 1), luaL_checknumber(lua, 2)));
    return 1;
}
/// As Lua 5.1 reads an int: it keeps the low bits of a number of 64 bits, and 0 of a larger one.
int check_old_int(lua_State* lua, int index) {
    const double number = luaL_checknumber(lua, index);
    constexpr double end = 9223372036854775808.0; // 2^63
    return number >= -end && number < end ? static_cast<int>(static_cast<std::int64_t>(number)) : 0;
}
int math_ldexp(lua_State* lua) {
    lua_pushnumber(lua, std::ldexp(luaL_checknumber(lua, 1), check_old_int(lua, 2)));
    return 1;
}
int math_frexp(lua_State* lua) {
    int exponent = 0;
    lua_pushnumber(lua, std::frexp(luaL_checknumber(lua, 1), &exponent));
    lua_pushinteger(lua, exponent);
    return 2;
}

constexpr luaL_Reg old_math[] = {
    {"pow", &of_two<std::pow>},     {"mod", &of_two<std::fmod>},
    {"log10", &of_one<std::log10>}, {"sinh", &of_one<std::sinh>},
    {"cosh", &of_one<std::cosh>},   {"tanh", &of_one<std::tanh>},
    {"atan2", &of_two<std::atan2>}, {"ldexp", &math_ldexp},
    {"frexp", &math_frexp},         {nullptr, nullptr},
};

int table_getn(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_pushinteger(lua, luaL_len(lua, 1));
    return 1;
}

/// Calls the function at 2 with key and value; true: it returned something, which is on top.
bool visit(lua_State* lua) {
    lua_pushvalue(lua, 2);
    lua_pushvalue(lua, -3);
    lua_pushvalue(lua, -3);
    lua_call(lua, 2, 1);
    if (!lua_isnil(lua, -1)) return true;
    lua_pop(lua, 1);
    return false;
}

int table_foreach(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    luaL_checktype(lua, 2, LUA_TFUNCTION);
    lua_settop(lua, 2);
    for (lua_pushnil(lua);; lua_pop(lua, 1)) {
        Budget::charge(lua, 1);
        lua_pushcfunction(lua, &next_of_filled); // it may be part_list
        lua_pushvalue(lua, 1);
        lua_rotate(lua, 3, -1);
        lua_call(lua, 2, 2);
        if (lua_isnil(lua, 3)) return 0;
        if (visit(lua)) return 1;
    }
}

int table_foreachi(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    luaL_checktype(lua, 2, LUA_TFUNCTION);
    const lua_Integer count = luaL_len(lua, 1);
    for (lua_Integer i = 1; i <= count; ++i) {
        Budget::charge(lua, 1);
        lua_pushinteger(lua, i);
        lua_geti(lua, 1, i);
        if (visit(lua)) return 1;
        lua_pop(lua, 2);
    }
    return 0;
}

int table_maxn(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    double largest = 0;
    for (lua_pushnil(lua); lua_next(lua, 1) != 0; lua_pop(lua, 1)) {
        Budget::charge(lua, 1);
        if (lua_type(lua, -2) == LUA_TNUMBER) largest = std::max(largest, lua_tonumber(lua, -2));
    }
    lua_pushnumber(lua, largest);
    return 1;
}

constexpr luaL_Reg old_table[] = {
    {"getn", &table_getn}, {"foreach", &table_foreach}, {"foreachi", &table_foreachi},
    {"maxn", &table_maxn}, {"concat", &concat_table},   {nullptr, nullptr},
};

// ---- numbers -------------------------------------------------------------------------------------------
// Lua 5.1 has no whole numbers of 64 bits, whose products overflow.

/// Calls the function in upvalue 1 and makes its first result a number of Lua 5.1, if it is one.
int as_old_number(lua_State* lua) {
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, LUA_MULTRET);
    if (lua_gettop(lua) > 0 && lua_isinteger(lua, 1) != 0) {
        lua_pushnumber(lua, lua_tonumber(lua, 1));
        lua_replace(lua, 1);
    }
    return lua_gettop(lua);
}

/// Replaces a function of the table on top of the stack by one whose result is such a number.
void give_old_numbers(lua_State* lua, const char* name) {
    lua_getfield(lua, -1, name);
    lua_pushcclosure(lua, &as_old_number, 1);
    lua_setfield(lua, -2, name);
}

/// Arithmetic of texts that are numbers. Upvalue 1: the function for all other values.
template <int operation>
int calculate_with_texts(lua_State* lua) {
    lua_settop(lua, 2);
    charge_values(lua, 1, 2);
    if (lua_isnumber(lua, 1) == 0 || lua_isnumber(lua, 2) == 0) {
        lua_pushvalue(lua, lua_upvalueindex(1));
        lua_insert(lua, 1);
        lua_call(lua, 2, 1);
        return 1;
    }
    for (int operand = 1; operand <= 2; ++operand) {
        lua_pushnumber(lua, lua_tonumber(lua, operand));
        lua_replace(lua, operand);
    }
    if constexpr (operation == LUA_OPUNM) lua_settop(lua, 1);
    lua_arith(lua, operation);
    return 1;
}

template <int operation>
void replace_arithmetic(lua_State* lua, const char* event) {
    lua_getfield(lua, -1, event);
    lua_pushcclosure(lua, &calculate_with_texts<operation>, 1);
    lua_setfield(lua, -2, event);
}

/// Stack: anything.
void calculate_texts_as_old_numbers(lua_State* lua) {
    lua_pushliteral(lua, "");
    if (lua_getmetatable(lua, -1) != 0) {
        replace_arithmetic<LUA_OPADD>(lua, "__add");
        replace_arithmetic<LUA_OPSUB>(lua, "__sub");
        replace_arithmetic<LUA_OPMUL>(lua, "__mul");
        replace_arithmetic<LUA_OPMOD>(lua, "__mod");
        replace_arithmetic<LUA_OPPOW>(lua, "__pow");
        replace_arithmetic<LUA_OPDIV>(lua, "__div");
        replace_arithmetic<LUA_OPIDIV>(lua, "__idiv");
        replace_arithmetic<LUA_OPUNM>(lua, "__unm");
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

// ---- building ------------------------------------------------------------------------------------------

/// Leaves a library of the interpreter on the stack.
void open_library(lua_State* lua, lua_CFunction open) {
    lua_pushcfunction(lua, open);
    lua_call(lua, 0, 1);
}

void remove_field(lua_State* lua, const char* name) {
    lua_pushnil(lua);
    lua_setfield(lua, -2, name);
}

/// Stack: the globals.
void add_base(lua_State* lua) {
    static constexpr luaL_Reg functions[] = {
        {"pcall", &old_pcall},       {"xpcall", &old_xpcall},   {"setmetatable", &old_setmetatable},
        {"load", &old_load},         {"loadstring", &old_load}, {"collectgarbage", &old_collectgarbage},
        {"tostring", &old_tostring}, {nullptr, nullptr},
    };
    for (const char* name : withheld)
        remove_field(lua, name);
    charge_function(lua, "select", Work::first);
    charge_function(lua, "tonumber", Work::whole);
    luaL_setfuncs(lua, functions, 0);
    give_old_numbers(lua, "tonumber");
    lua_pushcfunction(lua, &concat);
    lua_setfield(lua, -2, concat_name.data());
    push_debug(lua);
    lua_setfield(lua, -2, "debug");
}

void add_string(lua_State* lua) {
    open_library(lua, &luaopen_string); // this also gives texts their metatable
    calculate_texts_as_old_numbers(lua);
    for (const char* name : {"dump", "pack", "packsize", "unpack"})
        remove_field(lua, name);
    bound_old_string_functions(lua);
    lua_getfield(lua, -1, "gmatch");
    lua_setfield(lua, -2, "gfind");
    lua_pushcfunction(lua, &concat);
    lua_setfield(lua, -2, concat_name.data());
    lua_getfield(lua, -1, "format");
    lua_pushcclosure(lua, &format_text, 1);
    lua_setfield(lua, -2, "format");
    lua_setfield(lua, -2, "string");
}

void add_table(lua_State* lua) {
    open_library(lua, &luaopen_table);
    bound_table_functions(lua);
    luaL_setfuncs(lua, old_table, 0);
    lua_getfield(lua, -1, "unpack");
    lua_setfield(lua, -3, "unpack");
    lua_setfield(lua, -2, "table");
}

int build(lua_State* lua) {
    lua_settop(lua, 0);
    open_library(lua, &luaopen_base);
    add_base(lua);
    add_string(lua);
    add_table(lua);
    open_library(lua, &luaopen_math);
    luaL_setfuncs(lua, old_math, 0);
    charge_library(lua);
    for (const char* name : {"floor", "ceil", "fmod", "modf"})
        give_old_numbers(lua, name);
    lua_setfield(lua, -2, "math");
    return 0;
}

} // namespace

Result<void> install_old_lua(LuaState& state) {
    return protected_call(state, &build, nullptr);
}

int compile_text(lua_State* lua, std::string_view source, const char* chunk_name) {
    return compile(lua, source, chunk_name, /*has_environment=*/false);
}

int compile_text_in(lua_State* lua, std::string_view source, const char* chunk_name, int environment) {
    const int results = compile(lua, source, chunk_name, /*has_environment=*/true);
    if (results != 1) return results;
    lua_pushvalue(lua, environment);
    lua_setupvalue(lua, -2, 1);
    return results;
}

} // namespace qg::policy::compat
