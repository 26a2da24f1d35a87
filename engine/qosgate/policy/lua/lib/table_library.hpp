// SPDX-License-Identifier: GPL-2.0-or-later
//
// table_library: the functions of `table`, with their work inside C charged to the budget. Most charge and
// then run the interpreter's own function. sort has its own implementation, because its cost is in the
// comparisons.
#pragma once

struct lua_State;

namespace qg::policy {

/// Puts bounded versions of concat, insert, move, pack, remove, sort and unpack into the table on top of the
/// stack, which holds the interpreter's own. Inside a protected call.
void bound_table_functions(lua_State* lua);

} // namespace qg::policy
