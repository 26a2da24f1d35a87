// SPDX-License-Identifier: GPL-2.0-or-later
//
// shown_text: what the text of a source shows of a value: literals, what is joined to them, and variables
// that get one value only.
#pragma once

#include "qosgate/policy/lua_tokens.hpp"
#include "qosgate/policy/name_scopes.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy::compat {

/// A value as far as it is known.
struct ShownText {
    std::string beginning; ///< empty: nothing is known
    bool is_whole = false; ///< nothing comes behind it
    bool is_sure = true;   ///< false: a variable is in it, and blocks are not told apart
    std::string end = {};  ///< if it is not whole: the literal behind values that are joined or put in
    std::size_t next = 0;  ///< the token behind the expression; 0 if another operator than ".." is in it
};

/// The content of a literal, as Lua 5.1 reads it. Empty: it is not a whole one.
std::optional<std::string> read_literal(const Token& token);

/// Which declarations get another value behind them: `NAME = …`, or `NAME, … = …`. Unlike
/// Declaration::is_assigned, which is true in doubt, also for a name in a list of arguments. Cost: linear.
std::vector<bool> find_assigned(std::span<const Token> tokens, const NameScopes& scopes);

/// What the variables of a source are. Ownership: borrows the tokens.
class Values {
  public:
    /// Knows none.
    Values() = default;
    /// Cost: n log n.
    explicit Values(std::span<const Token> tokens);

    [[nodiscard]] const NameScopes& scopes() const noexcept { return scopes_; }

    /// The expression at `at`. Cost: bounded by its length, and by that of a few others whose value it names.
    [[nodiscard]] ShownText read(std::span<const Token> tokens, std::size_t at) const {
        return read(tokens, at, max_depth);
    }

  private:
    static constexpr int max_depth = 4; ///< of brackets, and of variables whose values name others

    struct Operand {
        ShownText shown;
        std::size_t next = 0; ///< the token behind it
    };

    [[nodiscard]] ShownText read(std::span<const Token> tokens, std::size_t at, int depth) const;
    [[nodiscard]] Operand read_operand(std::span<const Token> tokens, std::size_t at, int depth) const;
    [[nodiscard]] Operand read_format(std::span<const Token> tokens, const ShownText& format,
                                      std::size_t bracket) const;
    /// Where the value of the variable begins that the token names.
    [[nodiscard]] std::optional<std::size_t> value_of(std::span<const Token> tokens, std::size_t at) const;

    NameScopes scopes_;
    std::vector<bool> is_assigned_; ///< by declaration
    /// The place behind "=" of a name that is assigned only once; 0: it is more often, or a parameter.
    std::map<std::string_view, std::size_t> assigned_;
};

} // namespace qg::policy::compat
