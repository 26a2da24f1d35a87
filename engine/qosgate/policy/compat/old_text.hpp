// SPDX-License-Identifier: GPL-2.0-or-later
//
// old_text: what makes texts of values, as Lua 5.1 does.
#pragma once

#include <string_view>

struct lua_State;

namespace qg::policy::compat {

int old_tostring(lua_State* lua);
/// string.format
int format_text(lua_State* lua);
/// table.concat, whose arguments are prepared (old_arguments.hpp).
int concat_table(lua_State* lua);

/// The functions of the names concat_name and arg_name (source_rewrite.hpp).
int concat(lua_State* lua);
int make_arg(lua_State* lua);

/// Pushes a block that holds the source, made ready for Lua 5.4; `text` views it as long as the block lives.
/// False: no memory, and nothing is pushed.
bool push_rewritten(lua_State* lua, std::string_view source, std::string_view& text);

} // namespace qg::policy::compat
