// SPDX-License-Identifier: GPL-2.0-or-later
//
// use_problems: mistakes in the uses of names in the text of a rule; literals and the arguments of calls, for
// checks of their number and types.
#pragma once

#include "qosgate/policy/check/expression_types.hpp"
#include "qosgate/policy/check/name_check.hpp"
#include "qosgate/policy/check/syntax_tree.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
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

// ---- mistakes in one use of `view`, or of an object that it gives, in the text of a rule ---------------

/// The function that a call is one of: view.qos(name), qos:headroom(). Null: it is none of view.
const ViewFunction* find_called_function(const ExpressionTypes& types, NodeId call) noexcept;

/// The mistake in such a call, as far as literals show it. Cost: linear in its arguments.
UseProblem find_view_call_problem(const ExpressionTypes& types, NodeId call);

/// The mistake in one use of an object of view, or of one of its functions: an `index`, `call` or `method`.
/// Cost: likewise.
UseProblem find_view_problem(const ExpressionTypes& types, NodeId use);

// ---- mistakes in one use of a library of Lua, or of a module, in the text of a rule --------------------

/// The mistake in a call of string.format, tostring and the like: of one of Lua's own globals, or of its
/// member. Cost: linear in the arguments.
UseProblem find_library_problem(const SyntaxTree& tree, NodeId call);

/// The mistake in MODULE.NAME(...): a function that the module does not have, or the wrong number of
/// arguments. `use` is an `index` or `method` of the module. Cost: likewise.
UseProblem find_module_problem(const SyntaxTree& tree, NodeId use,
                               const std::pair<const std::string, ModuleMembers>& module);

// ---- of job, before and options ------------------------------------------------------------------------
// Mistakes in one use of `job`, `before` or `options`, or of a value that they give, in the text of a rule. A
// use is an `index` or `method` of the tree. The cost of each check is linear in the use's arguments.

/// The functions of `options`, which are called with a colon.
inline constexpr std::array<std::string_view, 4> option_functions{"note", "reject", "stop", "warn"};

/// What is around a use.
struct UseFacts {
    const std::set<std::string>* text_functions = nullptr; ///< the members of `string`; null: not known
    const std::string* writable_env = nullptr; ///< the setting, names with commas; null: not known
};

/// A field or function of `job` or `before` that does not exist, or that cannot be used so.
UseProblem find_job_problem(const ExpressionTypes& types, NodeId use);

/// A function of `options` that does not exist, that is called with a dot, or with the wrong arguments. Which
/// options there are is only known in the client, so their names are not looked at.
UseProblem find_option_problem(const ExpressionTypes& types, NodeId use);

/// LIST.NAME, LIST["NAME"] and LIST:NAME(...): elements of lists have numbers.
UseProblem find_list_problem(const ExpressionTypes& types, NodeId use);

/// What the value of a field, or job.gpu, does not have: job.features:add(...), job.gpu.cout.
UseProblem find_field_problem(const ExpressionTypes& types, NodeId use, const UseFacts& facts);

/// A value of a field in an operator that does not take it: job.gpu > 2, job.partition == 5, job.qos + 1. The
/// node is `binary`; `operand` is the place of the value.
UseProblem find_operand_problem(const ExpressionTypes& types, NodeId binary, std::size_t operand);

} // namespace qg::policy
