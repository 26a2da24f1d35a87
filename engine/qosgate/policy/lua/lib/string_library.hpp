// SPDX-License-Identifier: GPL-2.0-or-later
//
// string_library: the functions of `string`, with their work inside C charged to the budget. Most charge and
// then run the interpreter's own function. Those whose cost does not follow from the lengths of texts have
// implementations of their own; their results are those of the manual.
#pragma once

struct lua_State;

namespace qg::policy {

/// Puts bounded versions of all functions into the table on top of the stack, which holds the interpreter's
/// own. find, match, gmatch, gsub and rep are added. Inside a protected call.
void bound_string_functions(lua_State* lua);

/// The same with the rules of Lua 5.1: empty matches directly behind another match count, "%-" in a
/// replacement is "-", a search that begins behind the end begins at the end, and gmatch and rep ignore a
/// third argument.
void bound_old_string_functions(lua_State* lua);

} // namespace qg::policy
