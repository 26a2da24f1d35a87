// SPDX-License-Identifier: GPL-2.0-or-later
//
// call_arguments: literals and the arguments of calls in the text of a rule, for checks of their number and
// types, and what such a check finds.
#pragma once

#include "qosgate/policy/check/syntax_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace qg::policy {

/// A mistake in one use of a name. Empty if there is none.
struct UseProblem {
    std::string message;
    bool is_failure = true; ///< whether the rule certainly fails there; else it goes on

    [[nodiscard]] bool empty() const noexcept { return message.empty(); }

    static UseProblem failure(std::string message) { return {std::move(message), true}; }
    static UseProblem warning(std::string message) { return {std::move(message), false}; }
};

/// What an expression certainly is, from its text alone.
enum class LiteralType : std::uint8_t { unknown, nothing, flag, number, text, table };

LiteralType literal_type(const SyntaxTree& tree, NodeId expression) noexcept;

/// The content of a literal text; empty: it is none, or its content is not known.
std::string_view literal_text(const SyntaxTree& tree, NodeId expression) noexcept;

/// Whether it is "".
bool is_empty_text(const SyntaxTree& tree, NodeId expression) noexcept;

/// How messages show a literal: `"8 hours"`, `-1`, `a table`.
std::string show_literal(const SyntaxTree& tree, NodeId expression);

/// The arguments of one call. Ownership: borrows the tree.
struct WrittenArguments {
    WrittenArguments(const SyntaxTree& of, NodeId call) : tree(of), all(of.arguments(call)) {}

    const SyntaxTree& tree;
    std::span<const NodeId> all;

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
    /// The type of the argument at this place; unknown: there is none.
    [[nodiscard]] LiteralType type(std::size_t place) const noexcept {
        return place < all.size() ? literal_type(tree, all[place]) : LiteralType::unknown;
    }
    /// Likewise its text.
    [[nodiscard]] std::string_view text(std::size_t place) const noexcept {
        return place < all.size() ? literal_text(tree, all[place]) : std::string_view();
    }
    [[nodiscard]] std::string show(std::size_t place) const { return show_literal(tree, all[place]); }
};

} // namespace qg::policy
