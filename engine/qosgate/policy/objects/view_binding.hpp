// SPDX-License-Identifier: GPL-2.0-or-later
//
// view_binding: the argument `view` of a rule's functions. One object per Lua state, made once; its members
// are made when a rule reads them. They belong to one run of a rule.
#pragma once

#include "qosgate/policy/objects/view_table.hpp"

#include <cstdint>
#include <string_view>

struct lua_State;

namespace qg::policy {

/// Makes the state's object `view`. Returns its reference in the registry. Inside a protected call.
int make_view(lua_State* lua);

/// The content of an object. What it borrows is there as long as the run goes on that made it. Trivial.
struct BoundObject {
    std::uint64_t run;
    ViewObject shown;
};

/// The object of this kind at stack index 1. Errors: raises a Lua error for another value, and for an object
/// of an earlier run.
const BoundObject& check_view_object(lua_State* lua, ViewKind kind);

/// Makes the metatable of the objects of a kind, and pushes it. Inside a protected call.
void push_new_view_type(lua_State* lua, ViewKind kind);

/// The same for the kind `tres`, with its functions.
void push_view_tres_type(lua_State* lua);

} // namespace qg::policy
