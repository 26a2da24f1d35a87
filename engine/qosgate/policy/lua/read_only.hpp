// SPDX-License-Identifier: GPL-2.0-or-later
//
// read_only: tables that Lua code can read but not write. Such a table is empty; a hidden table, which Lua
// code cannot reach, holds the values. Reading a field costs one step more than in a plain table; `#`, pairs,
// ipairs and next work.
//
// All functions may raise a Lua error.
#pragma once

struct lua_State;

namespace qg::policy {

/// Makes the table on top of the stack read-only: it is replaced by one through which it can be read but not
/// written. `description` names it in the error, and `advice` says what to do instead.
void make_read_only(lua_State* lua, const char* description, const char* advice = nullptr);

/// Makes the table on top of the stack read-only where it is, and all tables in it. Who already holds one of
/// them cannot write it any more, either. Tables that are read-only before stay as they are. Cost: linear.
void freeze(lua_State* lua, const char* description);

/// Pushes the table at `index` as functions of the C API can read it: for a read-only one the hidden table,
/// which Lua code must not get.
void push_contents(lua_State* lua, int index);

/// next(table, key), also for read-only tables.
int next_entry(lua_State* lua);

} // namespace qg::policy
