// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/text.hpp"

#include "qosgate/base/letters.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include <fnmatch.h>

namespace qg::text {
namespace {

/// Levenshtein distance of two short names, case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (to_lower(a[i - 1]) == to_lower(b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
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
    const std::size_t tolerance = std::max<std::size_t>(1, wrong.size() * 2 / 5);
    const std::string* best = nullptr;
    std::size_t best_distance = tolerance + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(wrong, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = &candidate;
        }
    }
    return best == nullptr ? "" : "; did you mean " + *best + "?";
}

std::string printable(std::string_view text, std::size_t max_bytes) {
    std::size_t length = std::min(text.size(), max_bytes);
    while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0u) == 0x80u)
        --length;
    std::string result(text.substr(0, length));
    for (char& c : result)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    if (length < text.size()) result += "...";
    return result;
}

bool matches(std::string_view name, std::string_view pattern) {
    return fnmatch(lower(pattern).c_str(), lower(name).c_str(), 0) == 0;
}

} // namespace qg::text
