// SPDX-License-Identifier: GPL-2.0-or-later
//
// option_use: mistakes in one use of `options` in the text of a rule for clients. Which options there are is
// only known in the client, so their names are not looked at.
#pragma once

#include "qosgate/policy/lua_tokens.hpp"
#include "qosgate/policy/use_problem.hpp"

#include <array>
#include <span>
#include <string_view>

namespace qg::policy {

/// The functions of `options`, which are called with a colon.
inline constexpr std::array<std::string_view, 4> option_functions{"note", "reject", "stop", "warn"};

/// A function that does not exist, that is called with a dot, or with the wrong arguments. `use` begins with
/// the name of the object; the source goes on behind it. Cost: bounded by a constant.
UseProblem find_option_problem(std::span<const Token> use);

} // namespace qg::policy
