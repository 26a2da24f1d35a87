// SPDX-License-Identifier: GPL-2.0-or-later
//
// charged: the interpreter's own functions, with their work inside C charged to the budget. Each charges and
// then runs the function in the same call, so results and errors are those of the interpreter.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <lua.hpp>

namespace qg::policy {

/// What the work of a function grows with.
enum class Work : std::uint8_t {
    whole, ///< it reads all of its arguments, and makes its results
    part,  ///< it makes its results from a part of the first argument, and reads the others
    first, ///< it reads the first argument; results are other arguments
};

/// Takes an instruction for 16 bytes of the texts at [first, last]; each value counts as one byte more. What
/// is left over is free. Not while a luaL_Buffer is open. Errors: as Budget::charge; the stack is then empty.
void charge_values(lua_State* lua, int first, int last);

/// As luaL_checkinteger and luaL_optinteger. A text that is read as a number is charged.
lua_Integer check_integer(lua_State* lua, int index);
lua_Integer opt_integer(lua_State* lua, int index, lua_Integer otherwise);

/// Replaces a function of the table on top of the stack by one that charges for such work.
void charge_function(lua_State* lua, const char* name, Work work);

/// Does so with all functions of the table, as Work::part those that `in_part` names and as Work::whole the
/// others.
void charge_library(lua_State* lua, std::initializer_list<std::string_view> in_part = {});

/// Replaces a function of the table on top of the stack by `charged`, which charges and then calls run_own().
void replace_by_charged(lua_State* lua, const char* name, lua_CFunction charged);

/// Runs the function that was replaced, in the call of the one that replaces it. Returns what it returns.
int run_own(lua_State* lua);

} // namespace qg::policy
