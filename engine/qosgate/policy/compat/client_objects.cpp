// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/client_objects.hpp"

#include "qosgate/base/json_text.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/client_script.hpp"
#include "qosgate/policy/compat/old_arguments.hpp"
#include "qosgate/policy/compat/old_host.hpp"
#include "qosgate/policy/compat/old_lua.hpp"
#include "qosgate/policy/compat/script_library.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/value.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lua.hpp>
#include <unistd.h>

namespace qg::policy::compat {
namespace {

/// Key in the registry of what cli_store() keeps.
constexpr char stored_key = 0;

ClientScriptHost& host_of(lua_State* lua) {
    ClientScriptHost* host = LuaState::of(lua).client_script;
    if (host == nullptr) luaL_error(lua, "options can be used only while a function of the script is run");
    return *host;
}

/// A text on its way to Lua: a Lua error may skip the frames between, so it stands in the run.
std::string& scratch_of(lua_State* lua) {
    return LuaState::of(lua).script->scratch();
}

/// Pushes the text or number at an index as Lua 5.1 writes it. Errors: raises a Lua error for other values.
void push_checked_text(lua_State* lua, int index) {
    if (lua_isstring(lua, index) == 0) luaL_checkstring(lua, index); // which says what is wrong
    push_old_text(lua, index);
}

/// Puts a text into the run's place and says whether there is one. `make` may throw.
template <typename Make>
bool fill(std::string& into, ErrorText& error, Make make) noexcept {
    bool is_there = false;
    report_into(error, [&] {
        std::optional<std::string> made = make();
        is_there = made.has_value();
        if (made) into = *std::move(made);
    });
    return is_there;
}

/// Pushes the text that `make` makes; nil if it makes none.
template <typename Make>
int push_made(lua_State* lua, Make make) {
    std::string& into = scratch_of(lua);
    ErrorText error;
    const bool is_there = fill(into, error, make);
    if (!error.empty()) return luaL_error(lua, "%s", error.c_str());
    if (is_there)
        lua_pushlstring(lua, into.data(), into.size());
    else
        lua_pushnil(lua);
    return 1;
}

/// The words of a list in one text, each ended by a zero byte.
std::string to_words(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words)
        all.append(word).push_back('\0');
    return all;
}

/// Pushes a list of the words in the run's place.
int push_words(lua_State* lua) {
    std::string_view rest = scratch_of(lua);
    lua_newtable(lua);
    for (lua_Integer place = 1; !rest.empty(); ++place) {
        const std::string_view word = rest.substr(0, rest.find('\0'));
        lua_pushlstring(lua, word.data(), word.size());
        lua_rawseti(lua, -2, place);
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return 1;
}

/// options.spank: tables of the plugins' options. The words are: plugin, number of options, then name, "+"
/// and the value or "-" for none.
int push_spank(lua_State* lua) {
    std::string_view rest = scratch_of(lua);
    const auto next = [&rest] {
        const std::string_view word = rest.substr(0, std::min(rest.find('\0'), rest.size()));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        return word;
    };
    lua_newtable(lua);
    while (!rest.empty()) {
        const std::string_view plugin = next();
        lua_pushlstring(lua, plugin.data(), plugin.size());
        lua_newtable(lua);
        for (std::size_t count = text::parse_unsigned(next()).value_or(0); count > 0; --count) {
            const std::string_view name = next();
            const std::string_view value = next();
            if (value == "-") continue;
            lua_pushlstring(lua, name.data(), name.size());
            if (value.size() == 1)
                lua_pushliteral(lua, "set");
            else
                lua_pushlstring(lua, value.data() + 1, value.size() - 1);
            lua_rawset(lua, -3);
        }
        lua_rawset(lua, -3);
    }
    return 1;
}

std::string spank_words(const ClientScriptHost& host) {
    std::vector<std::string> words;
    for (const auto& [plugin, options] : host.spank()) {
        words.push_back(plugin);
        words.push_back(std::to_string(options.size()));
        for (const auto& [name, value] : options) {
            words.push_back(name);
            words.push_back(value ? "+" + *value : "-");
        }
    }
    return to_words(words);
}

int read_option(lua_State* lua) {
    ClientScriptHost& host = host_of(lua);
    luaL_checkstring(lua, 2);
    const std::string_view name = text_at(lua, 2);
    std::string& into = scratch_of(lua);
    ErrorText error;
    if (name == "type") return push_made(lua, [&] { return std::optional(host.type()); });
    const bool is_spank = name == "spank";
    if (name != "argv" && !is_spank && name != "spank_job_env")
        return push_made(lua, [&] { return host.get(std::string(name)); });
    fill(into, error, [&] {
        if (is_spank) return std::optional(spank_words(host));
        return std::optional(name == "argv" ? to_words(host.arguments()) : std::string());
    });
    if (!error.empty()) return luaL_error(lua, "%s", error.c_str());
    return is_spank ? push_spank(lua) : push_words(lua);
}

/// Upvalue 1: whether the options are those before the script.
int write_option(lua_State* lua) {
    ClientScriptHost& host = host_of(lua);
    luaL_checkstring(lua, 2);
    push_checked_text(lua, 3);
    const bool early = lua_toboolean(lua, lua_upvalueindex(1)) != 0;
    const std::string_view name = text_at(lua, 2);
    const std::string_view value = text_at(lua, -1);
    ErrorText error;
    report_into(error, [&] { host.set(std::string(name), std::string(value), early); });
    if (!error.empty()) return luaL_error(lua, "%s", error.c_str());
    return 0;
}

// ---- more of slurm -------------------------------------------------------------------------------------

std::string as_json(std::string_view value) {
    return json::quote(value, value.size());
}

/// slurm.json_cli_options(options). Null is an option that is set and has no value, as the time of srun's
/// own step in 24.11.
int options_as_json(lua_State* lua) {
    ClientScriptHost& host = host_of(lua);
    return push_made(lua, [&] {
        std::string json = "{";
        const auto add = [&json](const std::string& name, const std::optional<std::string>& value) {
            if (json.size() > 1) json += ',';
            json += as_json(name) + ':' + (value ? as_json(*value) : "null");
        };
        for (const auto& [name, value] : host.set_options())
            add(name, value);
        for (const auto& [plugin, options] : host.spank())
            for (const auto& [name, value] : options)
                if (value) add("spank:" + name, value);
        std::vector<std::string> words;
        for (const std::string& word : host.arguments())
            words.push_back(as_json(word));
        if (json.size() > 1) json += ',';
        return std::optional(json + "\"argv\":[" + text::join(words, ",") + "]}");
    });
}

/// slurm.json_env(): without the variables of Slurm itself.
int environment_as_json(lua_State* lua) {
    ClientScriptHost& host = host_of(lua);
    return push_made(lua, [&] {
        std::vector<std::string> members;
        for (const std::string& variable : host.environment()) {
            const std::size_t equals = variable.find('=');
            if (equals == std::string::npos || variable.starts_with("SLURM_") ||
                variable.starts_with("SPANK_") || variable.starts_with("_SLURM_SPANK_OPTION_"))
                continue;
            const std::string_view all(variable);
            members.push_back(as_json(all.substr(0, equals)) + ':' + as_json(all.substr(equals + 1)));
        }
        return std::optional("{" + text::join(members, ",") + "}");
    });
}

/// slurm.cli_store(key, text)
int store(lua_State* lua) {
    const auto key = static_cast<lua_Integer>(lua_tonumber(lua, -2));
    push_checked_text(lua, lua_gettop(lua));
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &stored_key);
    lua_insert(lua, -2);
    lua_rawseti(lua, -2, key);
    return 0;
}

/// slurm.cli_retrieve(key)
int retrieve(lua_State* lua) {
    const auto key = static_cast<lua_Integer>(lua_tonumber(lua, -1));
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &stored_key);
    lua_rawgeti(lua, -1, key);
    return 1;
}

constexpr luaL_Reg slurm_functions[] = {{"json_cli_options", &options_as_json},
                                        {"json_env", &environment_as_json},
                                        {"cli_store", &store},
                                        {"cli_retrieve", &retrieve},
                                        {nullptr, nullptr}};

// ---- the host ------------------------------------------------------------------------------------------

/// print(...): on standard output, as the client's user expects.
int print(lua_State* lua) {
    for (int i = 1; i <= lua_gettop(lua); ++i) {
        push_old_text(lua, i);
        const std::string_view text = text_at(lua, -1);
        if (i > 1) std::fputc('\t', stdout);
        std::fwrite(text.data(), 1, text.size(), stdout);
        lua_pop(lua, 1);
    }
    std::fputc('\n', stdout);
    std::fflush(stdout);
    return 0;
}

/// Compiles a file for Lua 5.4. Pushes the function, or nil and a message; returns how many values these are.
int compile_file(lua_State* lua) {
    luaL_checkstring(lua, 1);
    const std::string_view path = text_at(lua, 1);
    std::string& into = scratch_of(lua);
    ErrorText error;
    const bool is_read = fill(into, error, [&]() -> std::optional<std::string> {
        std::ifstream file{std::string(path), std::ios::binary};
        if (!file) return std::nullopt;
        std::string text{std::istreambuf_iterator<char>(file), {}};
        return file.bad() ? std::nullopt : std::optional(std::move(text));
    });
    if (!is_read) {
        lua_pushnil(lua);
        lua_pushfstring(lua, "cannot open %s", path.data());
        return 2;
    }
    lua_pushfstring(lua, "@%s", path.data());
    return compile_text(lua, into, lua_tostring(lua, -1));
}

int run_file(lua_State* lua) {
    if (compile_file(lua) != 1) return lua_error(lua);
    const int below = lua_gettop(lua) - 1;
    lua_call(lua, 0, LUA_MULTRET);
    return lua_gettop(lua) - below;
}

constexpr luaL_Reg host_functions[] = {
    {"print", &print}, {"loadfile", &compile_file}, {"dofile", &run_file}, {nullptr, nullptr}};

constexpr luaL_Reg host_libraries[] = {{"coroutine", &luaopen_coroutine},
                                       {"io", &luaopen_io},
                                       {"os", &luaopen_os},
                                       {"package", &luaopen_package},
                                       {"debug", &luaopen_debug}};

/// Root's commands run no modules of the directory in which they are started, or that a variable names.
void bound_search_of_root(lua_State* lua) {
    constexpr const char* here[][2] = {{"path", ";./?.lua"}, {"path", ";./?/init.lua"}, {"cpath", ";./?.so"}};
    lua_getglobal(lua, "package");
    for (const auto& [field, entry] : here) {
        lua_getfield(lua, -1, field);
        luaL_gsub(lua, lua_tostring(lua, -1), entry, "");
        lua_setfield(lua, -3, field);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

int build_client(lua_State* lua) {
    if (geteuid() == 0) {
        lua_pushboolean(lua, 1);
        lua_setfield(lua, LUA_REGISTRYINDEX, "LUA_NOENV");
    }
    for (const luaL_Reg& library : host_libraries) {
        luaL_requiref(lua, library.name, library.func, 1);
        lua_pop(lua, 1);
    }
    lua_getglobal(lua, "os");
    make_os_old(lua);
    make_io_old(lua);
    if (geteuid() == 0) bound_search_of_root(lua);
    lua_pushglobaltable(lua);
    luaL_setfuncs(lua, host_functions, 0);
    lua_getfield(lua, -1, "slurm");
    luaL_setfuncs(lua, slurm_functions, 0);
    lua_newtable(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &stored_key);
    take_old_numbers(lua);
    return 0;
}

} // namespace

Result<void> install_client_library(LuaState& state) {
    return protected_call(state, &build_client, nullptr);
}

std::vector<std::string> client_slurm_names() {
    std::vector<std::string> names = slurm_names();
    for (const luaL_Reg* row = slurm_functions; row->name != nullptr; ++row)
        names.emplace_back(row->name);
    return names;
}

void push_options(lua_State* lua, bool early) {
    lua_newtable(lua);
    lua_newtable(lua);
    lua_pushcfunction(lua, &read_option);
    lua_setfield(lua, -2, "__index");
    lua_pushboolean(lua, early ? 1 : 0);
    lua_pushcclosure(lua, &write_option, 1);
    lua_setfield(lua, -2, "__newindex");
    lua_setmetatable(lua, -2);
}

} // namespace qg::policy::compat
