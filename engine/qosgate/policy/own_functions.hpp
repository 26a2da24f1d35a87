// SPDX-License-Identifier: GPL-2.0-or-later
//
// own_functions: which function of a source a name certainly is: `local function NAME`, `local NAME =
// function`, and, if the source gives the global one value only, `function NAME` and `NAME = function`.
#pragma once

#include "qosgate/policy/call_arguments.hpp"
#include "qosgate/policy/name_scopes.hpp"

#include <cstddef>
#include <string_view>
#include <unordered_map>

namespace qg::policy {

/// Ownership: borrows both. Cost: linear to make, then constant.
class OwnFunctions {
  public:
    OwnFunctions(Tokens tokens, const NameScopes& scopes);

    /// The function that the token names; null: none, or it is where the function gets its name.
    [[nodiscard]] const FunctionScope* named_at(std::size_t at) const;

    /// Whether each use of the function's name is known. Not of those that a rule has behind its keys.
    [[nodiscard]] bool follows(const FunctionScope& function) const;

  private:
    [[nodiscard]] const FunctionScope* find_global(std::string_view name) const;

    const Tokens tokens_;
    const NameScopes& scopes_;
    std::unordered_map<std::size_t, const FunctionScope*> locals_;       ///< by declaration
    std::unordered_map<std::string_view, const FunctionScope*> globals_; ///< null: there are several
};

} // namespace qg::policy
