// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/lua_tokens.hpp"

#include "qosgate/base/letters.hpp"

#include <iterator>

#include <algorithm>
#include <array>
#include <optional>

namespace qg::policy {
namespace {

constexpr std::array<std::string_view, 22> keywords{
    "and", "break", "do",  "else", "elseif", "end",    "false",  "for",  "function", "goto",  "if",
    "in",  "local", "nil", "not",  "or",     "repeat", "return", "then", "true",     "until", "while",
};

/// Longest first.
constexpr std::array<std::string_view, 10> long_symbols{
    "...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>"};

bool is_name_part(char c) noexcept {
    return text::is_letter(c) || c == '_' || text::is_digit(c);
}

class Lexer {
  public:
    explicit Lexer(std::string_view source) noexcept : rest_(source) {}

    Token next() {
        skip_blank();
        if (rest_.empty()) return {TokenKind::end, {}, line_};
        const char c = rest_.front();
        if (text::is_digit(c) || (c == '.' && rest_.size() > 1 && text::is_digit(rest_[1]))) return number();
        if (is_name_part(c)) return word();
        if (c == '"' || c == '\'') return short_text(c);
        if (const auto level = long_bracket()) return long_text(*level);
        const auto found =
            std::find_if(long_symbols.begin(), long_symbols.end(),
                         [this](std::string_view symbol) { return rest_.starts_with(symbol); });
        return take(TokenKind::symbol, found == long_symbols.end() ? 1 : found->size());
    }

  private:
    std::string_view skip(std::size_t bytes) noexcept {
        const std::string_view taken = rest_.substr(0, bytes);
        line_ += static_cast<int>(std::count(taken.begin(), taken.end(), '\n'));
        rest_.remove_prefix(taken.size());
        return taken;
    }

    /// A token counts for the line on which it begins.
    Token take(TokenKind kind, std::size_t bytes) noexcept {
        const int line = line_;
        const std::string_view raw = skip(bytes);
        return {kind, raw, line, raw};
    }

    void skip_blank() noexcept {
        for (;;) {
            const std::size_t blank = std::min(rest_.find_first_not_of(" \t\r\n\v\f"), rest_.size());
            skip(blank);
            if (!rest_.starts_with("--")) return;
            skip(2);
            if (const auto level = long_bracket())
                (void)long_text(*level);
            else
                skip(std::min(rest_.find_first_of("\n\r"), rest_.size()));
        }
    }

    Token number() noexcept {
        const bool is_hex = rest_.starts_with("0x") || rest_.starts_with("0X");
        const std::string_view exponents = is_hex ? "pP" : "eE";
        std::size_t bytes = 1;
        while (bytes < rest_.size()) {
            const char c = rest_[bytes];
            const bool is_sign =
                (c == '+' || c == '-') && exponents.find(rest_[bytes - 1]) != std::string_view::npos;
            if (!is_name_part(c) && c != '.' && !is_sign) break;
            ++bytes;
        }
        return take(TokenKind::number, bytes);
    }

    Token word() noexcept {
        std::size_t bytes = 1;
        while (bytes < rest_.size() && is_name_part(rest_[bytes]))
            ++bytes;
        const bool is_keyword =
            std::find(keywords.begin(), keywords.end(), rest_.substr(0, bytes)) != keywords.end();
        return take(is_keyword ? TokenKind::symbol : TokenKind::name, bytes);
    }

    Token short_text(char quote) noexcept {
        std::size_t bytes = 1;
        bool has_escapes = false;
        while (bytes < rest_.size() && rest_[bytes] != quote) {
            has_escapes = has_escapes || rest_[bytes] == '\\';
            bytes += rest_[bytes] == '\\' ? 2 : 1;
        }
        Token token = take(TokenKind::text, bytes + 1);
        token.text = has_escapes || token.text.size() < 2 ? std::string_view()
                                                          : token.text.substr(1, token.text.size() - 2);
        return token;
    }

    /// The number of "=" of a long bracket that begins here.
    [[nodiscard]] std::optional<std::size_t> long_bracket() const noexcept {
        if (!rest_.starts_with('[')) return std::nullopt;
        const std::size_t behind = std::min(rest_.find_first_not_of('=', 1), rest_.size());
        if (behind == rest_.size() || rest_[behind] != '[') return std::nullopt;
        return behind - 1;
    }

    Token long_text(std::size_t level) noexcept {
        std::size_t at = level + 2;
        for (;; ++at) {
            at = rest_.find(']', at);
            if (at == std::string_view::npos) return take(TokenKind::text, rest_.size());
            const std::size_t behind = std::min(rest_.find_first_not_of('=', at + 1), rest_.size());
            if (behind - at - 1 == level && behind < rest_.size() && rest_[behind] == ']') break;
        }
        Token token = take(TokenKind::text, at + level + 2);
        token.text = {}; // no field name is written this way
        return token;
    }

    std::string_view rest_;
    int line_ = 1;
};

} // namespace

std::vector<Token> read_tokens(std::string_view source) {
    // A byte order mark, and a first line for the shell; its end keeps the numbers of lines.
    if (source.starts_with("\xEF\xBB\xBF")) source.remove_prefix(3);
    if (source.starts_with('#')) source.remove_prefix(std::min(source.find('\n'), source.size()));
    std::vector<Token> tokens;
    Lexer lexer(source);
    do
        tokens.push_back(lexer.next());
    while (tokens.back().kind != TokenKind::end);
    return tokens;
}

} // namespace qg::policy
