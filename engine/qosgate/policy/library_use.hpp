// SPDX-License-Identifier: GPL-2.0-or-later
//
// library_use: mistakes in one use of a library of Lua, or of a module, in the text of a rule.
#pragma once

#include "qosgate/policy/call_arguments.hpp"
#include "qosgate/policy/name_check.hpp"
#include "qosgate/policy/use_problem.hpp"

#include <string_view>
#include <utility>

namespace qg::policy {

/// The mistake in string.format(...), tostring(...) and the like. `use` begins with the name of the global,
/// which is one of Lua's own; the source goes on behind it. Cost: bounded by a constant.
UseProblem find_library_problem(Tokens use);

/// The mistake in MODULE.NAME(...): a function that the module does not have, or the wrong number of
/// arguments. `use` begins with the module: its name, or require("NAME") of `length` tokens. Cost: likewise.
UseProblem find_module_problem(Tokens use, std::size_t length,
                               const std::pair<const std::string, ModuleMembers>& module);

} // namespace qg::policy
