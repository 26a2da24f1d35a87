// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/call_arguments.hpp"

#include "qosgate/base/text.hpp"

namespace qg::policy {
namespace {

// Calls stand in calls: without a bound, checking each of them would take the square of their length.
constexpr std::size_t max_length = 1024;

bool opens(const Token& token) noexcept {
    return token.is("(") || token.is("{") || token.is("[");
}
bool closes(const Token& token) noexcept {
    return token.is(")") || token.is("}") || token.is("]");
}

/// Whether the first of the tokens opens a bracket that the last one closes.
bool is_bracketed(Tokens tokens) noexcept {
    int depth = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (opens(tokens[i])) ++depth;
        if (closes(tokens[i])) --depth;
        if (depth == 0) return i > 0 && i + 1 == tokens.size();
    }
    return false;
}

} // namespace

bool begins_arguments(const Token& token) noexcept {
    return token.kind == TokenKind::text || token.is("(") || token.is("{");
}

bool WrittenArguments::is_open() const noexcept {
    if (all.empty()) return false;
    const Tokens last = all.back();
    if (literal_type(last) != LiteralType::unknown) return false;
    const Token& end = last.back();
    return end.is(")") || end.is("...") || end.is("}") || (last.size() > 1 && end.kind == TokenKind::text);
}

std::optional<WrittenArguments> read_arguments(Tokens tokens) {
    WrittenArguments found;
    if (token_at(tokens, 0).kind == TokenKind::text) {
        found.all.push_back(tokens.first(1));
        found.length = 1;
        return found;
    }
    const bool is_table = token_at(tokens, 0).is("{");
    if (!is_table && !token_at(tokens, 0).is("(")) return std::nullopt;
    int depth = 0;
    std::size_t begin = is_table ? 0 : 1;
    for (std::size_t at = 0; at < std::min(tokens.size(), max_length); ++at) {
        const Token& token = tokens[at];
        if (token.is("function")) return std::nullopt;
        if (opens(token)) ++depth;
        if (closes(token)) --depth;
        const bool is_end = depth == 0;
        if (!is_end && (is_table || depth != 1 || !token.is(","))) continue;
        const std::size_t end = is_table ? at + 1 : at;
        if (end > begin) found.all.push_back(tokens.subspan(begin, end - begin));
        begin = at + 1;
        found.length = at + 1;
        if (is_end) return found;
    }
    return std::nullopt;
}

LiteralType literal_type(Tokens expression) noexcept {
    if (expression.empty()) return LiteralType::unknown;
    const Token& first = expression[0];
    if (first.is("{") && is_bracketed(expression)) return LiteralType::table;
    const bool is_negative = expression.size() == 2 && first.is("-");
    if (is_negative && expression[1].kind == TokenKind::number) return LiteralType::number;
    if (expression.size() != 1) return LiteralType::unknown;
    if (first.kind == TokenKind::number) return LiteralType::number;
    if (first.kind == TokenKind::text) return LiteralType::text;
    if (first.is("nil")) return LiteralType::nothing;
    return first.is("true") || first.is("false") ? LiteralType::flag : LiteralType::unknown;
}

std::string show_literal(Tokens expression) {
    switch (literal_type(expression)) {
    case LiteralType::table: return "a table";
    case LiteralType::text:
        return expression[0].text.empty() ? "a text"
                                          : text::format("\"{}\"", text::printable(expression[0].text, 60));
    case LiteralType::number:
        return expression.size() == 2 ? text::format("-{}", expression[1].text)
                                      : std::string(expression[0].text);
    case LiteralType::nothing:
    case LiteralType::flag: return std::string(expression[0].text);
    case LiteralType::unknown: break;
    }
    return {};
}

} // namespace qg::policy
