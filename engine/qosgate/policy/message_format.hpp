// SPDX-License-Identifier: GPL-2.0-or-later
//
// message_format: string.format for messages to users. A message must come out whatever the values are, so a
// nil where %d expects a number is shown as "nil" and is not an error in the middle of a rejection.
#pragma once

struct lua_State;

namespace qg::policy {

/// Pushes the text made of the format at stack index `first` and the values behind it; an empty text where
/// there is no format. Raises nothing but a spent budget. Called from a C function that Lua called.
void push_message(lua_State* lua, int first);

} // namespace qg::policy
