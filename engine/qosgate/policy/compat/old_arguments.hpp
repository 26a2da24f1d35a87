// SPDX-License-Identifier: GPL-2.0-or-later
//
// old_arguments: how the functions of Lua 5.1 take and give numbers. A table says for each function which
// arguments are texts, which are places in a text or a table, and which are numbers; all are made ready
// before the function runs, and what it returns is a number of Lua 5.1.
#pragma once

struct lua_State;

namespace qg::policy::compat {

/// Prepares all functions of the libraries that are in the globals, and the methods of Lua's own files. Those
/// that are prepared already stay. Inside a protected call.
void take_old_numbers(lua_State* lua);

} // namespace qg::policy::compat
