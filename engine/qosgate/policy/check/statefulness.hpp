// SPDX-License-Identifier: GPL-2.0-or-later
//
// statefulness: whether Lua code may keep something from one call of its functions to the next, such as a
// counter. A function that keeps nothing does the same again when it reads the same values.
//
// In doubt the check says that something may be kept.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace qg::policy {

/// Whether the functions of a file, which compiles, may change what outlives their call: a local of the file
/// or of an enclosing function, or a table. `stateful_modules` are the modules that may; a file that requires
/// one may, too. What the file does while it loads does not count. Rules that write the fields of their own
/// `job` keep nothing by that. Cost: linear.
bool may_keep_state(std::string_view source, const std::set<std::string, std::less<>>& stateful_modules);

} // namespace qg::policy
