// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/module_binding.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/lua/read_only.hpp"
#include "qosgate/policy/lua/sandbox.hpp"
#include "qosgate/policy/value.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <lua.hpp>

namespace qg::policy {
namespace {

constexpr const char* loaded_modules = "qosgate.modules";

/// The error for a module that is not loaded.
void describe_missing(std::string_view name, ErrorText& error) noexcept {
    try {
        if (std::ranges::find(shipped_modules(), name, &ShippedModule::name) != shipped_modules().end())
            return error.assign(text::format(
                "module '{0}' is not loaded: write its name as a literal, require(\"{0}\")", name));
        error.assign(text::format("there is no module '{}'", text::printable(name, 60)));
    } catch (...) {
        error.assign("there is no such module");
    }
}

/// `argument` is the Module.
void keep_module(lua_State* lua, const void* argument) {
    const auto& module = *static_cast<const Module*>(argument);
    if (!lua_istable(lua, -1))
        luaL_error(lua, "%s: a module returns a table: end the file with 'return M'", module.file.c_str());
    const char* description = lua_pushfstring(lua, "module '%s'", module.name.c_str());
    lua_insert(lua, -2);
    freeze(lua, description);
    luaL_getsubtable(lua, LUA_REGISTRYINDEX, loaded_modules);
    lua_insert(lua, -2);
    lua_setfield(lua, -2, module.name.c_str());
}

/// Adds the member at the top of the stack, which is a value, to a module.
void note_member(lua_State* lua, ModuleMembers& into, const char* name, bool& is_whole) noexcept {
    ModuleMember member{lua_isfunction(lua, -1)};
    if (member.is_function && lua_iscfunction(lua, -1) == 0) {
        lua_Debug function{};
        lua_pushvalue(lua, -1);
        lua_getinfo(lua, ">u", &function);
        if (function.isvararg == 0) member.parameters = function.nparams;
    }
    try {
        into.members.emplace(name, member);
    } catch (...) {
        is_whole = false;
    }
}

struct ModuleListing {
    const char* name;
    ModuleMembers members;
    bool is_whole = true;
};

int list_members(lua_State* lua) {
    auto& listing = *static_cast<ModuleListing*>(lua_touserdata(lua, 1));
    luaL_getsubtable(lua, LUA_REGISTRYINDEX, loaded_modules);
    lua_getfield(lua, -1, listing.name);
    push_contents(lua, -1);
    for (lua_pushnil(lua); lua_next(lua, -2) != 0; lua_pop(lua, 1))
        if (lua_type(lua, -2) == LUA_TSTRING)
            note_member(lua, listing.members, lua_tostring(lua, -2), listing.is_whole);
    return 0;
}

} // namespace

int require_module(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TSTRING);
    lua_settop(lua, 1);
    luaL_getsubtable(lua, LUA_REGISTRYINDEX, loaded_modules);
    lua_pushvalue(lua, 1);
    if (lua_rawget(lua, -2) != LUA_TNIL) return 1;
    Budget::charge_unknown_name(lua, shipped_modules().size());
    ErrorText error;
    describe_missing(text_at(lua, 1), error);
    return luaL_error(lua, "%s", error.c_str());
}

Result<void> load_module(LuaState& state, const Module& module) {
    return run_chunk(state, module.text, module.file, &keep_module, &module);
}

Result<KnownModules> list_modules(LuaState& state, std::span<const Module> modules) {
    KnownModules known;
    for (const Module& module : modules) {
        ModuleListing listing{module.name.c_str(), {.is_shipped = module.is_shipped, .members = {}}};
        const auto done = protected_call(state, &list_members, &listing);
        if (!done) return done.error();
        if (!listing.is_whole) return Error{ErrorCode::limit_exceeded, "no memory for the names of modules"};
        known.emplace(module.name, std::move(listing.members));
    }
    return known;
}

} // namespace qg::policy
