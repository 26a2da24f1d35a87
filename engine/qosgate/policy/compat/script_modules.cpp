// SPDX-License-Identifier: GPL-2.0-or-later

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/host_access.hpp"
#include "qosgate/policy/compat/old_lua.hpp"
#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <algorithm>
#include <array>
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

constexpr std::size_t max_path = 4096; ///< bytes of package.path

/// Sets `error` if the file is too large for a source, or reaches the host.
void check_source(const SourceFile& file, const ScriptFiles& files, ErrorText& error) noexcept {
    report_into(error, [&] {
        if (file.text.size() > max_file_bytes)
            return error.assign(text::format("{}: is larger than {} KiB", file.name, max_file_bytes >> 10u));
        if (const auto found = find_sure_host_access(file.text, &files))
            error.assign(text::format("{}:{}: {}", file.name, found->line, found->message));
    });
}

/// How many instructions it counts as to check and compile a file.
std::int64_t cost_of_file(const SourceFile& file) {
    return cost_of_compiling(file.text.size()) + 10 + static_cast<std::int64_t>(file.text.size() / 4);
}

/// Compiles a file, without a charge. Returns as compile_text(). `environment` is the index of the table of
/// its globals, 0: those of the script. Errors: raises one for a file that reaches the host.
int compile_file(lua_State* lua, const SourceFile& file, int environment = 0) {
    ErrorText error;
    check_source(file, LuaState::of(lua).script->files(), error);
    if (!error.empty()) raise_withheld(lua, error.c_str());
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
        raise_withheld(lua, lua_pushfstring(lua, "%s: %s", function, error.c_str()));
    }
    return found.file;
}

int do_file(lua_State* lua) {
    const char* path = luaL_checkstring(lua, 1);
    const SourceFile* file = find_source(lua, "dofile", path);
    if (file == nullptr) return luaL_error(lua, "cannot open %s", path);
    lua_settop(lua, 1);
    Budget::charge(lua, cost_of_file(*file));
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
    Budget::charge(lua, cost_of_file(*file));
    return compile_file(lua, *file, has_environment ? 3 : 0);
}

// ---- require -------------------------------------------------------------------------------------------

/// The file of a module: the first that exists of the paths in `templates`. Null: none; `tried` lists them,
/// but not those of the system's directories.
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
            if (!path.starts_with("/usr/")) list += (list.empty() ? "" : ", ") + path;
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

/// Charges for a module. It is looked for and compiled only once in the life of a state, which has a credit
/// for it: scripts that require their modules inside slurm_job_submit would else never get past the first
/// call.
void charge_module(lua_State* lua, std::int64_t instructions) {
    std::int64_t& credit = LuaState::of(lua).script->module_credit();
    const std::int64_t paid = std::min(credit, instructions);
    credit -= paid;
    Budget::charge(lua, instructions - paid);
}

int raise_not_found(lua_State* lua, const char* name, const ErrorText& tried) {
    return raise_withheld(
        lua, lua_pushfstring(
                 lua,
                 "module '%s' not found: a script can require only files of qosgate.d/compat and of site { "
                 "compat_files = { ... } }, and no modules in C; there is no %s; if the script does without "
                 "it, write the line error(\"none\") into qosgate.d/compat/%s.lua",
                 name, tried.empty() ? "such path in package.path" : tried.c_str(),
                 luaL_gsub(lua, name, ".", "/")));
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
    if (length > max_path)
        raise_withheld(
            lua, lua_pushfstring(lua, "'package.path' is longer than %d bytes", static_cast<int>(max_path)));
    charge_module(lua, cost_of_search({templates, length}, std::strlen(name)));
    ErrorText tried;
    const SourceFile* file = find_module(LuaState::of(lua).script->files(), {templates, length}, name, tried);
    if (file == nullptr) raise_not_found(lua, name, tried);
    charge_module(lua, cost_of_file(*file));
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

bool has_part(std::string_view parts, std::string_view part) {
    while (!parts.empty()) {
        const auto end = std::min(parts.find(';'), parts.size());
        if (parts.substr(0, end) == part) return true;
        parts.remove_prefix(std::min(end + 1, parts.size()));
    }
    return false;
}

/// Pushes a package.path without the parts that it has a second time. Scripts put the same directory before
/// it in every call.
void push_without_repeats(lua_State* lua, std::string_view path) {
    std::array<char, max_path + 1> kept{};
    std::size_t size = 0;
    std::int64_t parts = 0;
    for (std::size_t at = 0; at < path.size(); ++parts) {
        const std::size_t end = std::min(path.find(';', at), path.size());
        const std::string_view part = path.substr(at, end - at);
        if (!part.empty() && !has_part({kept.data(), size}, part)) {
            if (size > 0) kept[size++] = ';';
            size += part.copy(kept.data() + size, part.size());
        }
        at = end + 1;
    }
    Budget::charge(lua, 1 + parts * static_cast<std::int64_t>(path.size()) / 64);
    lua_pushlstring(lua, kept.data(), size);
}

/// package.NAME = value. Upvalue: the table of `path` and `cpath`.
int write_package(lua_State* lua) {
    const bool has_name = lua_type(lua, 2) == LUA_TSTRING;
    const std::string_view name = has_name ? lua_tostring(lua, 2) : "";
    lua_settop(lua, 3);
    if (name != "path" && name != "cpath") {
        lua_rawset(lua, 1);
        return 0;
    }
    std::size_t length = 0;
    const char* path = lua_type(lua, 3) == LUA_TSTRING ? lua_tolstring(lua, 3, &length) : nullptr;
    if (path != nullptr && length <= max_path) {
        push_without_repeats(lua, {path, length});
        lua_replace(lua, 3);
    }
    lua_rawset(lua, lua_upvalueindex(1));
    return 0;
}

/// Stack: the table `package`. Adds `path` and `cpath`.
void add_paths(lua_State* lua) {
    lua_createtable(lua, 0, 3); // its metatable
    lua_createtable(lua, 0, 2);
    lua_pushstring(lua, default_path);
    lua_setfield(lua, -2, "path");
    lua_pushliteral(lua, "");
    lua_setfield(lua, -2, "cpath");
    lua_pushvalue(lua, -1);
    lua_setfield(lua, -3, "__index");
    lua_pushcclosure(lua, &write_package, 1);
    lua_setfield(lua, -2, "__newindex");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
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
    add_paths(lua);
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
