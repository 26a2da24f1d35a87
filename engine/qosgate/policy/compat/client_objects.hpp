// SPDX-License-Identifier: GPL-2.0-or-later
//
// client_objects: what a script for cli_filter/lua has besides the libraries that a script for job_submit/lua
// has: the options of its client, more functions of `slurm`, and Lua's own `io`, `os`, `package` and `debug`.
#pragma once

#include "qosgate/base/result.hpp"

#include <string>
#include <vector>

struct lua_State;

namespace qg::policy {
class LuaState;
}

namespace qg::policy::compat {

/// Errors: limit_exceeded if the state's memory does not suffice.
Result<void> install_client_library(LuaState& state);

/// The names in its table `slurm` of a cluster with a name.
std::vector<std::string> client_slurm_names();

/// Pushes the argument `options` of a hook: a table without contents whose fields are the options of
/// LuaState::client_script. `early`: the script of the job is not read yet. Errors: raises a Lua error.
void push_options(lua_State* lua, bool early);

} // namespace qg::policy::compat
