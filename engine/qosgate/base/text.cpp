// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/text.hpp"

#include "qosgate/base/letters.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include <fnmatch.h>

namespace qg::text {
namespace {

/// What is longer is no name that somebody has mistyped.
constexpr std::size_t longest_name = 64;

/// Letters compared in one search for a near miss; names that it does not come to are not suggested. A
/// millisecond's part, and enough for a thousand usual names.
constexpr std::size_t most_comparisons = 100'000;

/// Searches the nearest of some names, by Levenshtein distance, case ignored. Cost: bounded by
/// `most_comparisons`.
class NearestName {
  public:
    /// A name is near from a distance below `best` on.
    NearestName(std::string_view wrong, std::size_t best) : wrong_(wrong), best_(best) {}

    /// Whether this is nearer than all before.
    bool is_nearer(std::string_view name) {
        const auto [shorter, longer] = std::minmax({wrong_.size(), name.size()});
        if (name.size() > longest_name || longer - shorter >= best_ || left_ == 0) return false;
        const std::size_t distance = distance_to(name);
        if (distance >= best_) return false;
        best_ = distance;
        return true;
    }

  private:
    /// The distance, or, where it is not less than the best so far, anything that is not.
    std::size_t distance_to(std::string_view name) {
        std::array<std::size_t, longest_name + 1> row;
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 1; i <= wrong_.size(); ++i) {
            std::size_t diagonal = row[0];
            std::size_t least = row[0] = i;
            for (std::size_t j = 1; j <= name.size(); ++j) {
                const std::size_t substituted =
                    diagonal + (to_lower(wrong_[i - 1]) == to_lower(name[j - 1]) ? 0 : 1);
                diagonal = row[j];
                row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
                least = std::min(least, row[j]);
            }
            left_ -= std::min(left_, name.size());
            if (least >= best_ || left_ == 0) return best_;
        }
        return row[name.size()];
    }

    std::string_view wrong_;
    std::size_t best_;
    std::size_t left_ = most_comparisons;
};

/// The first character of a text.
struct Character {
    std::size_t bytes = 1;
    bool is_printable = false;
};

/// Whether a character of several bytes shows nothing by itself: C1, what has no width, line and paragraph
/// separators, and those that turn the direction of the text.
constexpr bool is_invisible(std::uint32_t code) noexcept {
    const auto is_in = [code](std::uint32_t first, std::uint32_t last) {
        return first <= code && code <= last;
    };
    return code < 0xa0 || code == 0x00ad || code == 0x061c || is_in(0x200b, 0x200f) ||
           is_in(0x2028, 0x202e) || is_in(0x2060, 0x2064) || is_in(0x2066, 0x2069) || code == 0xfeff;
}

/// Reads UTF-8; a byte that is none is a character by itself.
Character read_character(std::string_view text) noexcept {
    const auto byte = [&](std::size_t at) -> std::uint32_t {
        return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
    };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) return {1, lead >= 0x20 && lead != 0x7f};

    struct Length {
        std::size_t bytes;
        std::uint32_t mask, lead; ///< of the first byte
        std::uint32_t least;      ///< shorter forms have the others
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
        if (code < length.least || code > 0x10ffff || is_surrogate) return {};
        return {length.bytes, !is_invisible(code)};
    }
    return {};
}

} // namespace

std::string_view trim(std::string_view text) noexcept {
    constexpr std::string_view white = " \t\r\n\v\f";
    const auto first = text.find_first_not_of(white);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(white) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator, bool keep_empty) {
    std::vector<std::string_view> parts;
    for_each_part(text, separator, [&](std::string_view part) {
        if (!part.empty() || keep_empty) parts.push_back(part);
    });
    return parts;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
    return fmt::format("{}", fmt::join(parts, separator));
}

std::string list_names(std::span<const std::string> names) {
    constexpr std::size_t most = 12;
    constexpr std::string_view one_more = " and 1 more";
    const std::size_t left_out = names.size() - std::min(names.size(), most);
    if (left_out == 0 || (left_out == 1 && names.back().size() <= one_more.size())) return join(names, ", ");
    return fmt::format("{} and {} more", join(names.first(most), ", "), left_out);
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), to_lower);
    return result;
}

bool has_same_letters(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(),
                      [](char x, char y) { return x == y || to_lower(x) == to_lower(y); });
}

bool istarts_with(std::string_view text, std::string_view prefix) noexcept {
    return text.size() >= prefix.size() && iequals(text.substr(0, prefix.size()), prefix);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view digits) noexcept {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return value;
}

std::string did_you_mean(std::string_view wrong, std::span<const std::string> candidates) {
    if (wrong.size() > longest_name) return "";
    const std::size_t tolerance = std::max<std::size_t>(1, wrong.size() * 2 / 5);
    NearestName search(wrong, tolerance + 1);
    const std::string* best = nullptr;
    for (const std::string& candidate : candidates)
        if (search.is_nearer(candidate)) best = &candidate;
    return best == nullptr ? "" : "; did you mean " + *best + "?";
}

std::string printable(std::string_view text, std::size_t max_bytes) {
    std::string result;
    while (!text.empty()) {
        const Character first = read_character(text);
        if (result.size() + first.bytes > max_bytes) return result + "...";
        if (first.is_printable)
            result += text.substr(0, first.bytes);
        else
            result += '?';
        text.remove_prefix(first.bytes);
    }
    return result;
}

std::string quoted(std::string_view text, std::size_t max_bytes) {
    std::string result = "'";
    for (const char letter : printable(text, max_bytes)) {
        if (letter == '\'' || letter == '\\') result += '\\';
        result += letter;
    }
    return result + '\'';
}

bool matches(std::string_view name, std::string_view pattern) {
    return fnmatch(lower(pattern).c_str(), lower(name).c_str(), 0) == 0;
}

} // namespace qg::text
