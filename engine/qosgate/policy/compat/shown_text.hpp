// SPDX-License-Identifier: GPL-2.0-or-later
//
// shown_text: what the text of a source shows of a value: literals, what is joined to them, and variables
// that get one value only.
#pragma once

#include "qosgate/policy/check/syntax_tree.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace qg::policy::compat {

/// A value as far as it is known.
struct ShownText {
    std::string beginning; ///< empty: nothing is known
    bool is_whole = false; ///< nothing comes behind it
    bool is_sure = true;   ///< false: a variable is in it
    std::string end = {};  ///< if it is not whole: the literal behind values that are joined or put in
};

/// The content of a literal, as Lua 5.1 reads it. Empty: it is not a whole one.
std::optional<std::string> read_literal(const Token& token);

/// What the variables of a source are. Ownership: borrows the tree. Cost: linear to make.
class Values {
  public:
    explicit Values(const SyntaxTree& tree, bool knows_variables = true)
        : tree_(tree), knows_variables_(knows_variables), globals_(tree.global_values()) {}

    /// The value of an expression. Cost: bounded by its length, and by that of a few others whose value it
    /// names.
    [[nodiscard]] ShownText read(NodeId expression) const { return read(expression, max_depth); }

  private:
    static constexpr int max_depth = 4; ///< of brackets, and of variables whose values name others

    [[nodiscard]] ShownText read(NodeId expression, int depth) const;
    [[nodiscard]] ShownText read_operand(NodeId operand, int depth) const;
    /// The only value of a variable; no_node: it is not known.
    [[nodiscard]] NodeId value_of(NodeId name) const;

    const SyntaxTree& tree_;
    const bool knows_variables_;
    std::unordered_map<std::string_view, NodeId> globals_;
};

} // namespace qg::policy::compat
