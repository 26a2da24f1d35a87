// SPDX-License-Identifier: GPL-2.0-or-later
//
// Why an instruction for 16 bytes: 100000 instructions of texts of 60000 bytes then take about as long as
// those of a rule that reads fields (budget.cpp): on a busy virtual machine, 1 to 2 ms for upper and lower,
// and 4 ms for texts that are read as numbers.
#include "qosgate/policy/lua/lib/charged.hpp"

#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <algorithm>
#include <cstddef>

namespace qg::policy {
namespace {

template <Work work>
int charged_for(lua_State* lua) {
    const int last = lua_gettop(lua);
    charge_values(lua, work == Work::part ? 2 : 1, work == Work::first ? std::min(last, 1) : last);
    const int results = run_own(lua);
    if (work != Work::first) charge_values(lua, lua_gettop(lua) - results + 1, lua_gettop(lua));
    return results;
}

} // namespace

void charge_values(lua_State* lua, int first, int last) {
    std::size_t amount = 0;
    for (int i = first; i <= last; ++i)
        amount += 1 + (lua_type(lua, i) == LUA_TSTRING ? lua_rawlen(lua, i) : 0);
    if (LuaState::of(lua).budget().take(static_cast<std::int64_t>(amount / 16))) return;
    lua_settop(lua, 0); // there may be no place for the error
    Budget::raise_spent(lua);
}

lua_Integer check_integer(lua_State* lua, int index) {
    charge_values(lua, index, index);
    return luaL_checkinteger(lua, index);
}

lua_Integer opt_integer(lua_State* lua, int index, lua_Integer otherwise) {
    return lua_isnoneornil(lua, index) ? otherwise : check_integer(lua, index);
}

void replace_by_charged(lua_State* lua, const char* name, lua_CFunction charged) {
    lua_getfield(lua, -1, name);
    // A function may have an upvalue, which is its first one. What replaces it has the function as the
    // second.
    if (lua_getupvalue(lua, -1, 1) == nullptr) lua_pushnil(lua);
    lua_insert(lua, -2);
    lua_pushcclosure(lua, charged, 2);
    lua_setfield(lua, -2, name);
}

void charge_function(lua_State* lua, const char* name, Work work) {
    switch (work) {
    case Work::whole: return replace_by_charged(lua, name, &charged_for<Work::whole>);
    case Work::part: return replace_by_charged(lua, name, &charged_for<Work::part>);
    case Work::first: return replace_by_charged(lua, name, &charged_for<Work::first>);
    }
}

void charge_library(lua_State* lua, std::initializer_list<std::string_view> in_part) {
    for (lua_pushnil(lua); lua_next(lua, -2) != 0;) {
        const bool is_function = lua_iscfunction(lua, -1) != 0;
        lua_pop(lua, 1);
        if (!is_function) continue;
        const char* name = lua_tostring(lua, -1);
        const bool is_part = std::ranges::find(in_part, name) != in_part.end();
        lua_pushvalue(lua, -2);
        charge_function(lua, name, is_part ? Work::part : Work::whole);
        lua_pop(lua, 1);
    }
}

int run_own(lua_State* lua) {
    return lua_tocfunction(lua, lua_upvalueindex(2))(lua);
}

} // namespace qg::policy
