// SPDX-License-Identifier: GPL-2.0-or-later
//
// script_modules: dofile, loadfile, require and `package` for scripts for job_submit/lua, over the files of
// the policy (script_files.hpp).
#pragma once

struct lua_State;

namespace qg::policy::compat {

/// Adds the functions to the globals; the libraries are there already. Inside a protected call.
void add_modules(lua_State* lua);

} // namespace qg::policy::compat
