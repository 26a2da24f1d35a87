// SPDX-License-Identifier: GPL-2.0-or-later
//
// string_library: the functions of `string` that the interpreter offers but cannot bound. Same results as the
// manual says; what they spend inside C is charged to the budget.
#pragma once

struct lua_State;

namespace qg::policy {

/// Adds find, match, gmatch, gsub and rep to the table on top of the stack. Inside a protected call.
void add_bounded_string_functions(lua_State* lua);

} // namespace qg::policy
