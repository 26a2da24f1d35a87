// SPDX-License-Identifier: GPL-2.0-or-later
//
// string_library: replacements for functions of `string` whose cost the interpreter cannot bound. Their
// results are those of the manual; their work inside C is charged to the budget.
#pragma once

struct lua_State;

namespace qg::policy {

/// Adds find, match, gmatch, gsub and rep to the table on top of the stack. Inside a protected call.
void add_bounded_string_functions(lua_State* lua);

} // namespace qg::policy
