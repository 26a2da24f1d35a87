// SPDX-License-Identifier: GPL-2.0-or-later
//
// Text: formatting (fmt, since gcc 12 has no <format>), splitting, case-insensitive names, "did you mean".
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace qg::text {

/// Same as fmt::format. Marked cold: text is formatted on error paths only, so the compiler keeps this code
/// away from the code that runs for every job.
template <typename... Values>
[[gnu::cold]] std::string format(fmt::format_string<Values...> text, Values&&... values) {
    return fmt::format(text, std::forward<Values>(values)...);
}

/// A hash as people and programs read it: 16 hexadecimal digits.
inline std::string format_hash(std::uint64_t hash) {
    return format("{:016x}", hash);
}

/// `text` without white space at both ends.
std::string_view trim(std::string_view text) noexcept;

/// Calls `body(part)` for each part of `text` between `separator`s, trimmed, empty ones too.
template <typename Body>
void for_each_part(std::string_view text, char separator, Body body) {
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        body(trim(text.substr(begin, end - begin)));
        begin = end + 1;
    }
}

/// The parts of `text` between `separator`s, trimmed; empty parts are kept only if `keep_empty`.
std::vector<std::string_view> split(std::string_view text, char separator, bool keep_empty = false);

/// The parts joined with `separator`.
std::string join(std::span<const std::string> parts, std::string_view separator);

/// Names for people: "chem, physics". Beyond a dozen names only the number is given: "..., chem and 3 more".
std::string list_names(std::span<const std::string> names);

/// ASCII lower case; Slurm's names of QOS, accounts and TRES compare this way.
std::string lower(std::string_view text);

/// Whether two texts of the same length are equal, ASCII case ignored.
bool has_same_letters(std::string_view a, std::string_view b) noexcept;

/// Whether two names are equal, ASCII case ignored.
inline bool iequals(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && has_same_letters(a, b);
}

/// Whether `text` begins with `prefix`, ASCII case ignored.
bool istarts_with(std::string_view text, std::string_view prefix) noexcept;

/// A whole non-negative number: decimal digits and nothing else. Empty if there are no digits, a sign or a
/// space, or if the number is too large.
std::optional<std::uint64_t> parse_unsigned(std::string_view digits) noexcept;

/// What to add to a complaint about a name: "; did you mean viz?". Empty if `meant` is the very name that was
/// given.
std::string did_you_mean(std::string_view wrong, std::string_view meant);

/// The same with the nearest of the candidates that differ from the name. Empty if none is near (edit
/// distance at most two fifths of its length, and at least 1) or if `wrong` is longer than 64 bytes. Cost:
/// bounded for any names: the last of very many names are not compared.
std::string did_you_mean(std::string_view wrong, std::span<const std::string> candidates);

/// A user's text, made safe for a log or a terminal. Control characters, invisible characters
/// (characters.hpp), bytes that are not UTF-8, and an accent at the beginning (it would join the character
/// before the text) become `?`. A text longer than `max_bytes` is cut at a UTF-8 boundary and ends with
/// "...". Cost: reads only `max_bytes`.
std::string printable(std::string_view text, std::size_t max_bytes = 200);

/// The same between single quotes, with a backslash before each quote and backslash in it, so that the end of
/// the text is clear anywhere in a line. `max_bytes` counts neither the quotes nor the added backslashes.
std::string quoted(std::string_view text, std::size_t max_bytes = 200);

/// A word as a shell takes it, on one line. Control characters become escapes: $'a\012b'.
std::string shell_word(const std::string& word);

/// "1 rule", "2 rules".
std::string count_of(std::uint64_t count, std::string_view noun);

/// "2026-11-20T10:12:44" in local time, as Slurm writes it.
std::string local_time(std::time_t time);

/// Whether `name` matches the shell pattern `pattern` (`*`, `?`, `[...]`), ASCII case ignored.
bool matches(std::string_view name, std::string_view pattern);

} // namespace qg::text
