// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/host_access.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/lua_tokens.hpp"
#include "qosgate/policy/compat/host_calls.hpp"
#include "qosgate/policy/compat/old_host.hpp"
#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <span>
#include <utility>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

constexpr const char* no_execute = "slurmctld waits for the script, so it cannot run programs; let a cron "
                                   "job write what it needs into a file, "
                                   "name that in compat_files, and read it with io.open; to log something, "
                                   "use slurm.log_info";
constexpr const char* no_streams = "slurmctld has no input; open a file with io.open";
constexpr const char* no_end = "a script cannot end slurmctld; return slurm.ERROR";
constexpr const char* no_c = "modules in C cannot be loaded; write the functions in Lua";

constexpr auto withheld_calls = std::to_array<Withheld>({
    {"os", "execute", no_execute},
    {"io", "read", no_streams},
    {"io", "input", no_streams},
    {"io", "output", no_writing},
    {"io", "tmpfile", no_writing},
    {"os", "tmpname", no_writing},
    {"os", "exit", no_end},
    {"os", "setlocale", no_end},
    {"package", "loadlib", no_c},
});

constexpr std::array harmless{"clock", "date", "difftime", "getenv", "time"};

std::string describe(const Withheld& what) {
    return text::format("{}: {}", full_name(what), what.instead);
}

std::vector<HostAccess> find_access(const SyntaxTree& tree, const Values& values, const ScriptFiles* files) {
    std::vector<HostAccess> found;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (!tree.is(id, NodeKind::name) && !tree.is(id, NodeKind::index)) continue;
        for (const Withheld& what : withheld_calls)
            if (does_name(tree, id, what)) found.push_back({tree.line(id), describe(what), true});
        for (const Checked& what : checked_calls()) {
            if (!does_name(tree, id, what.function)) continue;
            Arguments arguments = read_call(tree, id, values);
            const std::string message = what.describe(arguments, files);
            if (!message.empty())
                found.push_back(
                    {tree.line(id), full_name(what.function) + ": " + message, arguments.is_sure});
        }
    }
    return found;
}

/// Upvalue 1: the message.
int refuse(lua_State* lua) {
    return raise_withheld(lua, lua_tostring(lua, lua_upvalueindex(1)));
}

/// Pushes a function that raises the error.
void push_refusal(lua_State* lua, const Withheld& what) {
    lua_pushfstring(lua, "%s%s%s: %s", what.library, *what.library == '\0' ? "" : ".", what.name,
                    what.instead);
    lua_pushcclosure(lua, &refuse, 1);
}

/// os.remove and os.rename. Upvalue 1: the name of the function. A directory of others would say the same.
int refuse_removal(lua_State* lua) {
    const char* path = luaL_checkstring(lua, 1);
    if (!LuaState::of(lua).script->files().settings().compat_writes_to_log)
        return raise_withheld(
            lua, lua_pushfstring(lua, "os.%s: %s", lua_tostring(lua, lua_upvalueindex(1)), no_writing));
    lua_pushnil(lua);
    lua_pushfstring(lua, "%s: Read-only file system", path);
    lua_pushnumber(lua, EROFS);
    return 3;
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
    make_os_old(lua);
    for (const char* name : {"remove", "rename"}) {
        lua_pushstring(lua, name);
        lua_pushcclosure(lua, &refuse_removal, 1);
        lua_setfield(lua, -2, name);
    }
    lua_setglobal(lua, "os");
    lua_pop(lua, 1);
}

} // namespace

std::vector<HostAccess> find_host_access(const SyntaxTree& tree, const ScriptFiles* files) {
    const Values values(tree);
    std::vector<HostAccess> found = find_access(tree, values, files);
    for (HostAccess& access : find_wrapped_access(tree, values, files))
        found.push_back(std::move(access));
    return found;
}

std::optional<HostAccess> find_sure_host_access(std::string_view source, const ScriptFiles* files) {
    const SyntaxTree tree(source);
    std::vector<HostAccess> found = find_access(tree, Values(tree, /*knows_variables=*/false), files);
    const auto sure = std::ranges::find_if(found, &HostAccess::is_sure);
    if (sure == found.end()) return std::nullopt;
    return std::move(*sure);
}

bool asks_for_users(std::string_view source) {
    const std::vector<Token> tokens = read_tokens(source);
    return std::ranges::any_of(tokens, [](const Token& token) { return token.is_name("popen"); });
}

void add_mentioned_names(std::string_view source, std::set<std::string, std::less<>>& names) {
    constexpr std::size_t max_name = 32; // of a field
    for (const Token& token : read_tokens(source))
        if ((token.is_name() || token.kind == TokenKind::text) && token.text.size() <= max_name)
            names.emplace(token.text);
}

void add_host_libraries(lua_State* lua) {
    add_os(lua);
    add_io(lua);
    add_modules(lua);
    for (const Withheld& what : withheld_calls) {
        push_library(lua, what.library);
        push_refusal(lua, what);
        lua_setfield(lua, -2, what.name);
        lua_pop(lua, 1);
    }
}

} // namespace qg::policy::compat
