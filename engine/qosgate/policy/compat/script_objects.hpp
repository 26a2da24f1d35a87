// SPDX-License-Identifier: GPL-2.0-or-later
//
// script_objects: the tables job_desc and job_rec of a script. They look like Slurm's: tables whose fields
// are read when the script asks for them.
#pragma once

struct lua_State;

namespace qg::policy::compat {

/// Makes the metatables of the objects. Inside a protected call.
void install_script_objects(lua_State* lua);

/// Pushes a new table `job_desc` of the present run.
void push_job_desc(lua_State* lua);

/// Pushes a new table `job_rec`: the job before a change, read-only.
void push_job_rec(lua_State* lua);

} // namespace qg::policy::compat
