// SPDX-License-Identifier: GPL-2.0-or-later
//
// The table `tres` of a job's object.
#include "qosgate/base/text.hpp"
#include "qosgate/policy/shown_job.hpp"
#include "qosgate/policy/unknown_name.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <lua.hpp>

namespace qg::policy {
namespace {

/// Pushes the count of one TRES.
void push_count(lua_State* lua, const FieldSource& source, std::size_t index) {
    ErrorText error;
    const Value count = read_tres_count(source, index, error);
    if (!error.empty()) raise(lua, error);
    push_value(lua, count);
}

template <Shown shown>
int read_tres(lua_State* lua) {
    const FieldSource source = check_counted<shown>(lua, tres_object<shown>);
    const RuleInput& facts = source.facts;
    const std::string_view name = key_at(lua, 2);
    const auto index = facts.catalogue.find(name);
    if (!index) {
        Budget::charge_unknown_name(lua, facts.catalogue.size());
        ErrorText error;
        assign_text(error, [&] { return describe_unknown_tres(facts.catalogue, name); });
        return raise(lua, error);
    }
    push_count(lua, source, *index);
    return 1;
}

int write_tres(lua_State* lua) {
    return luaL_error(lua, "job.tres cannot be changed (field '%s')", luaL_tolstring(lua, 2, nullptr));
}

/// One step of pairs(job.tres): name and count behind the name given.
template <Shown shown>
int next_tres(lua_State* lua) {
    const FieldSource source = check_counted<shown>(lua, tres_object<shown>);
    const RuleInput& facts = source.facts;
    std::size_t index = 0;
    if (!lua_isnil(lua, 2)) index = facts.catalogue.find(key_at(lua, 2)).value_or(facts.catalogue.size()) + 1;
    if (index >= std::min(facts.catalogue.size(), facts.counted.tres.size())) {
        lua_pushnil(lua);
        return 1;
    }
    const std::string& name = facts.catalogue.name(index);
    lua_pushlstring(lua, name.data(), name.size());
    push_count(lua, source, index);
    return 2;
}

template <Shown shown>
int pairs_of_tres(lua_State* lua) {
    lua_pushcfunction(lua, &next_tres<shown>);
    lua_pushvalue(lua, 1);
    lua_pushnil(lua);
    return 3;
}

template <Shown shown>
void push_tres_of(lua_State* lua, const char* type) {
    luaL_newmetatable(lua, type);
    static constexpr luaL_Reg functions[] = {{"__index", &read_tres<shown>},
                                             {"__newindex", &write_tres},
                                             {"__pairs", &pairs_of_tres<shown>},
                                             {nullptr, nullptr}};
    luaL_setfuncs(lua, functions, 0);
    LuaState::of(lua).*tres_object<shown> = push_object(lua);
}

} // namespace

std::string describe_unknown_tres(const model::TresCatalogue& catalogue, std::string_view name) {
    return text::format("this cluster tracks no TRES '{}'{}{}", text::printable(name, 60),
                        model::hint_for_unknown(catalogue, name), list_of_names(catalogue.names()));
}

void push_tres(lua_State* lua, Shown shown) {
    if (shown == Shown::job)
        push_tres_of<Shown::job>(lua, "job.tres");
    else
        push_tres_of<Shown::before>(lua, "before.tres");
}

} // namespace qg::policy
