// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/lua/sandbox.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/lua/lib/charged.hpp"
#include "qosgate/policy/lua/lib/string_library.hpp"
#include "qosgate/policy/lua/lib/table_library.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/lua/read_only.hpp"
#include "qosgate/policy/objects/data_binding.hpp"

#include <string>
#include <vector>

#include <lua.hpp>

namespace qg::policy {
namespace {

using namespace std::string_view_literals;

// pcall is replaced by guarded_pcall; next and type by functions that know read-only tables and data; those
// whose cost grows with a text or a table by bounded versions. Left out are functions that can leave the
// sandbox, functions that make a decision random (math.random), and functions for binary data (string.pack).
constexpr const char* base_functions[] = {"assert", "error",    "ipairs",  "pairs",
                                          "select", "tonumber", "tostring"};
constexpr const char* string_functions[] = {"byte",  "char",    "format", "len",
                                            "lower", "reverse", "sub",    "upper"};
constexpr const char* table_functions[] = {"concat", "insert", "move", "pack", "remove", "unpack"};
constexpr const char* math_functions[] = {"abs", "ceil", "exp",        "floor", "fmod",       "huge",
                                          "log", "max",  "maxinteger", "min",   "mininteger", "modf",
                                          "pi",  "sqrt", "tointeger",  "type",  "ult"};

/// pcall, except that it does not catch the errors of a spent budget or an ended rule.
int guarded_pcall(lua_State* lua) {
    luaL_checkany(lua, 1);
    lua_pushboolean(lua, 1);
    lua_insert(lua, 1);
    const int status = lua_pcall(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0);
    if (status == LUA_OK) return lua_gettop(lua);
    LuaState& state = LuaState::of(lua);
    if (state.rule_ended || state.budget().exhausted() != Exhausted::nothing) return lua_error(lua);
    lua_pushboolean(lua, 0);
    lua_insert(lua, -2);
    return 2;
}

int next_of_any(lua_State* lua) {
    return is_data(lua, 1) ? next_of_data(lua) : next_entry(lua);
}

int type_of(lua_State* lua) {
    luaL_checkany(lua, 1);
    lua_pushstring(lua, is_data(lua, 1) ? "table" : luaL_typename(lua, 1));
    return 1;
}

int refuse_global_write(lua_State* lua) {
    const char* name = luaL_tolstring(lua, 2, nullptr);
    if (const std::string_view foreign = describe_foreign_name(name); !foreign.empty())
        return luaL_error(lua, "%s", foreign.data());
    return luaL_error(lua, "'%s' is not declared; write 'local %s = ...' (globals cannot be set)", name,
                      name);
}

/// The error for a global that does not exist; `names` are those that do.
void describe_unknown_global(std::string_view name, std::span<const char* const> names,
                             ErrorText& error) noexcept {
    try {
        if (const std::string_view foreign = describe_foreign_name(name); !foreign.empty())
            return error.assign(foreign);
        std::vector<std::string> candidates(names.begin(), names.end());
        error.assign("unknown name '" + text::printable(name, 60) + "'" +
                     text::did_you_mean(name, candidates));
    } catch (...) {
        error.assign("unknown name");
    }
}

/// Upvalue 1: the table of globals. Called only for names that are not in it.
int refuse_unknown_global(lua_State* lua) {
    constexpr int max = 64;
    const char* names[max];
    int count = 0;
    // The keys are texts; the table keeps them alive.
    for (lua_pushnil(lua); count < max && lua_next(lua, lua_upvalueindex(1)) != 0; lua_pop(lua, 1))
        names[count++] = lua_tostring(lua, -2);
    std::size_t length = 0;
    const char* name = luaL_tolstring(lua, 2, &length);
    Budget::charge_unknown_name(lua, static_cast<std::size_t>(count));
    ErrorText error;
    describe_unknown_global({name, length}, {names, static_cast<std::size_t>(count)}, error);
    return luaL_error(lua, "%s", error.c_str());
}

/// Replaces the table on top of the stack by a new one with only the named members.
template <std::size_t count>
void keep_only(lua_State* lua, const char* const (&names)[count]) {
    lua_createtable(lua, 0, static_cast<int>(count) + 8);
    for (const char* name : names) {
        lua_getfield(lua, -2, name);
        lua_setfield(lua, -2, name);
    }
    lua_remove(lua, -2);
}

/// Pushes the members of one of the interpreter's libraries.
void open_library(lua_State* lua, lua_CFunction open) {
    lua_pushcfunction(lua, open);
    lua_call(lua, 0, 1);
}

/// Puts the library on top of the stack, read-only, into the table of globals below it.
void add_library(lua_State* lua, const char* name) {
    make_read_only(lua, name);
    lua_setfield(lua, -2, name);
}

void add_string_library(lua_State* lua) {
    open_library(lua, &luaopen_string); // this also gives texts their metatable
    keep_only(lua, string_functions);
    bound_string_functions(lua);
    make_read_only(lua, "string");

    // ("x"):rep(3) must find our functions too; arithmetic on texts is dropped, it hides mistakes.
    lua_pushliteral(lua, "");
    // They are read in the hidden table itself, which no code reaches through a text.
    lua_createtable(lua, 0, 1);
    push_contents(lua, -3);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
    lua_pop(lua, 1);
    lua_setfield(lua, -2, "string");
}

/// Stack: the table of globals. Leaves the environment of chunks: an empty table through which the globals
/// are read.
void make_environment(lua_State* lua) {
    lua_createtable(lua, 0, 1);
    lua_pushvalue(lua, -2);
    lua_pushcclosure(lua, &refuse_unknown_global, 1);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);

    lua_createtable(lua, 0, 0);
    lua_createtable(lua, 0, 2);
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, &refuse_global_write);
    lua_setfield(lua, -2, "__newindex");
    lua_setmetatable(lua, -2);
}

int build_sandbox(lua_State* lua) {
    const auto& extras = *static_cast<const std::span<const ExtraGlobal>*>(lua_touserdata(lua, 1));
    lua_settop(lua, 0);
    open_library(lua, &luaopen_base);
    keep_only(lua, base_functions);
    charge_function(lua, "select", Work::first);
    charge_function(lua, "tonumber", Work::whole);
    lua_pushcfunction(lua, &guarded_pcall);
    lua_setfield(lua, -2, "pcall");
    lua_pushcfunction(lua, &next_of_any);
    lua_setfield(lua, -2, "next");
    lua_pushcfunction(lua, &type_of);
    lua_setfield(lua, -2, "type");
    add_string_library(lua);
    open_library(lua, &luaopen_table);
    keep_only(lua, table_functions);
    bound_table_functions(lua);
    add_library(lua, "table");
    open_library(lua, &luaopen_math);
    keep_only(lua, math_functions);
    charge_library(lua);
    add_library(lua, "math");
    for (const ExtraGlobal& extra : extras) {
        lua_pushcfunction(lua, extra.function);
        lua_setfield(lua, -2, extra.name);
    }
    make_environment(lua);
    // Chunks take their _ENV from here; the interpreter's own table of globals is gone with this.
    lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    return 0;
}

/// Adds a global, or the members of a global.
void note_name(KnownNames& names, const char* global, const char* member, bool& is_whole) noexcept {
    try {
        std::set<std::string>& members = names[global];
        if (member != nullptr) members.insert(member);
    } catch (...) {
        is_whole = false;
    }
}

struct Listing {
    KnownNames names;
    bool is_whole = true;
};

int list_names(lua_State* lua) {
    auto& listing = *static_cast<Listing*>(lua_touserdata(lua, 1));
    lua_rawgeti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
    if (luaL_getmetafield(lua, -1, "__index") != LUA_TTABLE) return 0;
    for (lua_pushnil(lua); lua_next(lua, -2) != 0; lua_pop(lua, 1)) {
        const char* global = lua_tostring(lua, -2);
        note_name(listing.names, global, nullptr, listing.is_whole);
        // A library is an empty table through which another one is read.
        if (!lua_istable(lua, -1) || luaL_getmetafield(lua, -1, "__index") != LUA_TTABLE) continue;
        for (lua_pushnil(lua); lua_next(lua, -2) != 0; lua_pop(lua, 1))
            note_name(listing.names, global, lua_tostring(lua, -2), listing.is_whole);
        lua_pop(lua, 1);
    }
    return 0;
}

struct Chunk {
    std::string_view source;
    bool is_run = true;
    void (*take)(lua_State* lua, const void* argument) = nullptr;
    const void* argument = nullptr;
    const char* name = nullptr;
    lua_Writer write = nullptr; ///< gets the chunk, which then is not run
    void* to = nullptr;
};

int load_chunk(lua_State* lua) {
    const auto& chunk = *static_cast<const Chunk*>(lua_touserdata(lua, 1));
    if (luaL_loadbufferx(lua, chunk.source.data(), chunk.source.size(), chunk.name, "t") != LUA_OK)
        return lua_error(lua);
    if (chunk.write != nullptr && lua_dump(lua, chunk.write, chunk.to, 0) != 0)
        return luaL_error(lua, "no memory for the compiled chunk");
    if (!chunk.is_run) return 0;
    lua_call(lua, 0, chunk.take == nullptr ? 0 : 1);
    if (chunk.take != nullptr) chunk.take(lua, chunk.argument);
    return 0;
}

Result<void> protected_load(LuaState& state, std::string_view file, Chunk chunk) {
    // A first line for the shell is left out, as the program `lua` does; its end keeps the numbers of lines.
    if (chunk.source.starts_with('#'))
        chunk.source.remove_prefix(std::min(chunk.source.find('\n'), chunk.source.size()));
    const std::string name = text::format("@{}", file);
    chunk.name = name.c_str();
    auto done = protected_call(state, &load_chunk, &chunk);
    if (done || done.error().message.find(file) != std::string::npos) return done;
    return done.error().in(file);
}

} // namespace

Result<void> install_sandbox(LuaState& state, std::span<const ExtraGlobal> extras) {
    return protected_call(state, &build_sandbox, &extras);
}

Result<KnownNames> list_globals(LuaState& state) {
    Listing listing;
    const auto done = protected_call(state, &list_names, &listing);
    if (!done) return done.error();
    if (!listing.is_whole) return Error{ErrorCode::limit_exceeded, "no memory for the names of Lua"};
    return std::move(listing.names);
}

Result<void> run_chunk(LuaState& state, std::string_view source, std::string_view file) {
    return protected_load(state, file, {.source = source});
}

Result<void> run_chunk(LuaState& state, std::string_view source, std::string_view file,
                       void (*take)(lua_State* lua, const void* argument), const void* argument) {
    return protected_load(state, file, {.source = source, .take = take, .argument = argument});
}

Result<void> compile_chunk(LuaState& state, std::string_view source, std::string_view file) {
    return protected_load(state, file, {.source = source, .is_run = false});
}

Result<void> dump_chunk(LuaState& state, std::string_view source, std::string_view file, lua_Writer write,
                        void* to) {
    return protected_load(state, file, {.source = source, .is_run = false, .write = write, .to = to});
}

std::string_view describe_foreign_name(std::string_view name) noexcept {
    if (name == "slurm_job_submit" || name == "slurm_job_modify")
        return "this is a script for job_submit/lua: a rule is written "
               "'rule { submit = function(job) ... end }', see the guide job-submit-lua.md";
    if (name == "slurm")
        return "unknown name 'slurm': rules have job:reject(...), job:warn(...) and job:is_set(...) instead "
               "of it, see the guide job-submit-lua.md";
    if (name == "site") return "unknown name 'site': settings are written in site.lua, not beside a rule";
    if (name == "rule")
        return "unknown name 'rule': a rule is written in a file of its own, not in site.lua or in a module";
    return {};
}

} // namespace qg::policy
