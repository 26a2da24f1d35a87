// SPDX-License-Identifier: GPL-2.0-or-later
//
// data_binding: the function `data` of rules and modules, and the tables that it gives. Lua's values are made
// when they are read; the tables themselves stay where they are, one copy for all Lua states. They are
// userdata that look like read-only tables to rules.
#pragma once

#include "qosgate/policy/files/data_files.hpp"

#include <cstddef>

struct lua_State;

namespace qg::policy {

/// data(name): the table of a file in LuaState::data.
int read_data(lua_State* lua);

/// Whether the value at `index` is a table of a file.
bool is_data(lua_State* lua, int index) noexcept;

/// next(table, key) for a table of a file.
int next_of_data(lua_State* lua);

/// Pushes a Lua table with the elements of the list at `index`, or with the entries of the map; at most `max`
/// of them. May raise an error.
void push_data_copy(lua_State* lua, int index, std::size_t max);

} // namespace qg::policy
