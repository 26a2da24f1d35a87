// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/host_access.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/lua_tokens.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

/// A function that is not there.
struct Withheld {
    const char* library; ///< empty: a global
    const char* name;
    const char* instead;
};

constexpr const char* no_programs =
    "slurmctld waits for the script, so it cannot run programs; let a cron job write what it needs into a "
    "table in qosgate.d/data, and read that in a rule";
constexpr const char* no_files = "a script cannot read or write files; write its tables into the script";
constexpr const char* no_end = "a script cannot end slurmctld; return slurm.ERROR";
constexpr const char* one_file = "a script is one file; write its functions into it";

constexpr auto all = std::to_array<Withheld>({
    {"io", "popen", no_programs},     {"os", "execute", no_programs}, {"io", "open", no_files},
    {"io", "lines", no_files},        {"io", "read", no_files},       {"io", "write", no_files},
    {"io", "input", no_files},        {"io", "output", no_files},     {"io", "close", no_files},
    {"io", "tmpfile", no_files},      {"os", "remove", no_files},     {"os", "rename", no_files},
    {"os", "tmpname", no_files},      {"os", "exit", no_end},         {"os", "setlocale", no_end},
    {"", "dofile", one_file},         {"", "loadfile", one_file},     {"", "require", one_file},
    {"package", "loadlib", one_file},
});

constexpr std::array harmless{"clock", "date", "difftime", "getenv", "time"};

std::string describe(const Withheld& what) {
    return text::format("{}{}{}: {}", what.library, *what.library == '\0' ? "" : ".", what.name,
                        what.instead);
}

/// Whether the tokens at `at` name it: io.popen, or dofile(.
bool names(std::span<const Token> tokens, std::size_t at, const Withheld& what) {
    const bool is_member = at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is(":"));
    const bool is_declared = at > 0 && tokens[at - 1].is("function");
    if (is_member || is_declared || at + 2 >= tokens.size()) return false;
    if (*what.library == '\0') {
        const Token& next = tokens[at + 1];
        return tokens[at].is_name(what.name) && (next.is("(") || next.kind == TokenKind::text);
    }
    return tokens[at].is_name(what.library) && tokens[at + 1].is(".") && tokens[at + 2].is_name(what.name);
}

/// Upvalue 1: the message.
int refuse(lua_State* lua) {
    return luaL_error(lua, "%s", lua_tostring(lua, lua_upvalueindex(1)));
}

/// Pushes a function that raises the error.
void push_refusal(lua_State* lua, const Withheld& what) {
    lua_pushfstring(lua, "%s%s%s: %s", what.library, *what.library == '\0' ? "" : ".", what.name,
                    what.instead);
    lua_pushcclosure(lua, &refuse, 1);
}

/// Leaves the global table of that name on the stack, a new one if there is none.
void push_library(lua_State* lua, const char* name) {
    if (*name == '\0') return lua_pushglobaltable(lua);
    if (lua_getglobal(lua, name) == LUA_TTABLE) return;
    lua_pop(lua, 1);
    lua_createtable(lua, 0, 8);
    lua_pushvalue(lua, -1);
    lua_setglobal(lua, name);
}

void add_os(lua_State* lua) {
    lua_pushcfunction(lua, &luaopen_os);
    lua_call(lua, 0, 1);
    lua_createtable(lua, 0, 16);
    for (const char* name : harmless) {
        lua_getfield(lua, -2, name);
        lua_setfield(lua, -2, name);
    }
    lua_setglobal(lua, "os");
    lua_pop(lua, 1);
}

} // namespace

std::vector<HostAccess> find_host_access(std::string_view source) {
    const std::vector<Token> tokens = read_tokens(source);
    std::vector<HostAccess> found;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        for (const Withheld& what : all)
            if (names(tokens, i, what)) found.push_back({tokens[i].line, describe(what)});
    return found;
}

void add_host_libraries(lua_State* lua) {
    add_os(lua);
    for (const Withheld& what : all) {
        push_library(lua, what.library);
        push_refusal(lua, what);
        lua_setfield(lua, -2, what.name);
        lua_pop(lua, 1);
    }
}

} // namespace qg::policy::compat
