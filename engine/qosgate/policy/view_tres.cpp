// SPDX-License-Identifier: GPL-2.0-or-later
//
// The objects of `view` that are counts by TRES: limits, usage, what limits leave.
#include "qosgate/base/text.hpp"
#include "qosgate/policy/budget.hpp"
#include "qosgate/policy/shown_job.hpp"
#include "qosgate/policy/view_binding.hpp"

#include <optional>
#include <string_view>

#include <lua.hpp>

namespace qg::policy {
namespace {

/// The TRES of the cluster. Errors: raises a Lua error outside of a run.
const model::TresCatalogue& check_catalogue(lua_State* lua) {
    const RuleRun* run = LuaState::of(lua).run;
    if (run == nullptr) luaL_error(lua, "view can be used only while a rule is run");
    return run->catalogue_of_view();
}

Value value_of(std::optional<std::uint64_t> count) noexcept {
    return count ? Value::of_count(*count) : Value{};
}

int read_tres(lua_State* lua) {
    const BoundObject object = check_view_object(lua, ViewKind::tres);
    const model::TresCatalogue& catalogue = check_catalogue(lua);
    const std::string_view name = key_at(lua, 2);
    ErrorText error;
    const ViewAnswer answer = count_of_tres(object.shown, catalogue, name, error);
    if (!error.empty()) {
        Budget::charge_unknown_name(lua, catalogue.size());
        return raise(lua, error);
    }
    push_value(lua, answer.value);
    return 1;
}

int refuse_tres_write(lua_State* lua) {
    return luaL_error(lua, "view cannot be changed");
}

/// One step of pairs(): name and count of the next TRES that has one.
int next_tres(lua_State* lua) {
    const ViewObject shown = check_view_object(lua, ViewKind::tres).shown;
    const model::TresCatalogue& catalogue = check_catalogue(lua);
    std::size_t index = 0;
    if (!lua_isnil(lua, 2)) index = catalogue.find(key_at(lua, 2)).value_or(catalogue.size()) + 1;
    for (; index < catalogue.size(); ++index) {
        const auto count = shown.count(shown.data, index);
        if (!count) continue;
        push_value(lua, Value::of_text(catalogue.name(index)));
        push_value(lua, value_of(count));
        return 2;
    }
    lua_pushnil(lua);
    return 1;
}

int pairs_of_tres(lua_State* lua) {
    lua_pushcfunction(lua, &next_tres);
    lua_pushvalue(lua, 1);
    lua_pushnil(lua);
    return 3;
}

} // namespace

ViewAnswer count_of_tres(const ViewObject& object, const model::TresCatalogue& catalogue,
                         std::string_view name, ErrorText& error) noexcept {
    const auto index = catalogue.find(name);
    if (index) return {.value = value_of(object.count(object.data, *index))};
    assign_text(error, [&] { return describe_unknown_tres(catalogue, name); });
    return {};
}

void push_view_tres_type(lua_State* lua) {
    push_new_view_type(lua, ViewKind::tres);
    static constexpr luaL_Reg functions[] = {{"__index", &read_tres},
                                             {"__newindex", &refuse_tres_write},
                                             {"__pairs", &pairs_of_tres},
                                             {nullptr, nullptr}};
    luaL_setfuncs(lua, functions, 0);
}

} // namespace qg::policy
