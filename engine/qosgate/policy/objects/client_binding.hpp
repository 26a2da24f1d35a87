// SPDX-License-Identifier: GPL-2.0-or-later
//
// client_binding: the argument `options` of a rule's function for clients. One object per Lua state, made
// once; it shows the options of the present run's client.
#pragma once

struct lua_State;

namespace qg::policy {

/// Makes the state's object `options`. Returns its reference in the registry. Inside a protected call.
int make_options(lua_State* lua);

} // namespace qg::policy
