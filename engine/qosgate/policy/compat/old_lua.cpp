// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/old_lua.hpp"

#include "qosgate/policy/compat/script_lists.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/compat/source_rewrite.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lib/charged.hpp"
#include "qosgate/policy/lua/lib/old_numbers.hpp"
#include "qosgate/policy/lua/lib/string_library.hpp"
#include "qosgate/policy/lua/lib/table_library.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

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

int push_no_value(lua_State* lua) {
    lua_pushnil(lua);
    return 1;
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

/// Key in the registry of the table that chunks get as their _ENV (source_rewrite.hpp).
constexpr char first_environment = 0;

/// Pushes such a table. The globals are on top of the stack, and are popped.
void push_first_environment(lua_State* lua) {
    lua_createtable(lua, 0, 3);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, globals_name.data());
    lua_pushcfunction(lua, &concat);
    lua_setfield(lua, -2, concat_name.data());
    lua_pushcfunction(lua, &make_arg);
    lua_setfield(lua, -2, arg_name.data());
}

/// Compiles a text, without a charge. The table of its first _ENV is on top of the stack, and is popped.
int compile(lua_State* lua, std::string_view source, const char* chunk_name) {
    std::string_view text;
    if (!push_rewritten(lua, source, text)) return luaL_error(lua, "out of memory");
    const int status = luaL_loadbufferx(lua, text.data(), text.size(), chunk_name, "t");
    lua_remove(lua, -2); // the block of the text
    if (status == LUA_ERRMEM) return lua_error(lua);
    lua_insert(lua, -2);
    if (status == LUA_OK) {
        lua_setupvalue(lua, -2, 1);
        return 1;
    }
    lua_pop(lua, 1);
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

/// assert(value [, message]): the message is a text, and gets the place of the call.
int old_assert(lua_State* lua) {
    luaL_checkany(lua, 1);
    if (lua_toboolean(lua, 1) != 0) return lua_gettop(lua);
    if (lua_gettop(lua) >= 2) make_old_text(lua, 2);
    return luaL_error(lua, "%s", luaL_optstring(lua, 2, "assertion failed!"));
}

/// error(value [, level]): a number gets the place, too, and so is a text.
int old_error(lua_State* lua) {
    const auto level = static_cast<int>(luaL_optinteger(lua, 2, 1));
    lua_settop(lua, 1);
    if (lua_isstring(lua, 1) == 0 || level <= 0) return lua_error(lua);
    make_old_text(lua, 1);
    luaL_where(lua, level);
    lua_insert(lua, 1);
    lua_concat(lua, 2);
    return lua_error(lua);
}

/// tonumber(value [, base])
int old_tonumber(lua_State* lua) {
    const auto base = static_cast<int>(luaL_optinteger(lua, 2, 10));
    luaL_checkany(lua, 1);
    charge_values(lua, 1, 1);
    if (base == 10) {
        const auto number = old_number_at(lua, 1);
        if (!number) return push_no_value(lua);
        lua_pushnumber(lua, *number);
        return 1;
    }
    make_old_text(lua, 1);
    const char* text = luaL_checkstring(lua, 1);
    luaL_argcheck(lua, base >= 2 && base <= 36, 2, "base out of range");
    char* end = nullptr;
    const auto number = static_cast<double>(std::strtoul(text, &end, base));
    if (end == text || end[std::strspn(end, " \t\n\v\f\r")] != '\0') return push_no_value(lua);
    lua_pushnumber(lua, number);
    return 1;
}

/// One step of pairs. next() gets its key from the loop, and the key of a table may be an integer.
int next_member(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 2);
    const double key = lua_type(lua, 2) == LUA_TNUMBER ? lua_tonumber(lua, 2) : 0.5;
    if (const auto whole = to_old_integer(key); static_cast<double>(whole) == key) {
        lua_pushinteger(lua, whole);
        lua_replace(lua, 2);
    }
    if (lua_next(lua, 1) == 0) return push_no_value(lua);
    if (lua_isinteger(lua, 2) != 0) {
        lua_pushnumber(lua, lua_tonumber(lua, 2));
        lua_replace(lua, 2);
    }
    return 2;
}

/// pairs(table), also of part_list and the like.
int old_pairs(lua_State* lua) {
    lua_settop(lua, 1);
    if (luaL_getmetafield(lua, 1, "__pairs") != LUA_TNIL) {
        lua_insert(lua, 1);
        lua_call(lua, 1, 3);
        return 3;
    }
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_pushcfunction(lua, &next_member);
    lua_insert(lua, 1);
    lua_pushnil(lua);
    return 3;
}

int next_item(lua_State* lua) {
    const double place = luaL_checknumber(lua, 2) + 1;
    lua_pushnumber(lua, place);
    return lua_geti(lua, 1, to_old_integer(place)) == LUA_TNIL ? 0 : 2;
}

int old_ipairs(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 1);
    lua_pushcfunction(lua, &next_item);
    lua_insert(lua, 1);
    lua_pushnumber(lua, 0);
    return 3;
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
int math_ldexp(lua_State* lua) {
    lua_pushnumber(lua, std::ldexp(luaL_checknumber(lua, 1), static_cast<int>(luaL_checkinteger(lua, 2))));
    return 1;
}
int math_modf(lua_State* lua) {
    double whole = 0;
    const double fraction = std::modf(luaL_checknumber(lua, 1), &whole);
    lua_pushnumber(lua, whole);
    lua_pushnumber(lua, fraction);
    return 2;
}
int math_frexp(lua_State* lua) {
    int exponent = 0;
    lua_pushnumber(lua, std::frexp(luaL_checknumber(lua, 1), &exponent));
    lua_pushinteger(lua, exponent);
    return 2;
}

/// math.random([[lowest,] largest]). Upvalue 1: the interpreter's own.
int math_random(lua_State* lua) {
    const int count = lua_gettop(lua);
    if (count > 2) return luaL_error(lua, "wrong number of arguments");
    const double lowest = count < 2 ? 1 : luaL_checknumber(lua, 1);
    const double largest = count == 0 ? 1 : luaL_checknumber(lua, count);
    luaL_argcheck(lua, lowest <= largest, count, "interval is empty");
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_call(lua, 0, 1);
    if (count == 0) return 1;
    lua_pushnumber(lua, std::floor(lua_tonumber(lua, -1) * (largest - lowest + 1)) + lowest);
    return 1;
}

/// math.randomseed(number). Upvalue 1: the interpreter's own, which tells its seed.
int math_randomseed(lua_State* lua) {
    const double seed = luaL_checknumber(lua, 1);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_pushnumber(lua, seed);
    lua_call(lua, 1, 0);
    return 0;
}

constexpr luaL_Reg old_math[] = {
    {"pow", &of_two<std::pow>},     {"mod", &of_two<std::fmod>},  {"log10", &of_one<std::log10>},
    {"sinh", &of_one<std::sinh>},   {"cosh", &of_one<std::cosh>}, {"tanh", &of_one<std::tanh>},
    {"atan2", &of_two<std::atan2>}, {"ldexp", &math_ldexp},       {"frexp", &math_frexp},
    {"modf", &math_modf},           {nullptr, nullptr},
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
        lua_pushnumber(lua, static_cast<double>(i));
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

constexpr luaL_Reg old_random[] = {{"random", &math_random}, {"randomseed", &math_randomseed}};

/// Moves the items from `from` on to where `by` says, 1 or -1, and charges for those up to `last`.
void shift_items(lua_State* lua, lua_Integer from, lua_Integer last, int by) {
    Budget::charge(lua, last - from + 1);
    for (lua_Integer moved = from; moved <= last; ++moved) {
        const lua_Integer item = by > 0 ? last - (moved - from) : moved;
        lua_geti(lua, 1, item);
        lua_seti(lua, 1, item + by);
    }
}

/// table.insert(table, [place,] value): any place is allowed.
int table_insert(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    const lua_Integer end = luaL_len(lua, 1) + 1;
    lua_Integer place = end;
    const int count = lua_gettop(lua);
    if (count != 2 && count != 3) return luaL_error(lua, "wrong number of arguments to 'insert'");
    if (count == 3) {
        const auto number = old_number_at(lua, 2);
        place = number ? to_old_int(*number) : luaL_checkinteger(lua, 2);
        shift_items(lua, place, std::max(end, place) - 1, 1);
    }
    lua_seti(lua, 1, place);
    return 0;
}

/// table.remove(table [, place]): nothing happens if nothing is there.
int table_remove(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    const lua_Integer size = luaL_len(lua, 1);
    const lua_Integer place = luaL_optinteger(lua, 2, size);
    if (place < 1 || place > size) return 0;
    lua_geti(lua, 1, place);
    shift_items(lua, place + 1, size, -1);
    lua_pushnil(lua);
    lua_seti(lua, 1, size);
    return 1;
}

constexpr luaL_Reg old_table[] = {
    {"getn", &table_getn},     {"foreach", &table_foreach}, {"foreachi", &table_foreachi},
    {"maxn", &table_maxn},     {"concat", &concat_table},   {"insert", &table_insert},
    {"remove", &table_remove}, {nullptr, nullptr},
};

// ---- texts as numbers -----------------------------------------------------------------------------------

/// Arithmetic of texts that are numbers. Upvalue 1: the function for all other values.
template <int operation>
int calculate_with_texts(lua_State* lua) {
    lua_settop(lua, 2);
    charge_values(lua, 1, 2);
    const auto left = old_number_at(lua, 1);
    const auto right = old_number_at(lua, 2);
    if (!left || !right) {
        lua_pushvalue(lua, lua_upvalueindex(1));
        lua_insert(lua, 1);
        lua_call(lua, 2, 1);
        return 1;
    }
    lua_settop(lua, 0);
    lua_pushnumber(lua, *left);
    lua_pushnumber(lua, *right);
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
        {"tostring", &old_tostring}, {"assert", &old_assert},   {"error", &old_error},
        {"tonumber", &old_tonumber}, {"pairs", &old_pairs},     {"ipairs", &old_ipairs},
        {nullptr, nullptr},
    };
    for (const char* name : withheld)
        remove_field(lua, name);
    charge_function(lua, "select", Work::first);
    luaL_setfuncs(lua, functions, 0);
    lua_pushvalue(lua, -1);
    push_first_environment(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &first_environment);
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
    lua_pushcfunction(lua, &format_text);
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

int build_old_lua(lua_State* lua) {
    lua_settop(lua, 0);
    open_library(lua, &luaopen_base);
    add_base(lua);
    add_string(lua);
    add_table(lua);
    open_library(lua, &luaopen_math);
    luaL_setfuncs(lua, old_math, 0);
    charge_library(lua);
    for (const luaL_Reg& replacement : old_random) {
        lua_getfield(lua, -1, replacement.name);
        lua_pushcclosure(lua, replacement.func, 1);
        lua_setfield(lua, -2, replacement.name);
    }
    lua_setfield(lua, -2, "math");
    return 0;
}

struct RunScript {
    std::string_view source;
    std::string chunk_name;
    void (*take)(lua_State* lua);
};

int run_text(lua_State* lua) {
    const auto& script = *static_cast<const RunScript*>(lua_touserdata(lua, 1));
    if (compile_text(lua, script.source, script.chunk_name.c_str()) != 1) return lua_error(lua);
    lua_call(lua, 0, 1);
    if (script.take != nullptr) script.take(lua);
    return 0;
}

} // namespace

Result<void> install_old_lua(LuaState& state) {
    return protected_call(state, &build_old_lua, nullptr);
}

int compile_text(lua_State* lua, std::string_view source, const char* chunk_name) {
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &first_environment);
    return compile(lua, source, chunk_name);
}

int compile_text_in(lua_State* lua, std::string_view source, const char* chunk_name, int environment) {
    lua_pushvalue(lua, environment);
    push_first_environment(lua);
    return compile(lua, source, chunk_name);
}

Result<void> run_script(LuaState& state, std::string_view source, const std::string& file,
                        void (*take)(lua_State* lua)) {
    RunScript script{source, "@" + file, take};
    auto done = protected_call(state, &run_text, &script);
    if (done || done.error().message.find(file) != std::string::npos) return done;
    return done.error().in(file);
}

} // namespace qg::policy::compat
