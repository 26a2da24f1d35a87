// SPDX-License-Identifier: GPL-2.0-or-later
//
// debug_library: what scripts get of the library `debug`.
#pragma once

struct lua_State;

namespace qg::policy::compat {

/// Pushes a table with traceback and getinfo. Inside a protected call.
void push_debug(lua_State* lua);

} // namespace qg::policy::compat
