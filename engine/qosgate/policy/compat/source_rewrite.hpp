// SPDX-License-Identifier: GPL-2.0-or-later
//
// source_rewrite: prepares a script that was written for Lua 5.1 for Lua 5.4, line by line, so that line
// numbers in messages stay true.
#pragma once

#include <string>
#include <string_view>

namespace qg::policy::compat {

/// The function that stands in the place of "..": a .. b becomes concat(a, (b)). It makes texts as Lua 5.1
/// does, where 4 / 2 is "2" and not "2.0". There is another reason: the operator of Lua 5.4.4 writes to freed
/// memory if a metamethod makes the stack grow.
inline constexpr std::string_view concat_name = "__concat_as_lua_5_1";

/// The function that makes the table `arg`, which functions with "..." have in Lua 5.1.
inline constexpr std::string_view arg_name = "__arg_as_lua_5_1";

/// The globals of a chunk. It is called with a table as its _ENV, in which it finds these three names. Its
/// first statement makes locals of them, so that its code, like the globals, has none of them.
inline constexpr std::string_view globals_name = "__globals_as_lua_5_1";

/// The script with these functions; without its byte order mark and its shebang line; without the backslash
/// of escapes that only Lua 5.1 knows ("\." is "."); and with numbers that have a fraction, as literals and
/// as lengths (#t), because Lua 5.1 has no others. Any text is accepted. Cost: linear in a source that nests
/// no deeper than a few levels.
std::string rewrite_for_lua_5_4(std::string_view source);

} // namespace qg::policy::compat
