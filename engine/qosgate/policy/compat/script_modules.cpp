// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/script_modules.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/budget.hpp"
#include "qosgate/policy/compat/host_access.hpp"
#include "qosgate/policy/compat/old_lua.hpp"
#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/lua_state.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

constexpr const char* default_path =
    "/usr/local/share/lua/5.4/?.lua;/usr/local/share/lua/5.4/?/init.lua;/usr/share/lua/5.4/?.lua;"
    "/usr/share/lua/5.4/?/init.lua;./?.lua;./?/init.lua";

/// Sets `error` if the file is too large for a source, or reaches the host.
void check_source(const SourceFile& file, const ScriptFiles& files, ErrorText& error) noexcept {
    report_into(error, [&] {
        if (file.text.size() > max_file_bytes)
            return error.assign(text::format("{}: is larger than {} KiB", file.name, max_file_bytes >> 10u));
        const auto found = find_host_access(file.text, &files);
        if (!found.empty())
            error.assign(text::format("{}:{}: {}", file.name, found.front().line, found.front().message));
    });
}

/// Compiles a file. Returns as compile_text(). `environment` is the index of the table of its globals, 0:
/// those of the script. Errors: raises one for a file that reaches the host.
int compile_file(lua_State* lua, const SourceFile& file, int environment = 0) {
    ErrorText error;
    Budget::charge(lua, 10 + static_cast<std::int64_t>(file.text.size() / 4));
    check_source(file, LuaState::of(lua).script->files(), error);
    if (!error.empty()) luaL_error(lua, "%s", error.c_str());
    const char* name = lua_pushfstring(lua, "@%s", file.name.c_str());
    const int results = environment == 0 ? compile_text(lua, file.text, name)
                                         : compile_text_in(lua, file.text, name, environment);
    lua_remove(lua, -1 - results);
    return results;
}

/// The file at a path; null: there is none. Errors: raises one for a path that may not be read.
const SourceFile* find_source(lua_State* lua, const char* function, const char* path) {
    Budget::charge(lua, ScriptFiles::cost_of_find(std::min(std::strlen(path), ScriptFiles::max_path)));
    const auto found = LuaState::of(lua).script->files().find(path);
    if (found.place == ScriptFiles::Place::outside) {
        ErrorText error;
        report_into(error, [&] { error.assign(describe_outside(path)); });
        luaL_error(lua, "%s: %s", function, error.c_str());
    }
    return found.file;
}

int do_file(lua_State* lua) {
    const char* path = luaL_checkstring(lua, 1);
    const SourceFile* file = find_source(lua, "dofile", path);
    if (file == nullptr) return luaL_error(lua, "cannot open %s", path);
    lua_settop(lua, 1);
    if (compile_file(lua, *file) != 1) return lua_error(lua); // the message is on top
    lua_call(lua, 0, LUA_MULTRET);
    return lua_gettop(lua) - 1;
}

/// loadfile(path [, mode [, environment]])
int load_file(lua_State* lua) {
    const char* path = luaL_checkstring(lua, 1);
    const bool has_environment = !lua_isnone(lua, 3);
    const SourceFile* file = find_source(lua, "loadfile", path);
    if (file == nullptr) {
        lua_pushnil(lua);
        lua_pushfstring(lua, "cannot open %s", path);
        return 2;
    }
    return compile_file(lua, *file, has_environment ? 3 : 0);
}

// ---- require -------------------------------------------------------------------------------------------

/// The file of a module: the first that exists of the paths in `templates`. Null: none; `tried` lists them.
const SourceFile* find_module(const ScriptFiles& files, std::string_view templates, std::string_view name,
                              ErrorText& tried) noexcept {
    const SourceFile* file = nullptr;
    report_into(tried, [&] {
        std::string in_path(name);
        for (char& c : in_path)
            if (c == '.') c = '/';
        std::string list;
        text::for_each_part(templates, ';', [&](std::string_view part) {
            if (file != nullptr || part.empty()) return;
            std::string path;
            for (const char c : part)
                if (path.size() <= ScriptFiles::max_path) c == '?' ? path.append(in_path) : path.append(1, c);
            file = files.find(path).file;
            list += "\n\tno file '" + path + "'";
        });
        tried.assign(list);
    });
    return file;
}

/// The instructions that a search for a module counts as.
std::int64_t cost_of_search(std::string_view templates, std::size_t name) {
    const auto paths = std::ranges::count(templates, ';') + 1;
    const auto names = std::ranges::count(templates, '?');
    return ScriptFiles::cost_of_find(templates.size() + static_cast<std::size_t>(names) * name) +
           paths * ScriptFiles::cost_of_find(0);
}

int raise_not_found(lua_State* lua, const char* name, const ErrorText& tried) {
    return luaL_error(
        lua,
        "module '%s' not found: a script can require only files of qosgate.d/compat and of site { "
        "compat_files = { ... } }, and no modules in C:%s",
        name, tried.c_str());
}

/// Pushes the function that makes the module, and what it gets besides the name.
void push_loader(lua_State* lua, const char* name) {
    lua_getfield(lua, lua_upvalueindex(1), "preload");
    if (lua_istable(lua, -1) && lua_getfield(lua, -1, name) != LUA_TNIL) {
        lua_pushliteral(lua, ":preload:");
        return;
    }
    lua_getfield(lua, lua_upvalueindex(1), "path");
    std::size_t length = 0;
    const char* templates = lua_tolstring(lua, -1, &length);
    if (templates == nullptr) luaL_error(lua, "'package.path' must be a string");
    constexpr std::size_t max_path = 4096;
    if (length > max_path)
        luaL_error(lua, "'package.path' is longer than %d bytes", static_cast<int>(max_path));
    Budget::charge(lua, cost_of_search({templates, length}, std::strlen(name)));
    ErrorText tried;
    const SourceFile* file = find_module(LuaState::of(lua).script->files(), {templates, length}, name, tried);
    if (file == nullptr) raise_not_found(lua, name, tried);
    if (compile_file(lua, *file) != 1)
        luaL_error(lua, "error loading module '%s': %s", name, lua_tostring(lua, -1));
    lua_pushstring(lua, file->name.c_str());
}

/// Upvalues: the table `package`, and the table of modules in its field `loaded`.
int require_module(lua_State* lua) {
    constexpr std::size_t max_name = 255;
    const char* name = luaL_checkstring(lua, 1);
    luaL_argcheck(lua, std::string_view(name).size() <= max_name, 1, "name too long");
    lua_settop(lua, 1);
    lua_pushvalue(lua, lua_upvalueindex(2));
    lua_getfield(lua, 2, name);
    if (lua_toboolean(lua, -1) != 0) return 1;
    push_loader(lua, name);
    lua_pushvalue(lua, 1);
    lua_insert(lua, -2);
    lua_call(lua, 2, 1);
    if (!lua_isnil(lua, -1)) lua_setfield(lua, 2, name);
    lua_getfield(lua, 2, name);
    if (lua_isnil(lua, -1)) {
        lua_pushboolean(lua, 1);
        lua_pushvalue(lua, -1);
        lua_setfield(lua, 2, name);
    }
    return 1;
}

/// Stack: the table of loaded modules. Adds the libraries that are there.
void add_libraries(lua_State* lua) {
    for (const char* name : {"string", "table", "math", "io", "os", "debug"}) {
        lua_getglobal(lua, name);
        lua_setfield(lua, -2, name);
    }
    lua_pushglobaltable(lua);
    lua_setfield(lua, -2, "_G");
}

} // namespace

void add_modules(lua_State* lua) {
    lua_register(lua, "dofile", &do_file);
    lua_register(lua, "loadfile", &load_file);
    lua_createtable(lua, 0, 8); // package
    lua_pushstring(lua, default_path);
    lua_setfield(lua, -2, "path");
    lua_pushliteral(lua, "");
    lua_setfield(lua, -2, "cpath");
    lua_pushliteral(lua, "/\n;\n?\n!\n-\n");
    lua_setfield(lua, -2, "config");
    lua_createtable(lua, 0, 0);
    lua_setfield(lua, -2, "preload");
    lua_createtable(lua, 0, 8); // package.loaded
    add_libraries(lua);
    lua_pushvalue(lua, -2);
    lua_setfield(lua, -2, "package");
    lua_pushvalue(lua, -1);
    lua_setfield(lua, -3, "loaded");
    lua_pushvalue(lua, -2);
    lua_insert(lua, -2);
    lua_pushcclosure(lua, &require_module, 2);
    lua_setglobal(lua, "require");
    lua_setglobal(lua, "package");
}

} // namespace qg::policy::compat
