// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tables of counts by TRES: `tres` of a job's object, and those of `view`, which are limits, usage and
// what limits leave. One binding serves all of them.
#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/objects/job_binding_common.hpp"
#include "qosgate/policy/objects/view_binding.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <lua.hpp>

namespace qg::policy {
namespace {

// What a table shows. Trivial; all functions may raise a Lua error.

template <Shown shown>
struct CountsOfJob {
    FieldSource source;

    /// Of the object at stack index 1.
    static CountsOfJob check(lua_State* lua) { return {check_counted<shown>(lua, tres_object<shown>)}; }
    [[nodiscard]] const model::TresCatalogue& catalogue() const { return source.facts.catalogue; }
    /// How many TRES of the catalogue it may show.
    [[nodiscard]] std::size_t size() const {
        return std::min(catalogue().size(), source.facts.counted.tres.size());
    }
    [[nodiscard]] Value count(lua_State* lua, std::size_t index) const {
        ErrorText error;
        const Value count = read_tres_count(source, index, error);
        if (!error.empty()) raise(lua, error);
        return count;
    }
    static int refuse_write(lua_State* lua) {
        return luaL_error(lua, "job.tres cannot be changed (field '%s')", luaL_tolstring(lua, 2, nullptr));
    }
};

struct CountsOfView {
    ViewObject shown;
    const model::TresCatalogue& tres;

    static CountsOfView check(lua_State* lua) {
        const ViewObject shown = check_view_object(lua, ViewKind::tres).shown;
        const RuleRun* run = LuaState::of(lua).run;
        if (run == nullptr) luaL_error(lua, "view can be used only while a rule is run");
        return {shown, run->catalogue_of_view()};
    }
    [[nodiscard]] const model::TresCatalogue& catalogue() const { return tres; }
    [[nodiscard]] std::size_t size() const { return tres.size(); }
    [[nodiscard]] Value count(lua_State* /*lua*/, std::size_t index) const {
        const auto count = shown.count(shown.data, index);
        return count ? Value::of_count(*count) : Value{};
    }
    static int refuse_write(lua_State* lua) { return luaL_error(lua, "view cannot be changed"); }
};

template <typename Counts>
int read_tres(lua_State* lua) {
    const Counts counts = Counts::check(lua);
    const std::string_view name = key_at(lua, 2);
    const auto index = counts.catalogue().find(name);
    if (!index) {
        Budget::charge_unknown_name(lua, counts.catalogue().size());
        ErrorText error;
        assign_text(error, [&] { return describe_unknown_tres(counts.catalogue(), name); });
        return raise(lua, error);
    }
    push_value(lua, counts.count(lua, *index));
    return 1;
}

/// One step of pairs(): name and count of the next TRES that has one, behind the name given.
template <typename Counts>
int next_tres(lua_State* lua) {
    const Counts counts = Counts::check(lua);
    std::size_t index = 0;
    if (!lua_isnil(lua, 2))
        index = counts.catalogue().find(key_at(lua, 2)).value_or(counts.catalogue().size()) + 1;
    for (; index < counts.size(); ++index) {
        const Value count = counts.count(lua, index);
        if (count.kind == Value::Kind::nothing) continue;
        const std::string& name = counts.catalogue().name(index);
        lua_pushlstring(lua, name.data(), name.size());
        push_value(lua, count);
        return 2;
    }
    lua_pushnil(lua);
    return 1;
}

/// Adds the functions to the metatable on top of the stack.
template <typename Counts>
void set_functions(lua_State* lua) {
    static constexpr luaL_Reg functions[] = {{"__index", &read_tres<Counts>},
                                             {"__newindex", &Counts::refuse_write},
                                             {"__pairs", &pairs_with<&next_tres<Counts>>},
                                             {nullptr, nullptr}};
    luaL_setfuncs(lua, functions, 0);
}

template <Shown shown>
void push_tres_of(lua_State* lua, const char* type) {
    luaL_newmetatable(lua, type);
    set_functions<CountsOfJob<shown>>(lua);
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

void push_view_tres_type(lua_State* lua) {
    push_new_view_type(lua, ViewKind::tres);
    set_functions<CountsOfView>(lua);
}

} // namespace qg::policy
