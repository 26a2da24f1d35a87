// SPDX-License-Identifier: GPL-2.0-or-later
//
// old_host: what the libraries `os` and `io` of Lua 5.4 do otherwise than those of Lua 5.1: times with
// fractions, and what is told of a program that has ended.
#pragma once

struct lua_State;

namespace qg::policy::compat {

/// Replaces the functions of the table on top of the stack, `os` or a part of it: date, difftime, execute and
/// time, if it has them. Inside a protected call.
void make_os_old(lua_State* lua);

/// Replaces io.close, and close of Lua's own files: of a program the first value is true, however it ended.
/// Inside a protected call.
void make_io_old(lua_State* lua);

} // namespace qg::policy::compat
