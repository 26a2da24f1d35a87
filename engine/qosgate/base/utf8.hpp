// SPDX-License-Identifier: GPL-2.0-or-later
//
// UTF-8: single characters of a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace qg::text {

/// A character; `bytes` is 0 if there is none.
struct CodePoint {
    std::size_t bytes = 0;
    std::uint32_t code = 0;
};

/// The first character of a text; none if the text is empty or does not begin with valid UTF-8 (the shortest
/// form, no surrogates).
inline CodePoint decode_utf8(std::string_view text) noexcept {
    const auto byte = [&](std::size_t at) -> std::uint32_t {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
    };
    const std::uint32_t lead = byte(0);
    if (text.empty()) return {};
    if (lead < 0x80) return {1, lead};

    struct Length {
        std::size_t bytes;
        std::uint32_t mask, lead; ///< of the first byte
        std::uint32_t min;        ///< smaller numbers have shorter forms
    };
    constexpr Length lengths[] = {{2, 0xe0, 0xc0, 0x80}, {3, 0xf0, 0xe0, 0x800}, {4, 0xf8, 0xf0, 0x10000}};
    for (const Length& length : lengths) {
        if ((lead & length.mask) != length.lead) continue;
        std::uint32_t code = lead & ~length.mask;
        for (std::size_t at = 1; at < length.bytes; ++at) {
            if ((byte(at) & 0xc0u) != 0x80u) return {};
            code = code << 6 | (byte(at) & 0x3fu);
        }
        const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
        if (code < length.min || code > 0x10ffff || is_surrogate) return {};
        return {length.bytes, code};
    }
    return {};
}

/// Appends a character; `code` is at most 0x10ffff and no surrogate.
inline void append_utf8(std::string& text, std::uint32_t code) {
    const auto append = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) return append(code);
    if (code < 0x800) {
        append(0xc0u | code >> 6u);
    } else {
        if (code < 0x10000) {
            append(0xe0u | code >> 12u);
        } else {
            append(0xf0u | code >> 18u);
            append(0x80u | (code >> 12u & 0x3fu));
        }
        append(0x80u | (code >> 6u & 0x3fu));
    }
    append(0x80u | (code & 0x3fu));
}

/// The text without the byte order mark that some editors write first.
inline std::string_view without_byte_order_mark(std::string_view text) noexcept {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (text.starts_with(mark)) text.remove_prefix(mark.size());
    return text;
}

} // namespace qg::text
