// SPDX-License-Identifier: GPL-2.0-or-later
//
// library_use: mistakes in one use of a library of Lua, or of a module, in the text of a rule.
#pragma once

#include "qosgate/policy/check/call_arguments.hpp"
#include "qosgate/policy/check/name_check.hpp"

#include <string>
#include <utility>

namespace qg::policy {

/// The mistake in a call of string.format, tostring and the like: of one of Lua's own globals, or of its
/// member. Cost: linear in the arguments.
UseProblem find_library_problem(const SyntaxTree& tree, NodeId call);

/// The mistake in MODULE.NAME(...): a function that the module does not have, or the wrong number of
/// arguments. `use` is an `index` or `method` of the module. Cost: likewise.
UseProblem find_module_problem(const SyntaxTree& tree, NodeId use,
                               const std::pair<const std::string, ModuleMembers>& module);

} // namespace qg::policy
