// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/lua/lib/table_library.hpp"

#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lib/charged.hpp"
#include "qosgate/policy/objects/data_binding.hpp"

#include <limits>

#include <lua.hpp>

namespace qg::policy {
namespace {

/// The number of steps in [first, last], saturated.
std::int64_t steps_between(lua_Integer first, lua_Integer last) noexcept {
    if (last < first) return 0;
    const lua_Unsigned span = static_cast<lua_Unsigned>(last) - static_cast<lua_Unsigned>(first);
    constexpr auto max = std::numeric_limits<std::int64_t>::max() - 1;
    return span < static_cast<lua_Unsigned>(max) ? static_cast<std::int64_t>(span) + 1 : max;
}

/// The number of elements that the call would touch, from its arguments.
std::int64_t steps_of_range(lua_State* lua, int first_index, int last_index) {
    const lua_Integer first = opt_integer(lua, first_index, 1);
    const lua_Integer last =
        lua_isnoneornil(lua, last_index) ? luaL_len(lua, 1) : check_integer(lua, last_index);
    return steps_between(first, last);
}

std::int64_t steps_of_concat(lua_State* lua) {
    return steps_of_range(lua, 3, 4);
}
std::int64_t steps_of_unpack(lua_State* lua) {
    return steps_of_range(lua, 2, 3);
}
std::int64_t steps_of_move(lua_State* lua) {
    return steps_between(check_integer(lua, 2), check_integer(lua, 3));
}

/// insert(t, value) touches one; insert(t, at, value) and remove(t, at) shift what is behind `at`.
std::int64_t steps_of_shift(lua_State* lua, bool has_position) {
    if (!has_position) return 1;
    return steps_between(check_integer(lua, 2), luaL_len(lua, 1)) + 1;
}
std::int64_t steps_of_insert(lua_State* lua) {
    return steps_of_shift(lua, lua_gettop(lua) >= 3);
}
std::int64_t steps_of_remove(lua_State* lua) {
    return steps_of_shift(lua, lua_gettop(lua) >= 2);
}

/// Charges the budget, then runs the interpreter's own function.
template <std::int64_t (*steps_of)(lua_State*)>
int charged(lua_State* lua) {
    if (!is_data(lua, 1)) luaL_checktype(lua, 1, LUA_TTABLE);
    Budget::charge(lua, steps_of(lua));
    return run_own(lua);
}

/// What concat costs besides depends on the texts, whose lengths the result tells.
int charged_concat(lua_State* lua) {
    const int results = charged<&steps_of_concat>(lua);
    charge_values(lua, lua_gettop(lua), lua_gettop(lua));
    return results;
}

int charged_pack(lua_State* lua) {
    Budget::charge(lua, lua_gettop(lua));
    return run_own(lua);
}

/// Whether element `a` of the table at 1 comes before `b`, both on top of the stack, by the function at 2.
bool comes_before(lua_State* lua, int a, int b) {
    // Comparing two long texts reads them through.
    const std::size_t length = lua_type(lua, a) == LUA_TSTRING ? lua_rawlen(lua, a) : 0;
    Budget::charge(lua, 1 + static_cast<std::int64_t>(length / 16));
    if (lua_isnil(lua, 2)) return lua_compare(lua, a, b, LUA_OPLT) != 0;
    const int first = lua_absindex(lua, a);
    const int second = lua_absindex(lua, b);
    lua_pushvalue(lua, 2);
    lua_pushvalue(lua, first);
    lua_pushvalue(lua, second);
    lua_call(lua, 2, 1);
    const bool answer = lua_toboolean(lua, -1) != 0;
    lua_pop(lua, 1);
    return answer;
}

/// Moves element `root` of the heap [1, size] down to its place; the maximum is first.
void sift_down(lua_State* lua, lua_Integer root, lua_Integer size) {
    for (;;) {
        lua_Integer child = 2 * root;
        if (child > size) return;
        lua_geti(lua, 1, child);
        if (child < size) {
            lua_geti(lua, 1, child + 1);
            if (comes_before(lua, -2, -1)) {
                ++child;
                lua_remove(lua, -2);
            } else {
                lua_pop(lua, 1);
            }
        }
        lua_geti(lua, 1, root);
        if (!comes_before(lua, -1, -2)) {
            lua_pop(lua, 2);
            return;
        }
        lua_insert(lua, -2);
        lua_seti(lua, 1, root);  // the child
        lua_seti(lua, 1, child); // the old root
        // now the stack is as it was
        root = child;
    }
}

/// Heap sort: n log n whatever the comparison function says, in place, no recursion.
int table_sort(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    if (!lua_isnoneornil(lua, 2)) luaL_checktype(lua, 2, LUA_TFUNCTION);
    lua_settop(lua, 2);
    const lua_Integer size = luaL_len(lua, 1);
    for (lua_Integer root = size / 2; root >= 1; --root)
        sift_down(lua, root, size);
    for (lua_Integer last = size; last > 1; --last) {
        lua_geti(lua, 1, 1);
        lua_geti(lua, 1, last);
        lua_seti(lua, 1, 1);
        lua_seti(lua, 1, last);
        sift_down(lua, 1, last - 1);
    }
    return 0;
}

} // namespace

void bound_table_functions(lua_State* lua) {
    static constexpr luaL_Reg charged_functions[] = {
        {"concat", &charged_concat},
        {"insert", &charged<&steps_of_insert>},
        {"move", &charged<&steps_of_move>},
        {"pack", &charged_pack},
        {"remove", &charged<&steps_of_remove>},
        {"unpack", &charged<&steps_of_unpack>},
    };
    for (const luaL_Reg& function : charged_functions)
        replace_by_charged(lua, function.name, function.func);
    lua_pushcfunction(lua, &table_sort);
    lua_setfield(lua, -2, "sort");
}

} // namespace qg::policy
