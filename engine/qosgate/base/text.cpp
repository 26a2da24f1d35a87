// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/text.hpp"

#include "qosgate/base/characters.hpp"
#include "qosgate/base/letters.hpp"
#include "qosgate/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <numeric>
#include <utility>

#include <fmt/ranges.h>
#include <fnmatch.h>

namespace qg::text {
namespace {

/// A longer text is not a mistyped name.
constexpr std::size_t max_name_length = 64;

/// How many letters one search for a near miss may compare; names beyond that are not suggested. This takes a
/// fraction of a millisecond and is enough for a thousand names of usual length.
constexpr std::size_t max_comparisons = 100'000;

/// Finds the nearest of some names, case ignored: letters are missing, added, replaced, or change places with
/// the next one. Cost: bounded by `max_comparisons`.
class NearestName {
  public:
    /// A name is near if its distance is below `best`.
    NearestName(std::string_view wrong, std::size_t best) : wrong_(wrong), best_(best) {}

    /// Whether this is nearer than all before.
    bool is_nearer(std::string_view name) {
        const auto [shorter, longer] = std::minmax({wrong_.size(), name.size()});
        if (name.size() > max_name_length || longer - shorter >= best_ || left_ == 0) return false;
        const std::size_t distance = distance_to(name);
        if (distance >= best_) return false;
        best_ = distance;
        return true;
    }

  private:
    /// The distance if it is less than the best one so far; otherwise any number that is not less.
    std::size_t distance_to(std::string_view name) {
        const auto is_same = [&](std::size_t i, std::size_t j) {
            return to_lower(wrong_[i - 1]) == to_lower(name[j - 1]);
        };
        // Three rows that take turns.
        std::array<std::array<std::uint8_t, max_name_length + 1>, 3> rows;
        auto* before_last = &rows[0];
        auto* last = &rows[1];
        auto* row = &rows[2];
        std::iota(row->begin(), row->end(), std::uint8_t{0});
        for (std::size_t i = 1; i <= wrong_.size(); ++i) {
            std::swap(before_last, last);
            std::swap(last, row);
            std::size_t row_min = i;
            (*row)[0] = static_cast<std::uint8_t>(i);
            for (std::size_t j = 1; j <= name.size(); ++j) {
                std::size_t least =
                    std::min({(*last)[j] + 1, (*row)[j - 1] + 1, (*last)[j - 1] + (is_same(i, j) ? 0 : 1)});
                if (i > 1 && j > 1 && is_same(i, j - 1) && is_same(i - 1, j))
                    least = std::min<std::size_t>(least, (*before_last)[j - 2] + 1);
                (*row)[j] = static_cast<std::uint8_t>(least);
                row_min = std::min(row_min, least);
            }
            left_ -= std::min(left_, name.size());
            if (row_min >= best_ || left_ == 0) return best_;
        }
        return (*row)[name.size()];
    }

    std::string_view wrong_;
    std::size_t best_;
    std::size_t left_ = max_comparisons;
};

/// The first character of a text.
struct Character {
    std::size_t bytes = 1;
    bool is_printable = false;
    bool joins_previous = false;
};

/// Reads UTF-8. A byte that is not valid UTF-8 is a character by itself.
Character read_character(std::string_view text) noexcept {
    const CodePoint first = decode_utf8(text);
    if (first.bytes == 0) return {};
    if (first.bytes == 1) return {1, first.code >= 0x20 && first.code != 0x7f, false};
    return {first.bytes, !is_invisible(first.code), is_combining(first.code)};
}

/// As $'...': one line, and nothing that a terminal obeys. A shell that does not know this form reads another
/// word, but still one: there is neither a quote nor a single backslash before one in it.
std::string escaped(const std::string& word) {
    std::string result = "$'";
    for (const char c : word) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\')
            result += "\\\\";
        else if (byte < 0x20 || byte >= 0x7f || c == '\'')
            result += format("\\{:03o}", byte);
        else
            result += c;
    }
    return result + "'";
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
    constexpr std::size_t max_shown = 12;
    constexpr std::string_view one_more = " and 1 more";
    const std::size_t left_out = names.size() - std::min(names.size(), max_shown);
    if (left_out == 0 || (left_out == 1 && names.back().size() <= one_more.size())) return join(names, ", ");
    return fmt::format("{} and {} more", join(names.first(max_shown), ", "), left_out);
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

std::string did_you_mean(std::string_view wrong, std::string_view meant) {
    return meant == wrong ? "" : fmt::format("; did you mean {}?", meant);
}

std::string did_you_mean(std::string_view wrong, std::span<const std::string> candidates) {
    if (wrong.size() > max_name_length) return "";
    const std::size_t tolerance = std::max<std::size_t>(1, wrong.size() * 2 / 5);
    NearestName search(wrong, tolerance + 1);
    const std::string* best = nullptr;
    for (const std::string& candidate : candidates)
        if (candidate != wrong && search.is_nearer(candidate)) best = &candidate;
    return best == nullptr ? "" : did_you_mean(wrong, *best);
}

std::string printable(std::string_view text, std::size_t max_bytes) {
    std::string result;
    bool follows_own = false; // a character of the text itself, unchanged
    while (!text.empty()) {
        const Character first = read_character(text);
        if (result.size() + first.bytes > max_bytes) return result + "...";
        follows_own = first.is_printable && (follows_own || !first.joins_previous);
        if (follows_own)
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

std::string shell_word(const std::string& word) {
    const auto is_plain = [](char c) {
        constexpr std::string_view signs = "_-+=.,:/@%";
        return is_digit(c) || is_letter(c) || signs.find(c) != std::string_view::npos;
    };
    if (std::all_of(word.begin(), word.end(), is_plain)) return word;
    if (printable(word, std::string::npos) != word) return escaped(word);
    std::string result = "'";
    for (const char c : word)
        c == '\'' ? result += "'\\''" : result += c;
    return result + "'";
}

std::string count_of(std::uint64_t count, std::string_view noun) {
    return text::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string local_time(std::time_t time) {
    std::tm parts{};
    std::array<char, 64> shown{};
    localtime_r(&time, &parts);
    return std::strftime(shown.data(), shown.size(), "%Y-%m-%dT%H:%M:%S", &parts) == 0 ? "?" : shown.data();
}

bool matches(std::string_view name, std::string_view pattern) {
    return fnmatch(lower(pattern).c_str(), lower(name).c_str(), 0) == 0;
}

} // namespace qg::text
