// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/host_access.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/host_programs.hpp"
#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/compat/script_io.hpp"
#include "qosgate/policy/compat/script_modules.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/lua_state.hpp"
#include "qosgate/policy/lua_tokens.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <span>
#include <utility>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

/// A function that is not there.
struct Withheld {
    const char* library; ///< empty: a global
    const char* name;
    const char* instead;
};

constexpr const char* no_execute = "slurmctld waits for the script, so it cannot run programs; let a cron "
                                   "job write what it needs into a file, "
                                   "name that in compat_files, and read it with io.open";
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

/// Modules in C that sites have used.
constexpr std::array<std::string_view, 8> c_modules{"posix", "redis", "cjson",  "socket",
                                                    "lfs",   "ssl",   "luasql", "lsqlite3"};

/// Modules that are there without a file.
constexpr std::array<std::string_view, 8> libraries{"_G", "debug",   "io",     "math",
                                                    "os", "package", "string", "table"};

constexpr std::array harmless{"clock", "date", "difftime", "getenv", "time"};

std::string full_name(const Withheld& what) {
    return text::format("{}{}{}", what.library, *what.library == '\0' ? "" : ".", what.name);
}

std::string describe(const Withheld& what) {
    return text::format("{}: {}", full_name(what), what.instead);
}

/// Whether the tokens at `at` name it: io.popen, or dofile(.
bool does_name(std::span<const Token> tokens, std::size_t at, const Withheld& what) {
    const bool is_member = at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is(":"));
    const bool is_declared = at > 0 && tokens[at - 1].is("function");
    if (is_member || is_declared || at + 2 >= tokens.size()) return false;
    if (*what.library == '\0') {
        const Token& next = tokens[at + 1];
        return tokens[at].is_name(what.name) && (next.is("(") || next.kind == TokenKind::text);
    }
    return tokens[at].is_name(what.library) && tokens[at + 1].is(".") && tokens[at + 2].is_name(what.name);
}

/// The beginning of a call's arguments.
struct Arguments {
    std::string_view first; ///< a literal text; empty: it is none, or its content is not known
    bool is_whole = false;  ///< nothing is joined to it
    std::string_view second;
    bool is_sure = true; ///< false: `first` is what a variable seems to be, or the call may not be made
    std::string_view last = {}; ///< the literal at the end, behind values that are joined or put in
};

/// What a source gives to its variables.
class Values {
  public:
    Values() = default;
    explicit Values(std::span<const Token> tokens) {
        for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
            const bool is_member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is(":"));
            if (!tokens[i].is_name() || is_member || !tokens[i + 1].is("=")) continue;
            const bool is_literal = tokens[i + 2].kind == TokenKind::text && !tokens[i + 3].is("..");
            const auto [at, is_new] = values_.try_emplace(tokens[i].text);
            at->second = is_new && is_literal ? tokens[i + 2].text : std::string_view();
        }
    }
    /// The literal text of a variable that gets only this one; else empty. A guess: blocks are not told
    /// apart.
    [[nodiscard]] std::string_view guess(std::string_view name) const {
        const auto found = values_.find(name);
        return found == values_.end() ? std::string_view() : found->second;
    }

  private:
    std::map<std::string_view, std::string_view> values_;
};

/// The literal that ends what is joined with ".." here; empty: something else does.
std::string_view last_joined(std::span<const Token> tokens) {
    int depth = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("[")) ++depth;
        const Token& next = tokens[i + 1];
        if (depth == 0 && (next.is(")") || next.is(",")))
            return i > 0 && tokens[i].kind == TokenKind::text && tokens[i - 1].is("..") ? tokens[i].text
                                                                                        : std::string_view();
        if (tokens[i].is(")") || tokens[i].is("}") || tokens[i].is("]")) --depth;
    }
    return {};
}

/// `at` is behind the name of the function.
Arguments read_arguments(std::span<const Token> tokens, std::size_t at, const Values& values) {
    Arguments arguments;
    const auto token = [&](std::size_t i) { return i < tokens.size() ? tokens[i] : Token(); };
    if (token(at).kind == TokenKind::text) return {token(at).text, true, {}};
    if (!token(at).is("(")) return arguments;
    ++at;
    // A format gives the beginning, up to its first "%".
    const bool is_format = token(at).is_name("string") && token(at + 1).is(".") &&
                           token(at + 2).is_name("format") && token(at + 3).is("(");
    if (is_format) at += 4;
    const Token next = token(at + 1);
    if (token(at).is_name() && (next.is(",") || next.is(")"))) {
        arguments.first = values.guess(token(at).text);
        arguments.is_sure = false;
    } else if (token(at).kind == TokenKind::text) {
        arguments.first = token(at).text;
    }
    if (arguments.first.empty()) return arguments;
    arguments.is_whole = !is_format && (next.is(",") || next.is(")"));
    arguments.last = is_format ? arguments.first : last_joined(tokens.subspan(std::min(at, tokens.size())));
    if (is_format) arguments.first = arguments.first.substr(0, arguments.first.find('%'));
    if (arguments.is_whole && next.is(",") && token(at + 2).kind == TokenKind::text)
        arguments.second = token(at + 2).text;
    return arguments;
}

/// Those of qosgate.d alone if there are none.
const ScriptFiles& files_or_none(const ScriptFiles* files) {
    static const SourceFolder no_sources;
    static const Settings no_settings;
    static const ScriptFiles nothing(no_sources, no_settings);
    return files == nullptr ? nothing : *files;
}

std::string describe_path(Arguments& arguments, const ScriptFiles* files) {
    if (!arguments.is_whole || arguments.first.empty()) return {};
    const auto found = files_or_none(files).find(arguments.first);
    return found.place == ScriptFiles::Place::outside ? describe_outside(arguments.first) : std::string();
}

std::string describe_open(Arguments& arguments, const ScriptFiles* files) {
    const bool to_log = files_or_none(files).settings().compat_writes_to_log;
    if (to_log && (arguments.second.starts_with('w') || arguments.second.starts_with('a')) &&
        arguments.second.find('+') == std::string_view::npos)
        return {};
    if (arguments.second.find_first_of("wa+") != std::string_view::npos) return no_writing;
    return describe_path(arguments, files);
}

std::string describe_remove(Arguments& arguments, const ScriptFiles* files) {
    arguments.is_sure = true; // whatever the arguments are
    return files_or_none(files).settings().compat_writes_to_log ? "" : no_writing;
}

std::string describe_popen(Arguments& arguments, const ScriptFiles* files) {
    if (arguments.first.empty()) return {};
    std::string bad = describe_bad_program(arguments.first, arguments.is_whole, files_or_none(files));
    return bad.empty() && !arguments.is_whole ? describe_bad_filters(arguments.last) : bad;
}

std::string describe_require(Arguments& arguments, const ScriptFiles* files) {
    if (!arguments.is_whole || arguments.first.empty() || files == nullptr) return {};
    const std::string_view name = arguments.first.substr(0, arguments.first.find('.'));
    // A site may have a module of its own with the name of one in C.
    if (files->has_module(arguments.first) || std::ranges::find(libraries, name) != libraries.end())
        return {};
    if (std::ranges::find(c_modules, name) != c_modules.end())
        return text::format("'{}' is a module in C, which cannot be loaded; write what it does in Lua", name);
    arguments.is_sure = false; // package.preload may have it
    return text::format("there is no module '{}'; copy it to qosgate.d/compat, or name its file in site {{ "
                        "compat_files = {{ ... }} }}. A module in C cannot be loaded: write what it does in "
                        "Lua",
                        arguments.first);
}

/// A function that depends on its arguments.
struct Checked {
    Withheld function;
    std::string (*describe)(Arguments& arguments, const ScriptFiles* files);
};

constexpr auto checked = std::to_array<Checked>({
    {{"io", "open", ""}, &describe_open},
    {{"io", "lines", ""}, &describe_path},
    {{"io", "popen", ""}, &describe_popen},
    {{"os", "remove", ""}, &describe_remove},
    {{"os", "rename", ""}, &describe_remove},
    {{"", "dofile", ""}, &describe_path},
    {{"", "loadfile", ""}, &describe_path},
    {{"", "require", ""}, &describe_require},
});

std::vector<HostAccess> find_access(std::span<const Token> tokens, const Values& values,
                                    const ScriptFiles* files) {
    std::vector<HostAccess> found;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        for (const Withheld& what : withheld_calls)
            if (does_name(tokens, i, what)) found.push_back({tokens[i].line, describe(what), true});
        for (const Checked& what : checked) {
            if (!does_name(tokens, i, what.function)) continue;
            const std::size_t behind = i + (*what.function.library == '\0' ? 1 : 3);
            Arguments arguments = read_arguments(tokens, behind, values);
            const std::string message = what.describe(arguments, files);
            if (!message.empty())
                found.push_back(
                    {tokens[i].line, full_name(what.function) + ": " + message, arguments.is_sure});
        }
    }
    return found;
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

/// os.remove and os.rename. Upvalue 1: the name of the function. A directory of others would say the same.
int refuse_removal(lua_State* lua) {
    const char* path = luaL_checkstring(lua, 1);
    if (!LuaState::of(lua).script->files().settings().compat_writes_to_log)
        return luaL_error(lua, "os.%s: %s", lua_tostring(lua, lua_upvalueindex(1)), no_writing);
    lua_pushnil(lua);
    lua_pushfstring(lua, "%s: Read-only file system", path);
    lua_pushinteger(lua, EROFS);
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
    for (const char* name : {"remove", "rename"}) {
        lua_pushstring(lua, name);
        lua_pushcclosure(lua, &refuse_removal, 1);
        lua_setfield(lua, -2, name);
    }
    lua_setglobal(lua, "os");
    lua_pop(lua, 1);
}

} // namespace

std::vector<HostAccess> find_host_access(std::string_view source, const ScriptFiles* files) {
    const std::vector<Token> tokens = read_tokens(source);
    return find_access(tokens, Values(tokens), files);
}

std::optional<HostAccess> find_sure_host_access(std::string_view source, const ScriptFiles* files) {
    std::vector<HostAccess> found = find_access(read_tokens(source), Values(), files);
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
