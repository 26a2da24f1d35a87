// SPDX-License-Identifier: GPL-2.0-or-later
//
// script_objects: the tables job_desc, job_rec and part_list of a script. They look like Slurm's: tables
// whose fields are read when the script asks for them.
#pragma once

#include <string_view>

struct lua_State;

namespace qg::policy::compat {

class ScriptHost;

/// The host of the present run. Errors: raises a Lua error while the script is loaded, and in functions that
/// it calls then.
ScriptHost& check_host(lua_State* lua);

/// Makes the metatables of the objects. Inside a protected call.
void install_script_objects(lua_State* lua);

/// Pushes a new table `job_desc` of the present run.
void push_job_desc(lua_State* lua);

/// Pushes a new table `job_rec`: the job before a change, read-only.
void push_job_rec(lua_State* lua);

/// Pushes a new table `part_list`, which gets its members when it is touched.
void push_part_list(lua_State* lua);

/// Makes slurm.jobs and slurm.reservations new tables, which get their members when they are touched.
void renew_lists(lua_State* lua);

/// next(table, key), which fills such a table first.
int next_of_filled(lua_State* lua);

} // namespace qg::policy::compat
