// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/declarations.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/lua_state.hpp"
#include "qosgate/policy/unknown_name.hpp"
#include "qosgate/policy/value.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <lua.hpp>

namespace qg::policy {
namespace {

using Set = Result<void> (*)(Declarations& into, std::string_view name, const Value& value);

Error rule_cannot(std::string_view name, const Value& value, std::string_view allowed) {
    return {ErrorCode::invalid_input,
            text::format("rule: '{}' cannot be {}: write {}", name, describe(value), allowed)};
}

Result<void> set_name(Declarations& into, std::string_view name, const Value& value) {
    const bool is_name = value.kind == Value::Kind::text && !value.text.empty() && value.text.size() <= 60 &&
                         text::printable(value.text) == value.text;
    if (!is_name) return rule_cannot(name, value, "a text of 1 to 60 bytes in one line");
    into.rule.name = value.text;
    return {};
}

Result<void> set_mode(Declarations& into, std::string_view name, const Value& value) {
    const auto mode = parse_rule_mode(value.kind == Value::Kind::text ? value.text : "");
    if (!mode) return rule_cannot(name, value, "\"enforce\", \"warn\" or \"shadow\"");
    into.rule.mode = *mode;
    return {};
}

Result<void> set_on_error(Declarations& into, std::string_view name, const Value& value) {
    const auto on_error = parse_on_error(value.kind == Value::Kind::text ? value.text : "");
    if (!on_error) return rule_cannot(name, value, "\"deny\", \"allow\" or \"warn\"");
    into.rule.on_error = *on_error;
    return {};
}

Result<void> refuse_submit(Declarations& /*into*/, std::string_view name, const Value& value) {
    return rule_cannot(name, value, "function(job) ... end"); // functions are handled elsewhere
}

struct RuleKey {
    std::string_view name;
    Set set;
};

constexpr std::array<RuleKey, 4> rule_keys{{
    {"name", &set_name},
    {"mode", &set_mode},
    {"on_error", &set_on_error},
    {"submit", &refuse_submit},
}};

Result<void> set_rule_key(Declarations& into, std::string_view name, const Value& value) {
    std::vector<std::string> names;
    for (const RuleKey& key : rule_keys) {
        if (key.name == name) return key.set(into, name, value);
        names.emplace_back(key.name);
    }
    return Error{ErrorCode::invalid_input,
                 text::format("rule: unknown key '{}'{}{}", text::printable(name, 60),
                              text::did_you_mean(name, names), list_of_names(names))};
}

Result<void> set_site_key(Declarations& into, std::string_view name, const Value& value) {
    return apply_setting(into.settings, name, value);
}

void set_into(Set set, Declarations& into, std::string_view name, const Value& value,
              ErrorText& error) noexcept {
    try {
        const auto done = set(into, name, value);
        if (!done) error.assign(done.error().message);
    } catch (const std::exception& problem) {
        error.assign(problem.what());
    }
}

/// The declarations to fill; raises an error if a declaration is not allowed here.
Declarations& check_place(lua_State* lua, const char* function) {
    Declarations* into = LuaState::of(lua).declarations;
    if (into == nullptr) luaL_error(lua, "%s{} is for the time when the file is loaded", function);
    if (into->is_made) luaL_error(lua, "%s{} is called a second time; one per file", function);
    luaL_checktype(lua, 1, LUA_TTABLE);
    return *into;
}

/// Sets every key of the table at 1. A function called "submit" is kept when `takes_function`.
void read_table(lua_State* lua, Declarations& into, const char* function, Set set, bool takes_function) {
    for (lua_pushnil(lua); lua_next(lua, 1) != 0; lua_pop(lua, 1)) {
        if (lua_type(lua, -2) != LUA_TSTRING)
            luaL_error(lua, "%s: write NAME = VALUE; there is a value without a name", function);
        std::size_t length = 0;
        const char* bytes = lua_tolstring(lua, -2, &length);
        const std::string_view name(bytes, length);
        if (takes_function && name == "submit" && lua_isfunction(lua, -1)) continue;
        ErrorText error;
        set_into(set, into, name, to_value(lua, -1), error);
        if (!error.empty()) luaL_error(lua, "%s", error.c_str());
    }
}

int declare_site(lua_State* lua) {
    Declarations& into = check_place(lua, "site");
    read_table(lua, into, "site", &set_site_key, /*takes_function=*/false);
    into.is_made = true;
    return 0;
}

int declare_rule(lua_State* lua) {
    Declarations& into = check_place(lua, "rule");
    read_table(lua, into, "rule", &set_rule_key, /*takes_function=*/true);
    if (lua_getfield(lua, 1, "submit") == LUA_TNIL)
        return luaL_error(lua, "rule: 'submit' is missing: write submit = function(job) ... end");
    into.submit = luaL_ref(lua, LUA_REGISTRYINDEX);
    into.is_made = true;
    return 0;
}

constexpr std::array<ExtraGlobal, 1> site_functions{{{"site", &declare_site}}};
constexpr std::array<ExtraGlobal, 1> rule_functions{{{"rule", &declare_rule}}};

} // namespace

std::span<const ExtraGlobal> site_globals() noexcept {
    return site_functions;
}
std::span<const ExtraGlobal> rule_globals() noexcept {
    return rule_functions;
}

} // namespace qg::policy
