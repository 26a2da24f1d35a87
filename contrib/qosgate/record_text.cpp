// SPDX-License-Identifier: GPL-2.0-or-later
#include "record_text.hpp"

#include "qosgate/base/utf8.hpp"

#include <array>
#include <charconv>
#include <cstring>

namespace qg::cli {
namespace {

bool is_blank(char sign) noexcept {
    return sign == ' ' || sign == '\t' || sign == '\n' || sign == '\r';
}
bool is_digit(char sign) noexcept {
    return sign >= '0' && sign <= '9';
}

/// Checks a text.
class Checker {
  public:
    explicit Checker(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    /// The only value of the text; empty: there is none.
    std::string_view run() {
        skip_blank();
        const char* const begin = at_;
        if (!value(0)) return {};
        const char* const behind = at_;
        skip_blank();
        return at_ == end_ ? std::string_view(begin, static_cast<std::size_t>(behind - begin))
                           : std::string_view();
    }

  private:
    static constexpr int max_depth = 32;

    [[nodiscard]] char peek() const noexcept { return at_ == end_ ? '\0' : *at_; }
    bool take(char sign) noexcept {
        if (peek() != sign || at_ == end_) return false;
        ++at_;
        return true;
    }
    void skip_blank() noexcept {
        while (at_ != end_ && is_blank(*at_))
            ++at_;
    }

    bool value(int depth) {
        if (depth > max_depth) return false;
        switch (peek()) {
        case '{': return members(depth);
        case '[': return elements(depth);
        case '"': return text();
        case 't': return word("true");
        case 'f': return word("false");
        case 'n': return word("null");
        default: return number();
        }
    }
    bool word(std::string_view word) noexcept {
        if (static_cast<std::size_t>(end_ - at_) < word.size() ||
            std::memcmp(at_, word.data(), word.size()) != 0)
            return false;
        at_ += word.size();
        return true;
    }
    bool digits() noexcept {
        if (!is_digit(peek())) return false;
        while (is_digit(peek()))
            ++at_;
        return true;
    }
    bool number() noexcept {
        take('-');
        if (!digits()) return false;
        if (take('.') && !digits()) return false;
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            return digits();
        }
        return true;
    }
    bool text() noexcept {
        for (++at_; at_ != end_; ++at_) {
            if (*at_ == '"') {
                ++at_;
                return true;
            }
            if (static_cast<unsigned char>(*at_) < 0x20) return false;
            if (*at_ == '\\' && (++at_ == end_ || !escape())) return false;
        }
        return false;
    }
    /// At the sign behind a backslash; stays at the last one.
    bool escape() noexcept {
        if (*at_ != 'u') return std::strchr("\"\\/bfnrt", *at_) != nullptr && *at_ != '\0';
        if (end_ - at_ < 5) return false;
        unsigned code = 0;
        const auto done = std::from_chars(at_ + 1, at_ + 5, code, 16);
        at_ += 4;
        return done.ptr == at_ + 1;
    }
    bool elements(int depth) {
        ++at_;
        skip_blank();
        if (take(']')) return true;
        for (;;) {
            skip_blank();
            if (!value(depth + 1)) return false;
            skip_blank();
            if (take(']')) return true;
            if (!take(',')) return false;
        }
    }
    bool members(int depth) {
        ++at_;
        skip_blank();
        if (take('}')) return true;
        for (;;) {
            skip_blank();
            if (peek() != '"' || !text()) return false;
            skip_blank();
            if (!take(':')) return false;
            skip_blank();
            if (!value(depth + 1)) return false;
            skip_blank();
            if (take('}')) return true;
            if (!take(',')) return false;
        }
    }

    const char* at_;
    const char* end_;
};

std::uint32_t hex(const char* digits) noexcept {
    std::uint32_t code = 0;
    std::from_chars(digits, digits + 4, code, 16);
    return code;
}

/// Replaces the escapes of a text that was checked.
void decode(std::string_view raw, std::string& text) {
    constexpr std::string_view signs = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    text.clear();
    for (std::size_t at = 0; at < raw.size(); ++at) {
        if (raw[at] != '\\') {
            text += raw[at];
            continue;
        }
        ++at;
        if (raw[at] != 'u') {
            text += meanings[signs.find(raw[at])];
            continue;
        }
        std::uint32_t code = hex(raw.data() + at + 1);
        at += 4;
        const bool is_pair =
            code >= 0xd800 && code <= 0xdbff && raw.substr(at + 1).starts_with("\\u") && raw.size() >= at + 7;
        if (is_pair) {
            const std::uint32_t low = hex(raw.data() + at + 3);
            if (low >= 0xdc00 && low <= 0xdfff) {
                code = 0x10000 + ((code - 0xd800) << 10u) + (low - 0xdc00);
                at += 6;
            }
        }
        text::append_utf8(text, code >= 0xd800 && code <= 0xdfff ? 0xfffdu : code);
    }
}

} // namespace

std::optional<JsonSlice> JsonSlice::of(std::string_view text) {
    const std::string_view value = Checker(text).run();
    return value.empty() ? std::nullopt : std::optional(JsonSlice(value));
}

bool JsonSlice::is_empty() const noexcept {
    if (!is_list() && !is_object()) return false;
    const char* const at = next_part(text_.data() + 1);
    return *at == ']' || *at == '}';
}

std::optional<std::int64_t> JsonSlice::integer() const noexcept {
    std::int64_t number = 0;
    const auto done = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (done.ec != std::errc() || done.ptr != text_.data() + text_.size()) return std::nullopt;
    return number;
}

std::string_view JsonSlice::text(std::string& store) const {
    if (!is_text()) return {};
    const std::string_view raw = text_.substr(1, text_.size() - 2);
    if (std::memchr(raw.data(), '\\', raw.size()) == nullptr) return raw;
    decode(raw, store);
    return store;
}

std::string JsonSlice::text() const {
    std::string store;
    return std::string(text(store));
}

const char* JsonSlice::next_part(const char* at) noexcept {
    while (is_blank(*at) || *at == ',' || *at == ':')
        ++at;
    return at;
}

const char* JsonSlice::skip_text(const char* at) noexcept {
    for (++at; *at != '"'; ++at)
        if (*at == '\\') ++at;
    return at + 1;
}

const char* JsonSlice::skip(const char* at) noexcept {
    if (*at == '"') return skip_text(at);
    if (*at != '{' && *at != '[') {
        while (*at != ',' && *at != '}' && *at != ']' && !is_blank(*at))
            ++at;
        return at;
    }
    int depth = 0;
    for (;;) {
        if (*at == '"') {
            at = skip_text(at);
            continue;
        }
        if (*at == '{' || *at == '[') ++depth;
        if ((*at == '}' || *at == ']') && --depth == 0) return at + 1;
        ++at;
    }
}

} // namespace qg::cli
