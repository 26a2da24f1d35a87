// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/script_functions.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace qg::policy::compat {
namespace {

/// The token that names the function at `begin` (`function`); empty: it has no name, or is a member.
std::optional<std::size_t> find_name(std::span<const Token> tokens, std::size_t begin) {
    if (begin + 2 < tokens.size() && tokens[begin + 1].is_name())
        return tokens[begin + 2].is("(") ? std::optional(begin + 1) : std::nullopt;
    const bool is_value = begin >= 2 && tokens[begin - 1].is("=") && tokens[begin - 2].is_name();
    const bool is_member =
        begin >= 3 && (tokens[begin - 3].is(".") || tokens[begin - 3].is("{") || tokens[begin - 3].is(","));
    return is_value && !is_member ? std::optional(begin - 2) : std::nullopt;
}

bool may_read(std::span<const Token> tokens, const NameScopes& scopes, std::size_t index,
              std::size_t parameter) {
    const FunctionScope& function = scopes.functions[index];
    if (parameter < function.parameters.size())
        return scopes.declarations[function.parameters[parameter]].is_used;
    return std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(function.begin),
                       tokens.begin() + static_cast<std::ptrdiff_t>(std::min(function.body, tokens.size())),
                       [](const Token& token) { return token.is("..."); });
}

} // namespace

std::optional<std::size_t> find_script_function(std::span<const Token> tokens, const NameScopes& scopes,
                                                std::string_view name) {
    for (std::size_t i = scopes.functions.size(); i-- > 0;) {
        const auto at = find_name(tokens, scopes.functions[i].begin);
        if (at && tokens[*at].is_name(name)) return i;
    }
    return std::nullopt;
}

bool reads_partitions(std::string_view source) {
    const std::vector<Token> tokens = read_tokens(source);
    const NameScopes scopes = read_scopes(tokens);
    const auto submit = find_script_function(tokens, scopes, submit_function);
    const auto modify = find_script_function(tokens, scopes, modify_function);
    return !submit || may_read(tokens, scopes, *submit, 1) ||
           (modify && may_read(tokens, scopes, *modify, 2));
}

} // namespace qg::policy::compat
