// SPDX-License-Identifier: GPL-2.0-or-later
//
// syntax_tree: a Lua source as a tree, for checks of what it does. Names are resolved: each is a local of a
// certain declaration, or a global. It reads what Lua 5.1 to 5.4 read.
//
//   const SyntaxTree tree(source);
//   for (NodeId id = 0; id < tree.size(); ++id)
//       if (tree.is_global(tree.object(id), "string")) check(tree.member(id), tree.line(id));
#pragma once

#include "qosgate/policy/check/lua_tokens.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace qg::policy {

using NodeId = std::uint32_t;
inline constexpr NodeId no_node = UINT32_MAX;

/// What a node is, and its children.
enum class NodeKind : std::uint8_t {
    nothing, ///< nil
    flag,
    number,
    text, ///< a literal, or the NAME of OBJECT.NAME
    dots,
    name,     ///< a use of a variable
    declared, ///< a local where it is declared
    index,    ///< OBJECT.NAME, OBJECT[KEY] (object, key); also the OBJECT:NAME of a function's name
    call,     ///< (function, arguments...)
    method,   ///< OBJECT:NAME(...) (object, arguments...)
    table,    ///< entries, or values
    entry,    ///< NAME = VALUE, [KEY] = VALUE (key, value)
    function, ///< (parameters..., block); `self` may be the first, `dots` the last one
    unary,
    binary,
    group, ///< (EXPRESSION)
    block,
    local,        ///< local NAMES = VALUES, and local function NAME
    assignment,   ///< TARGETS = VALUES, and function TARGET
    conditional,  ///< if: condition, block, condition, block, ..., the block of `else`
    loop,         ///< while: condition, block; repeat: block, condition
    do_block,     ///< (block)
    numeric_loop, ///< (declared, expressions..., block)
    generic_loop, ///< (names..., expressions..., block)
    return_statement,
    jump, ///< break, goto, and a label
};

struct Node {
    NodeKind kind;
    NodeId parent = no_node;
    NodeId function = no_node;  ///< the innermost one around it; no_node: the file
    std::uint32_t token = 0;    ///< its sign: an operator, a bracket, a name
    std::uint32_t begin = 0;    ///< its first token
    std::uint32_t place = 0;    ///< among the children of its parent
    std::uint32_t children = 0; ///< where they begin
    std::uint32_t count = 0;    ///< of children
    std::uint32_t split =
        0; ///< of `local`, `assignment` and loops: the number of names or targets; of `function`: of `self`
    std::uint32_t local = no_node; ///< of `name` and `declared`: its Declaration; no_node: a global
};

/// A local name.
struct Declaration {
    std::string_view name;
    NodeId node = no_node;    ///< where it is declared
    NodeId value = no_node;   ///< what it is declared with; no_node: nothing, or it is not one expression
    bool is_assigned = false; ///< it gets another value later
    std::vector<NodeId> uses = {}; ///< in order; also those that assign to it
};

/// Nodes are in the order of their ends: children stand before their parents. So a walk over all numbers
/// needs no recursion. Ownership: borrows the source. Cost: linear. Threads: immutable.
class SyntaxTree {
  public:
    /// A source that is no Lua, or that is nested more deeply than Lua allows, gives what stands before the
    /// mistake: see is_complete().
    explicit SyntaxTree(std::string_view source);

    /// False: the source is no Lua.
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
    [[nodiscard]] NodeId size() const noexcept { return static_cast<NodeId>(nodes_.size()); }
    [[nodiscard]] const Node& operator[](NodeId id) const noexcept { return nodes_[id]; }
    [[nodiscard]] NodeKind kind(NodeId id) const noexcept;
    [[nodiscard]] bool is(NodeId id, NodeKind kind) const noexcept { return this->kind(id) == kind; }
    [[nodiscard]] std::span<const Token> tokens() const noexcept { return tokens_; }
    [[nodiscard]] const Token& token(NodeId id) const noexcept { return tokens_[nodes_[id].token]; }
    /// Of its sign: a name, an operator, the content of a literal.
    [[nodiscard]] std::string_view text(NodeId id) const noexcept { return token(id).text; }
    /// Where it begins.
    [[nodiscard]] int line(NodeId id) const noexcept { return tokens_[nodes_[id].begin].line; }
    [[nodiscard]] const std::vector<Declaration>& declarations() const noexcept { return declarations_; }

    [[nodiscard]] NodeId parent(NodeId id) const noexcept { return nodes_[id].parent; }
    [[nodiscard]] std::span<const NodeId> children(NodeId id) const noexcept;
    /// no_node: there are fewer.
    [[nodiscard]] NodeId child(NodeId id, std::size_t place) const noexcept;

    /// Of a call, or of a method.
    [[nodiscard]] std::span<const NodeId> arguments(NodeId call) const noexcept;
    /// Of `index`, `call` and `method`: what stands in front; no_node: it is something else.
    [[nodiscard]] NodeId object(NodeId id) const noexcept;
    /// The NAME in OBJECT.NAME, OBJECT["NAME"] and OBJECT:NAME(); empty: it is something else.
    [[nodiscard]] std::string_view member(NodeId id) const noexcept;
    /// The NAME of an entry NAME = VALUE or ["NAME"] = VALUE; empty: it is something else.
    [[nodiscard]] std::string_view key(NodeId entry) const noexcept;
    /// Whether it is OBJECT.NAME.
    [[nodiscard]] bool is_dotted(NodeId id) const noexcept;
    /// Whether it is a variable that is no local; of this name.
    [[nodiscard]] bool is_global(NodeId id) const noexcept;
    [[nodiscard]] bool is_global(NodeId id, std::string_view name) const noexcept;
    /// Whether it is a global, or its member: "string.format".
    [[nodiscard]] bool is_path(NodeId id, std::string_view path) const noexcept;
    /// Whether it is called: it is NAME in NAME(...).
    [[nodiscard]] bool is_called(NodeId id) const noexcept;
    /// Whether it gets a value: it is NAME in NAME = VALUE, or in function NAME().
    [[nodiscard]] bool is_target(NodeId id) const noexcept;
    /// What such a target gets; no_node: not one expression.
    [[nodiscard]] NodeId value_of(NodeId target) const noexcept;
    /// Of a function, as they are written: without the `self` of function OBJECT:NAME().
    [[nodiscard]] std::span<const NodeId> parameters(NodeId function) const noexcept;
    [[nodiscard]] NodeId body(NodeId function) const noexcept;
    /// The literal text that a call has as its only argument; empty: another one, or its content is not
    /// known.
    [[nodiscard]] std::string_view only_text(NodeId call) const noexcept;
    /// The last function that gets this name, as a local or as a global; no_node: none.
    [[nodiscard]] NodeId find_function(std::string_view name) const;
    /// What globals get: the only value of each, or no_node if there are several, or it is not one
    /// expression.
    [[nodiscard]] std::unordered_map<std::string_view, NodeId> global_values() const;

  private:
    friend class SyntaxParser;

    std::vector<Token> tokens_;
    std::vector<Node> nodes_; ///< the last one is the block of the file
    std::vector<NodeId> children_;
    std::vector<Declaration> declarations_;
    bool is_complete_ = true;
};

} // namespace qg::policy
