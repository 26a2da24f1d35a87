// SPDX-License-Identifier: GPL-2.0-or-later
//
// option_use: mistakes in one use of `options` in the text of a rule for clients. Which options there are is
// only known in the client, so their names are not looked at.
#pragma once

#include "qosgate/policy/lua_tokens.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace qg::policy {

/// The functions of `options`, which are called with a colon.
inline constexpr std::array<std::string_view, 4> option_functions{"note", "reject", "stop", "warn"};

/// A function that does not exist, or that is called with a dot. Empty if there is none. `use` begins with
/// the name of the object; the source goes on behind it. Cost: constant.
std::string describe_unknown_option_use(std::span<const Token> use);

/// A call with the wrong arguments, for a use without one of the mistakes above. Empty if there is none.
/// Cost: linear in the length of the call.
std::string describe_suspicious_option_use(std::span<const Token> use);

} // namespace qg::policy
