// SPDX-License-Identifier: GPL-2.0-or-later
//
// call_arguments: the arguments of one call in the text of a rule, for checks of their number and types.
#pragma once

#include "qosgate/policy/lua_tokens.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

using Tokens = std::span<const Token>;

/// The token at `index`, or the last one, which is the end.
inline const Token& token_at(Tokens tokens, std::size_t index) noexcept {
    return tokens[std::min(index, tokens.size() - 1)];
}

/// The tokens from `index` on, at least the last one.
inline Tokens tokens_from(Tokens tokens, std::size_t index) noexcept {
    return tokens.subspan(std::min(index, tokens.size() - 1));
}

/// Whether arguments of a call begin with this token: f(x), f "x", f { x }.
bool begins_arguments(const Token& token) noexcept;

/// The arguments of one call, as they are written.
struct WrittenArguments {
    std::vector<Tokens> all;
    std::size_t length = 0; ///< of the arguments with their brackets, in tokens

    /// Whether the last one may give any number of values: a call, or `...`.
    [[nodiscard]] bool is_open() const noexcept;
    /// The number of values that are there for certain.
    [[nodiscard]] std::size_t least() const noexcept { return all.size() - (is_open() ? 1 : 0); }
    /// Whether fewer values are there, for certain.
    [[nodiscard]] bool has_fewer_than(std::size_t count) const noexcept {
        return !is_open() && all.size() < count;
    }
    /// Whether more values are there, for certain.
    [[nodiscard]] bool has_more_than(std::size_t count) const noexcept { return least() > count; }
};

/// `arguments` begin with the bracket, or with the text or table that stands without one; the source goes on
/// behind them. Empty if there are none, if there is a function among them, or if they are very long. Cost:
/// bounded by a constant.
std::optional<WrittenArguments> read_arguments(Tokens arguments);

/// What an argument or operand certainly is, from its text alone.
enum class LiteralType : std::uint8_t { unknown, nothing, flag, number, text, table };

/// The type of an expression of these tokens and no others.
LiteralType literal_type(Tokens expression) noexcept;

/// How messages show such an expression: `"8 hours"`, `-1`, `a table`.
std::string show_literal(Tokens expression);

} // namespace qg::policy
