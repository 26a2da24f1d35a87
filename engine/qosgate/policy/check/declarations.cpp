// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/declarations.hpp"

#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/lua/read_only.hpp"
#include "qosgate/policy/objects/data_binding.hpp"
#include "qosgate/policy/objects/module_binding.hpp"
#include "qosgate/policy/run/rule_keys.hpp"
#include "qosgate/policy/value.hpp"

#include <algorithm>
#include <array>

#include <lua.hpp>

namespace qg::policy {
namespace {

using Set = Result<void> (*)(Declarations& into, std::string_view name, const KeyValue& value);

Result<void> set_site_key(Declarations& into, std::string_view name, const KeyValue& value) {
    // A table that is empty is a list, too.
    return value.is_list ? apply_setting(into.settings, name, value.items)
                         : apply_setting(into.settings, name, value.value);
}

/// Room for the elements of a list. Trivial, so a longjmp may skip it.
using ListItems = std::array<Value, max_list_items + 1>;

/// Whether the table on top of the stack has no keys but 1 to its length.
bool is_sequence(lua_State* lua) {
    const lua_Unsigned length = lua_rawlen(lua, -1);
    lua_Unsigned count = 0;
    for (lua_pushnil(lua); lua_next(lua, -2) != 0; lua_pop(lua, 1)) {
        if (count++ < length && lua_isinteger(lua, -2) != 0) continue;
        lua_pop(lua, 2);
        return false;
    }
    return true;
}

/// The value on top of the stack. The texts of a list stay in the table there.
KeyValue read_key_value(lua_State* lua, ListItems& items) {
    if (is_data(lua, -1)) {
        push_data_copy(lua, -1, items.size());
        lua_replace(lua, -2);
    }
    KeyValue given{.value = to_value(lua, -1)};
    if (!lua_istable(lua, -1)) return given;
    push_contents(lua, -1);
    lua_replace(lua, -2);
    given.is_list = is_sequence(lua);
    if (!given.is_list) return given;
    const std::size_t count = std::min<std::size_t>(lua_rawlen(lua, -1), items.size());
    for (std::size_t i = 0; i < count; ++i) {
        lua_rawgeti(lua, -1, static_cast<lua_Integer>(i) + 1);
        items[i] = to_value(lua, -1);
        lua_pop(lua, 1);
    }
    given.items = std::span(items).first(count);
    return given;
}

/// The declarations to fill; raises an error if a declaration is not allowed here.
Declarations& check_place(lua_State* lua, const char* function) {
    Declarations* into = LuaState::of(lua).declarations;
    if (into == nullptr) luaL_error(lua, "%s{} is for the time when the file is loaded", function);
    if (into->is_made) luaL_error(lua, "%s{} is called a second time; one per file", function);
    luaL_checktype(lua, 1, LUA_TTABLE);
    push_contents(lua, 1);
    lua_replace(lua, 1);
    return *into;
}

/// Sets every key of the table at 1. If `takes_functions`, leaves out the functions that a rule may have.
void read_table(lua_State* lua, Declarations& into, const char* function, Set set, bool takes_functions) {
    for (lua_pushnil(lua); lua_next(lua, 1) != 0; lua_pop(lua, 1)) {
        if (lua_type(lua, -2) != LUA_TSTRING)
            luaL_error(lua, "%s: write NAME = VALUE; there is a value without a name", function);
        const std::string_view name = text_at(lua, -2);
        if (takes_functions && lua_isfunction(lua, -1) && is_function_key(name)) continue;
        ListItems items;
        const KeyValue value = read_key_value(lua, items);
        ErrorText error;
        report_into(error, [&] { return set(into, name, value); });
        if (!error.empty()) luaL_error(lua, "%s", error.c_str());
    }
}

/// Looks at the function with that name in the table at 1. Pushes what the table has there.
GivenFunction push_function(lua_State* lua, const char* name) {
    GivenFunction function;
    if (lua_getfield(lua, 1, name) != LUA_TFUNCTION) return function;
    lua_Debug facts{};
    lua_pushvalue(lua, -1);
    lua_getinfo(lua, ">u", &facts);
    function.is_given = true;
    function.parameters = facts.nparams;
    function.takes_any_number = facts.isvararg != 0;
    return function;
}

/// Keeps the function on top of the stack in the registry, and pops it.
int keep_function(lua_State* lua, const GivenFunction& function) {
    if (function.is_given) return luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_pop(lua, 1);
    return 0;
}

int declare_site(lua_State* lua) {
    Declarations& into = check_place(lua, "site");
    read_table(lua, into, "site", &set_site_key, /*takes_functions=*/false);
    into.is_made = true;
    return 0;
}

int declare_rule(lua_State* lua) {
    Declarations& into = check_place(lua, "rule");
    read_table(lua, into, "rule", &set_rule_key, /*takes_functions=*/true);
    GivenFunctions given;
    given.submit = push_function(lua, "submit");
    given.modify = push_function(lua, "modify");
    given.client = push_function(lua, "client");
    ErrorText error;
    report_into(error, [&] { return set_events(into, given); });
    if (!error.empty()) return luaL_error(lua, "%s", error.c_str());
    into.functions.client = keep_function(lua, given.client);
    into.functions.modify = keep_function(lua, given.modify);
    into.functions.submit = keep_function(lua, given.submit);
    into.is_made = true;
    return 0;
}

constexpr std::array<ExtraGlobal, 1> site_functions{{{"site", &declare_site}}};
constexpr std::array<ExtraGlobal, 3> rule_functions{
    {{"rule", &declare_rule}, {"require", &require_module}, {"data", &read_data}}};
constexpr auto module_functions = std::span(rule_functions).subspan<1>();

} // namespace

std::span<const ExtraGlobal> site_globals() noexcept {
    return site_functions;
}
std::span<const ExtraGlobal> rule_globals() noexcept {
    return rule_functions;
}
std::span<const ExtraGlobal> module_globals() noexcept {
    return module_functions;
}

} // namespace qg::policy
