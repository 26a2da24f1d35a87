// SPDX-License-Identifier: GPL-2.0-or-later
//
// script_io: `io` for scripts for job_submit/lua. Files are read from the policy (script_files.hpp), and
// io.popen answers what user_programs.hpp knows. Handles hold nothing of the host, so they need no finalizer.
#pragma once

struct lua_State;

namespace qg::policy::compat {

/// Adds `io` to the globals. Inside a protected call.
void add_io(lua_State* lua);

} // namespace qg::policy::compat
