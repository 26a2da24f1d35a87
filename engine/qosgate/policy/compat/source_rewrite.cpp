// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/source_rewrite.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/lua_tokens.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace qg::policy::compat {
namespace {

/// What stands in front of an expression that ".." may be a part of.
constexpr std::array<std::string_view, 24> before_expression{
    "=",     "(",  ",",  "{",  "[",  ";",  "return", "and", "or", "if", "elseif", "while",
    "until", "in", "==", "~=", "<=", ">=", "<",      ">",   "<<", ">>", "&",      "|"};
constexpr std::array<std::string_view, 4> unary{"-", "not", "#", "~"};
constexpr std::array<std::string_view, 7> binds_stronger{"+", "-", "*", "/", "%", "^", "//"};

template <std::size_t count>
bool is_one_of(const Token& token, const std::array<std::string_view, count>& symbols) {
    return token.kind == TokenKind::symbol && std::ranges::find(symbols, token.text) != symbols.end();
}

/// Whether an expression can begin so, apart from unary operators.
bool begins_primary(const Token& token) {
    constexpr std::array<std::string_view, 7> symbols{"(", "{", "function", "nil", "true", "false", "..."};
    return token.kind != TokenKind::end && (token.kind != TokenKind::symbol || is_one_of(token, symbols));
}

bool is_literal(const Token& token) noexcept {
    return token.kind == TokenKind::text;
}

/// What is written in the place of a token.
struct Edit {
    std::string before;
    std::string_view instead;
    bool is_replaced = false;
    std::string behind;
};

/// Finds the chains of "..", the lengths and the functions that have a table `arg`. A source with mistakes
/// gives any result; the compiler then finds the mistake.
class EditFinder {
  public:
    explicit EditFinder(std::span<const Token> tokens)
        : tokens_(tokens), partner_(tokens.size(), 0), edits_(tokens.size()) {
        match_brackets();
    }

    std::vector<Edit> run() {
        for (std::size_t i = 1; i < tokens_.size(); ++i)
            if (is_one_of(tokens_[i - 1], before_expression)) rewrite_chain(i);
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].is("#")) rewrite_length(i);
            if (tokens_[i].is("function")) add_arg(i);
        }
        return std::move(edits_);
    }

  private:
    /// Notes the end of each bracket and of each block.
    void match_brackets() {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            const Token& token = tokens_[i];
            if (is_one_of(token,
                          std::array<std::string_view, 7>{"(", "{", "[", "function", "if", "do", "repeat"})) {
                open.push_back(i);
            } else if (is_one_of(token, std::array<std::string_view, 5>{")", "}", "]", "end", "until"}) &&
                       !open.empty()) {
                partner_[open.back()] = i;
                open.pop_back();
            }
        }
    }

    /// Behind the bracket or block that begins at `at`; the end if it is not closed.
    [[nodiscard]] std::size_t behind_partner(std::size_t at) const {
        return partner_[at] == 0 ? tokens_.size() - 1 : partner_[at] + 1;
    }

    [[nodiscard]] const Token& at(std::size_t i) const { return tokens_[std::min(i, tokens_.size() - 1)]; }

    /// Behind a name, a literal, a bracket or a function, with the calls and indices that follow it.
    [[nodiscard]] std::size_t behind_primary(std::size_t i) const {
        const bool is_block = at(i).is("(") || at(i).is("{") || at(i).is("function");
        const bool takes_suffixes = at(i).is_name() || at(i).is("(");
        i = is_block ? behind_partner(i) : i + 1;
        while (takes_suffixes) {
            if (at(i).is(".") || at(i).is(":"))
                i += 2;
            else if (at(i).is("(") || at(i).is("[") || at(i).is("{"))
                i = behind_partner(i);
            else if (is_literal(at(i)))
                ++i;
            else
                break;
        }
        return i;
    }

    /// Behind unary operators and what they stand before, without the "^" that may follow; 0: it is nothing.
    [[nodiscard]] std::size_t behind_unary(std::size_t i) const {
        while (is_one_of(at(i), unary))
            ++i;
        return begins_primary(at(i)) ? behind_primary(i) : 0;
    }

    /// Behind one side of a ".."; 0: there is none.
    [[nodiscard]] std::size_t behind_operand(std::size_t i) const {
        for (;;) {
            i = behind_unary(i);
            if (i == 0) return 0;
            if (!is_one_of(at(i), binds_stronger)) return i;
            ++i;
        }
    }

    /// Rewrites the chain whose first side begins at `begin`, if there is one.
    void rewrite_chain(std::size_t begin) {
        std::vector<std::size_t> joints;
        bool has_only_literals = true;
        std::size_t side = begin;
        std::size_t end = behind_operand(begin);
        for (;;) {
            has_only_literals = has_only_literals && end == side + 1 && is_literal(at(side));
            if (end == 0) return;
            if (!at(end).is("..")) break;
            joints.push_back(end);
            side = end + 1;
            end = behind_operand(side);
        }
        if (joints.empty() || has_only_literals || end >= tokens_.size()) return;
        edits_[begin].before.append(concat_name).append("(");
        for (const std::size_t joint : joints) {
            edits_[joint].instead = joint == joints.back() ? ",(" : ",";
            edits_[joint].is_replaced = true;
        }
        edits_[end - 1].behind += "))";
        // Behind a literal a bracket begins a statement; behind a call it would be one more call.
        if (at(end).is("(")) edits_[end - 1].behind += ";";
    }

    /// #t becomes (0.0+#t). Behind the edits of chains: the length is a part of one.
    void rewrite_length(std::size_t begin) {
        std::size_t end = behind_unary(begin);
        while (end != 0 && at(end).is("^"))
            end = behind_unary(end + 1);
        if (end == 0 || end >= tokens_.size()) return;
        edits_[begin].before += "(0.0+";
        edits_[end - 1].behind.insert(0, ")");
    }

    /// Declares `arg` in a function with "..." that mentions it: nil if the function uses "..." itself.
    void add_arg(std::size_t function) {
        std::size_t open = function + 1;
        while (at(open).is_name() || at(open).is(".") || at(open).is(":"))
            ++open;
        const std::size_t close = at(open).is("(") ? partner_[open] : 0;
        if (close == 0 || !at(close - 1).is("...")) return;
        const std::size_t end = behind_partner(function);
        bool mentions_arg = false;
        bool uses_values = false;
        std::size_t behind_inner = 0; // functions have values of their own
        for (std::size_t i = close + 1; i < end; ++i) {
            if (at(i).is("function")) behind_inner = std::max(behind_inner, behind_partner(i));
            if (at(i).is("...") && i >= behind_inner) uses_values = true;
            if (at(i).is_name("arg") && !at(i - 1).is(".") && !at(i - 1).is(":")) mentions_arg = true;
        }
        if (!mentions_arg) return;
        edits_[close].behind += " local arg";
        if (!uses_values) edits_[close].behind.append("=").append(arg_name).append("(...)");
        edits_[close].behind += ";";
    }

    std::span<const Token> tokens_;
    std::vector<std::size_t> partner_; ///< the index of the closing token; 0: none
    std::vector<Edit> edits_;
};

/// A literal in quotes, without the backslashes that mean nothing.
void append_literal(std::string& to, std::string_view literal) {
    constexpr std::string_view known = "abfnrtvxzu\\\"'\n\r0123456789";
    const bool has_escapes = !literal.starts_with('[');
    for (std::size_t i = 0; i < literal.size(); ++i) {
        if (has_escapes && literal[i] == '\\' && i + 1 < literal.size()) {
            if (known.find(literal[i + 1]) != std::string_view::npos) to += literal[i];
            ++i;
        }
        to += literal[i];
    }
}

/// Blanks out what stands before the code; a line stays a line.
std::string_view skip_preamble(std::string_view source, std::string& to) {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (source.starts_with(mark)) source.remove_prefix(mark.size());
    if (!source.starts_with('#')) return source;
    const std::size_t end = source.find('\n');
    if (end == std::string_view::npos) return {};
    to += '\n';
    return source.substr(end + 1);
}

/// A whole number as one with a fraction, so that it is never counted in 64 bits, which overflow.
void append_number(std::string& to, std::string_view number) {
    to.append(number);
    const bool is_hex = number.starts_with("0x") || number.starts_with("0X");
    const bool is_whole = number.find_first_of(is_hex ? ".pP" : ".eE") == std::string_view::npos;
    if (is_whole) to.append(is_hex ? "p0" : ".0");
}

/// Makes locals of what the chunk finds in its _ENV.
std::string first_statement() {
    return text::format("local {0},{1},_ENV=_ENV.{0},_ENV.{1},_ENV.{2};", concat_name, arg_name,
                        globals_name);
}

/// Whether a name of the script is one that only qosgate's own code has: the script's is another.
bool is_hidden(const Token& token) {
    return token.is_name(concat_name) || token.is_name(arg_name) || token.is_name(globals_name);
}

void append_edited(std::string& to, const Token& token, const Edit& edit) {
    to.append(edit.before);
    if (edit.is_replaced)
        to.append(edit.instead);
    else if (is_literal(token))
        append_literal(to, token.raw);
    else if (token.kind == TokenKind::number)
        append_number(to, token.raw);
    else
        to.append(token.raw).append(is_hidden(token) ? "_" : "");
    to.append(edit.behind);
}

} // namespace

std::string rewrite_for_lua_5_4(std::string_view source) {
    std::string result = first_statement();
    result.reserve(source.size() + source.size() / 4 + result.size());
    source = skip_preamble(source, result);
    const std::vector<Token> tokens = read_tokens(source);
    const std::vector<Edit> edits = EditFinder(tokens).run();
    std::size_t copied = 0;
    for (std::size_t i = 0; i < tokens.size() && tokens[i].kind != TokenKind::end; ++i) {
        const auto begin = static_cast<std::size_t>(tokens[i].raw.data() - source.data());
        result.append(source.substr(copied, begin - copied)); // blanks and comments
        copied = begin + tokens[i].raw.size();
        append_edited(result, tokens[i], edits[i]);
    }
    return result.append(source.substr(copied));
}

} // namespace qg::policy::compat
