// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/own_functions.hpp"

namespace qg::policy {

OwnFunctions::OwnFunctions(Tokens tokens, const NameScopes& scopes) : tokens_(tokens), scopes_(scopes) {
    for (const FunctionScope& function : scopes_.functions) {
        if (function.global) {
            const auto [found, is_new] = globals_.emplace(tokens_[*function.global].text, &function);
            if (!is_new) found->second = nullptr;
        }
        const bool is_rules = !function.rule_key.empty();
        if (!is_rules && function.name && !scopes_.declarations[*function.name].is_assigned)
            locals_[*function.name] = &function;
    }
}

const FunctionScope* OwnFunctions::find_global(std::string_view name) const {
    const auto found = globals_.find(name);
    return found == globals_.end() ? nullptr : found->second;
}

const FunctionScope* OwnFunctions::named_at(std::size_t at) const {
    const TokenScope& here = scopes_.tokens[at];
    if (here.declaration) {
        const auto found = locals_.find(*here.declaration);
        return found == locals_.end() ? nullptr : found->second;
    }
    if (!here.is_reference) return nullptr;
    const FunctionScope* function = find_global(tokens_[at].text);
    return function == nullptr || function->global == at ? nullptr : function;
}

bool OwnFunctions::follows(const FunctionScope& function) const {
    if (!function.rule_key.empty()) return false;
    if (function.global) return find_global(tokens_[*function.global].text) == &function;
    return function.name && locals_.contains(*function.name);
}

} // namespace qg::policy
