// SPDX-License-Identifier: GPL-2.0-or-later
//
// part_list, slurm.jobs and slurm.reservations of a script: tables that get their members when they are
// touched.
#pragma once

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

} // namespace qg::policy::compat
