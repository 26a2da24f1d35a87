// SPDX-License-Identifier: GPL-2.0-or-later
//
// message_format: string.format for messages to users. A message must appear for any values, so a nil for %d
// is shown as "nil" and is not an error in the middle of a rejection.
#pragma once

#include <cstddef>
#include <string_view>

struct lua_State;

namespace qg::policy {

/// Pushes the text made from the format at stack index `first` and the values after it; an empty text if
/// there is no format. The only error it raises is a spent budget. Called from a C function that Lua called.
void push_message(lua_State* lua, int first);

/// How many values a format shows.
std::size_t count_places(std::string_view format) noexcept;

} // namespace qg::policy
