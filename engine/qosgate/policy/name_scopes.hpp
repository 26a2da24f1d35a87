// SPDX-License-Identifier: GPL-2.0-or-later
//
// name_scopes: which declaration each name in a Lua source means.
#pragma once

#include "qosgate/policy/lua_tokens.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace qg::policy {

/// A local name. It is visible from its name on, also in the expression that gives its first value, and that
/// of a repeat loop also beyond its end: in doubt a name counts as a local, not as a global.
struct Declaration {
    std::string_view name;
    std::size_t at = 0;       ///< its token
    bool is_single = false;   ///< `local NAME = ...`, without other names
    bool is_assigned = false; ///< a name of this text is assigned later, somewhere in the file
    bool is_used = false;
};

/// A function in the source. Places are tokens.
struct FunctionScope {
    std::size_t begin = 0;           ///< `function`
    std::size_t body = 0;            ///< behind the parameters
    std::optional<std::size_t> name; ///< the declaration of `local function NAME`, or `local NAME = function`
    /// The token of NAME in `function NAME`, or of `NAME = function`, if it is a global.
    std::optional<std::size_t> global;
    std::string_view rule_key;           ///< "submit" if it stands behind this key in rule { ... }
    std::vector<std::size_t> parameters; ///< declarations, in order; without `self`
};

/// What a token is.
struct TokenScope {
    std::optional<std::size_t> declaration; ///< of a name that is a local
    std::optional<std::size_t> function;    ///< the innermost one around it
    std::string_view rule_key;              ///< of a name that stands alone behind this key in rule { ... }
    bool is_reference = false;              ///< a name that is used: a local or a global
    bool is_guarded = false;                ///< inside pcall(function ... end)
};

struct NameScopes {
    std::vector<TokenScope> tokens;
    std::vector<Declaration> declarations;
    std::vector<FunctionScope> functions;
};

/// `tokens` are of a source that Lua compiles. Cost: linear.
NameScopes read_scopes(std::span<const Token> tokens);

} // namespace qg::policy
