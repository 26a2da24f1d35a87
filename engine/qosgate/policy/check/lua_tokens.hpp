// SPDX-License-Identifier: GPL-2.0-or-later
//
// lua_tokens: the tokens of a Lua 5.4 source, for checks of names. Lua has compiled the source before, so its
// syntax is correct.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace qg::policy {

enum class TokenKind : std::uint8_t {
    name,
    text, ///< a literal; its content if it has no escapes, else empty
    number,
    symbol, ///< keywords, operators, brackets
    end,
};

/// Ownership: views of the source.
struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;
    int line = 0;
    std::string_view raw = {}; ///< the token as it is written

    [[nodiscard]] bool is(std::string_view symbol) const noexcept {
        return kind == TokenKind::symbol && text == symbol;
    }
    [[nodiscard]] bool is_name() const noexcept { return kind == TokenKind::name; }
    [[nodiscard]] bool is_name(std::string_view name) const noexcept { return is_name() && text == name; }
};

/// All tokens, comments left out. Cost: linear.
std::vector<Token> read_tokens(std::string_view source);

} // namespace qg::policy
