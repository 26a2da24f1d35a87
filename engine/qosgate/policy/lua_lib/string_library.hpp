// SPDX-License-Identifier: GPL-2.0-or-later
//
// string_library: replacements for functions of `string` whose cost the interpreter cannot bound. Their
// results are those of the manual; their work inside C is charged to the budget.
#pragma once

struct lua_State;

namespace qg::policy {

/// Adds find, match, gmatch, gsub and rep to the table on top of the stack. Inside a protected call.
void add_bounded_string_functions(lua_State* lua);

/// The same with the rules of Lua 5.1: empty matches directly behind another match count, "%-" in a
/// replacement is "-", a search that begins behind the end begins at the end, and gmatch and rep ignore a
/// third argument.
void add_old_string_functions(lua_State* lua);

} // namespace qg::policy
