// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/use_problems.hpp"

#include "qosgate/base/text.hpp"

namespace qg::policy {

LiteralType literal_type(const SyntaxTree& tree, NodeId expression) noexcept {
    const NodeKind kind = tree.kind(expression);
    if (kind == NodeKind::nothing) return LiteralType::nothing;
    if (kind == NodeKind::flag) return LiteralType::flag;
    if (kind == NodeKind::text) return LiteralType::text;
    if (kind == NodeKind::table) return LiteralType::table;
    const bool is_negative = kind == NodeKind::unary && tree.text(expression) == "-";
    return tree.is(is_negative ? tree.child(expression, 0) : expression, NodeKind::number)
               ? LiteralType::number
               : LiteralType::unknown;
}

std::string_view literal_text(const SyntaxTree& tree, NodeId expression) noexcept {
    return tree.is(expression, NodeKind::text) ? tree.text(expression) : std::string_view();
}

bool is_empty_text(const SyntaxTree& tree, NodeId expression) noexcept {
    return tree.is(expression, NodeKind::text) && tree.token(expression).raw.size() == 2;
}

std::string show_literal(const SyntaxTree& tree, NodeId expression) {
    switch (literal_type(tree, expression)) {
    case LiteralType::table: return "a table";
    case LiteralType::text:
        return literal_text(tree, expression).empty()
                   ? "a text"
                   : text::format("\"{}\"", text::printable(literal_text(tree, expression), 60));
    case LiteralType::number:
        if (tree.is(expression, NodeKind::unary))
            return text::format("-{}", tree.text(tree.child(expression, 0)));
        [[fallthrough]];
    case LiteralType::nothing:
    case LiteralType::flag: return std::string(tree.text(expression));
    case LiteralType::unknown: break;
    }
    return {};
}

bool WrittenArguments::is_open() const noexcept {
    if (all.empty()) return false;
    const NodeKind last = tree.kind(all.back());
    return last == NodeKind::call || last == NodeKind::method || last == NodeKind::dots;
}

} // namespace qg::policy
