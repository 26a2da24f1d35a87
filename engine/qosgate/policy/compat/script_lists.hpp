// SPDX-License-Identifier: GPL-2.0-or-later
//
// part_list, slurm.jobs and slurm.reservations of a script: tables that get their members when they are
// touched.
#pragma once

#include <cstdint>

struct lua_State;

namespace qg::policy::compat {

/// Makes the metatables of the lists. Inside a protected call.
void install_script_lists(lua_State* lua);

/// Pushes a new table `part_list`.
void push_part_list(lua_State* lua);

/// Makes slurm.jobs and slurm.reservations new tables.
void renew_lists(lua_State* lua);

/// next(table, key), which fills such a table first.
int next_of_filled(lua_State* lua);

// ---- a table with an order -----------------------------------------------------------------------------
// Tables of scripts that pairs and next go through in an order that does not change from load to load, as
// that of Lua's tables does.

/// Pushes an order without keys. Errors: all functions raise a Lua error if memory is short.
void push_order(lua_State* lua);

/// Adds the text at `key` to the order at `order`, an absolute index, as number `place`, from 1 on.
void add_to_order(lua_State* lua, int order, int key, std::int64_t place);

/// Pops the order on top of the stack. The table at `index`, an absolute index, gets a protected metatable
/// with it: pairs gives first the keys of the order that it has, then all others.
void set_order(lua_State* lua, int index);

/// next(table, key) with the arguments as the only values on the stack; Lua's own for a table without an
/// order.
int next_in_order(lua_State* lua);

} // namespace qg::policy::compat
