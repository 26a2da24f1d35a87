// SPDX-License-Identifier: GPL-2.0-or-later
//
// old_text: what makes texts of values, as Lua 5.1 does.
#pragma once

#include <string_view>

struct lua_State;

namespace qg::policy::compat {

int old_tostring(lua_State* lua);
/// string.format; upvalue 1 is the interpreter's own. %d cuts a fraction off, as in Lua 5.1.
int format_text(lua_State* lua);
/// table.concat
int concat_table(lua_State* lua);

/// The function of the name concat_name (source_rewrite.hpp).
int concat(lua_State* lua);

/// Pushes a block that holds the source, made ready for Lua 5.4; `text` views it as long as the block lives.
/// False: no memory, and nothing is pushed. If it gets an environment of its own, it finds the function of
/// the name concat_name with the methods of texts.
bool push_rewritten(lua_State* lua, std::string_view source, bool has_environment, std::string_view& text);

} // namespace qg::policy::compat
