// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/shown_text.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/policy/call_arguments.hpp"

#include <algorithm>
#include <charconv>

namespace qg::policy::compat {
namespace {

// Expressions stand in expressions: without bounds, reading each of them would take the square of their
// length.
constexpr std::size_t max_length = 4096;  ///< bytes of a value
constexpr std::size_t max_operands = 64;  ///< of one expression
constexpr std::size_t max_bracket = 1024; ///< tokens between brackets

bool opens(const Token& token) noexcept {
    return token.is("(") || token.is("{") || token.is("[");
}
bool closes(const Token& token) noexcept {
    return token.is(")") || token.is("}") || token.is("]");
}

/// The token behind the bracket that closes the one at `at`; the end of the source if that is too far.
std::size_t behind_bracket(Tokens tokens, std::size_t at) noexcept {
    int depth = 0;
    for (const std::size_t end = std::min(tokens.size(), at + max_bracket); at < end; ++at) {
        if (opens(tokens[at])) ++depth;
        if (closes(tokens[at]) && --depth == 0) return at + 1;
    }
    return tokens.size();
}

/// The token behind members, methods and calls of a value: `.name`, `:name(x)`, `[x]`, `"x"`.
std::size_t behind_suffixes(Tokens tokens, std::size_t at) noexcept {
    while (at < tokens.size()) {
        if (tokens[at].is(".") || tokens[at].is(":"))
            at += 2;
        else if (opens(tokens[at]))
            at = behind_bracket(tokens, at);
        else if (tokens[at].kind == TokenKind::text)
            ++at;
        else
            break;
    }
    return at;
}

bool is_sign(const Token& token) noexcept {
    return token.is("-") || token.is("#") || token.is("not") || token.is("~");
}

/// Whether an expression of a call or of an assignment is over in front of this token.
bool is_over(const Token& token) {
    return token.is(",") || token.is(")") || token.is(";") || token.is("}") || ends_expression(token);
}

/// The character of an escape of one letter; empty: there is none of that letter.
std::optional<char> plain_escape(char letter) noexcept {
    constexpr std::string_view letters = "abfnrtv\\\"'\n";
    constexpr std::string_view meant = "\a\b\f\n\r\t\v\\\"'\n";
    const std::size_t at = letters.find(letter);
    return at == letters.npos ? std::nullopt : std::optional(meant[at]);
}

/// Reads the number of an escape at the beginning of `rest` and removes it.
std::optional<char> take_number(std::string_view& rest, std::size_t digits, int base) noexcept {
    unsigned value = 0;
    const std::string_view text = rest.substr(0, digits);
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (problem != std::errc() || value > 255) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return static_cast<char>(value);
}

std::optional<std::string> read_escapes(std::string_view rest) {
    std::string content;
    while (!rest.empty()) {
        const char c = rest.front();
        rest.remove_prefix(1);
        if (c != '\\') {
            content += c;
            continue;
        }
        if (rest.empty()) return std::nullopt;
        const char letter = rest.front();
        if (letter == 'z') {
            rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n\v\f", 1), rest.size()));
            continue;
        }
        const bool is_hex = letter == 'x';
        const bool is_number = is_hex || text::is_digit(letter);
        if (is_hex || !is_number) rest.remove_prefix(1);
        // A line may end with "\r\n".
        if (letter == '\r' && rest.starts_with('\n')) continue;
        const auto meant = is_hex      ? take_number(rest, 2, 16)
                           : is_number ? take_number(rest, 3, 10)
                                       : plain_escape(letter);
        content += meant.value_or(letter); // as in Lua 5.1
    }
    return content;
}

} // namespace

std::optional<std::string> read_literal(const Token& token) {
    if (!token.text.empty()) return std::string(token.text);
    std::string_view raw = token.raw;
    if (raw.size() < 2) return std::nullopt;
    if (raw.front() != '[') return read_escapes(raw.substr(1, raw.size() - 2));
    const std::size_t bracket = raw.find('[', 1) + 1;
    if (raw.size() < 2 * bracket) return std::nullopt;
    raw = raw.substr(bracket, raw.size() - 2 * bracket);
    if (raw.starts_with('\r')) raw.remove_prefix(1);
    if (raw.starts_with('\n')) raw.remove_prefix(1);
    return std::string(raw);
}

std::vector<bool> find_assigned(Tokens tokens, const NameScopes& scopes) {
    std::vector<bool> is_assigned(scopes.declarations.size());
    bool is_list = false; // whether the names from here on, with "," between them, end with "="
    for (std::size_t i = tokens.size(); i-- > 0;) {
        if (tokens[i].is(",") && is_list) continue;
        is_list = tokens[i].is_name() &&
                  (token_at(tokens, i + 1).is("=") || (token_at(tokens, i + 1).is(",") && is_list));
        if (is_list && scopes.tokens[i].is_reference && scopes.tokens[i].declaration)
            is_assigned[*scopes.tokens[i].declaration] = true;
    }
    return is_assigned;
}

Values::Values(Tokens tokens) : scopes_(read_scopes(tokens)), is_assigned_(find_assigned(tokens, scopes_)) {
    std::vector<bool> is_declared(tokens.size());
    for (const Declaration& name : scopes_.declarations)
        is_declared[name.at] = true;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        if (!tokens[i].is_name() || !tokens[i + 1].is("=")) continue;
        if (!is_declared[i] && !scopes_.tokens[i].is_reference) continue; // a member, or a key
        const auto [at, is_new] = assigned_.try_emplace(tokens[i].text, i + 2);
        const bool is_one_of_several = i > 0 && tokens[i - 1].is(",");
        if (!is_new || is_one_of_several) at->second = 0;
    }
    for (const FunctionScope& function : scopes_.functions)
        for (const std::size_t parameter : function.parameters)
            assigned_[scopes_.declarations[parameter].name] = 0;
}

std::optional<std::size_t> Values::value_of(Tokens tokens, std::size_t at) const {
    if (at >= scopes_.tokens.size()) return std::nullopt;
    if (const auto declared = scopes_.tokens[at].declaration) {
        const Declaration& name = scopes_.declarations[*declared];
        // `local NAME <const> = value`
        const std::size_t behind = name.at + (token_at(tokens, name.at + 1).is("<") ? 4 : 1);
        if (name.is_single && !is_assigned_[*declared] && token_at(tokens, behind).is("=")) return behind + 1;
        // `local NAME`, whose value comes later.
        const Token& next = token_at(tokens, name.at + 1);
        if (name.at == 0 || !tokens[name.at - 1].is("local") || next.is(",") || next.is("="))
            return std::nullopt;
    }
    const auto found = assigned_.find(tokens[at].text);
    return found == assigned_.end() || found->second == 0 ? std::nullopt : std::optional(found->second);
}

Values::Operand Values::read_format(Tokens tokens, const ShownText& format, std::size_t bracket) const {
    Operand operand{{}, behind_bracket(tokens, bracket)};
    operand.shown.is_sure = format.is_sure;
    operand.shown.beginning = format.beginning.substr(0, format.beginning.find('%'));
    operand.shown.end = format.is_whole ? format.beginning : format.end;
    operand.shown.is_whole = format.is_whole && operand.shown.beginning == format.beginning;
    return operand;
}

Values::Operand Values::read_operand(Tokens tokens, std::size_t at, int depth) const {
    if (is_sign(token_at(tokens, at))) {
        while (is_sign(token_at(tokens, at)))
            ++at;
        return {{}, behind_suffixes(tokens, at + 1)};
    }
    const Token& first = token_at(tokens, at);
    const bool is_format = first.is_name("string") && token_at(tokens, at + 1).is(".") &&
                           token_at(tokens, at + 2).is_name("format") && token_at(tokens, at + 3).is("(");
    Operand operand{{}, at + 1};
    if (first.kind == TokenKind::text) {
        const auto content = read_literal(first);
        operand.shown = {content.value_or(""), content.has_value()};
    } else if (first.kind == TokenKind::number) {
        const bool is_plain = first.text.find_first_not_of("0123456789") == first.text.npos;
        operand.shown = {is_plain ? std::string(first.text) : std::string(), is_plain};
    } else if (is_format && depth > 0) {
        operand = read_format(tokens, read(tokens, at + 4, depth - 1), at + 3);
    } else if (first.is("(")) {
        if (depth > 0) operand.shown = read(tokens, at + 1, depth - 1);
        operand.next = behind_bracket(tokens, at);
    } else if (first.is_name() && depth > 0) {
        if (const auto value = value_of(tokens, at)) operand.shown = read(tokens, *value, depth - 1);
        operand.shown.is_sure = false;
    }
    // ("…"):format(x)
    const std::size_t method = operand.next;
    if (token_at(tokens, method).is(":") && token_at(tokens, method + 1).is_name("format") &&
        token_at(tokens, method + 2).is("(") && !operand.shown.beginning.empty())
        operand = read_format(tokens, operand.shown, method + 2);
    const std::size_t behind = behind_suffixes(tokens, operand.next);
    // A member of it, or what it returns, is another value.
    if (behind != operand.next) operand = {{}, behind};
    return operand;
}

ShownText Values::read(Tokens tokens, std::size_t at, int depth) const {
    ShownText shown;
    shown.is_whole = true;
    bool ends_with_variable = false;
    std::size_t operands = 0;
    for (bool is_last = false; !is_last;) {
        if (++operands > max_operands) return {};
        const Operand operand = read_operand(tokens, at, depth);
        if (shown.is_whole && (operand.shown.is_whole || !operand.shown.beginning.empty())) {
            shown.beginning += operand.shown.beginning;
            shown.is_sure = shown.is_sure && operand.shown.is_sure;
        }
        shown.is_whole = shown.is_whole && operand.shown.is_whole;
        shown.end = operand.shown.is_whole ? operand.shown.beginning : operand.shown.end;
        ends_with_variable = !operand.shown.is_sure && !shown.end.empty();
        is_last = !token_at(tokens, operand.next).is("..");
        at = operand.next + 1;
        if (shown.beginning.size() > max_length) return {};
    }
    shown.next = at - 1;
    if (!is_over(token_at(tokens, shown.next))) {
        // Another operator decides what it is. A literal before it mostly is the beginning.
        if (!shown.is_sure) return {};
        shown.is_whole = false;
        shown.end.clear();
        shown.next = 0;
    }
    if (shown.is_whole) shown.end.clear();
    if (ends_with_variable) shown.is_sure = false;
    return shown;
}

} // namespace qg::policy::compat
