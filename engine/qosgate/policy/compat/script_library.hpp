// SPDX-License-Identifier: GPL-2.0-or-later
//
// script_library: the globals of a script for job_submit/lua besides those of Lua: the table `slurm`, and
// what its functions get as arguments.
#pragma once

#include "qosgate/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

struct lua_State;

namespace qg::policy {
class LuaState;
}

namespace qg::policy::compat {

/// Adds `slurm` and `print` to the globals. `cluster_name` is slurm.CLUSTER_NAME. Errors: limit_exceeded if
/// the state's memory does not suffice.
Result<void> install_script_library(LuaState& state, std::string_view cluster_name);

/// The names in the table `slurm` of a cluster with a name, at a submission or a change.
std::vector<std::string> slurm_names();

/// Pushes job_desc, part_list and submit_uid of the state's present run. Errors: raises a Lua error.
void push_submit_arguments(lua_State* lua);

/// Pushes job_desc, job_rec, part_list and modify_uid. Errors: raises a Lua error.
void push_modify_arguments(lua_State* lua);

} // namespace qg::policy::compat
