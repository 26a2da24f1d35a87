// SPDX-License-Identifier: GPL-2.0-or-later
//
// module_binding: the function `require` of rules and modules. All modules are loaded before the first rule;
// `require` only finds them.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/check/name_check.hpp"
#include "qosgate/policy/files/modules.hpp"

struct lua_State;

namespace qg::policy {

class LuaState;

/// require(name): the table of a module that was loaded.
int require_module(lua_State* lua);

/// Runs a module and keeps the table that it returns, read-only. What it requires was loaded before. Errors:
/// as run_chunk(), naming file and line of the module; invalid_input if it returns no table.
Result<void> load_module(LuaState& state, const Module& module);

/// What modules that were loaded give. Errors: limit_exceeded where memory is short. Cost: linear.
Result<KnownModules> list_modules(LuaState& state, std::span<const Module> modules);

} // namespace qg::policy
