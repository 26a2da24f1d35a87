// SPDX-License-Identifier: GPL-2.0-or-later
//
// view_use: mistakes in one use of `view`, or of an object that it gives, in the text of a rule.
#pragma once

#include "qosgate/policy/lua_tokens.hpp"
#include "qosgate/policy/view_table.hpp"

#include <optional>
#include <span>
#include <string>

namespace qg::policy {

/// What `view.user.name` and the like are, from the name of the object on.
struct ViewUse {
    std::string problem;          ///< a name that does not exist, or that is used wrongly; empty: none
    std::optional<ViewKind> kind; ///< of the value; empty: it is no object, or not known
    std::size_t length = 1;       ///< in tokens
};

/// Reads a use of an object of this kind. `tokens` begin with the name of the object; the source goes on
/// behind it. Cost: linear in the length of the use.
ViewUse read_view_use(std::span<const Token> tokens, ViewKind kind);

} // namespace qg::policy
