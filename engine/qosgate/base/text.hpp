// SPDX-License-Identifier: GPL-2.0-or-later
//
// Text: formatting (fmt, since gcc 12 has no <format>), splitting, case-insensitive names, "did you mean".
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace qg::text {

/// As fmt::format. Texts are made where something is wrong: code that leads there is kept apart from the code
/// that runs for every job.
template <typename... Values>
[[gnu::cold]] std::string format(fmt::format_string<Values...> text, Values&&... values) {
    return fmt::format(text, std::forward<Values>(values)...);
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

/// Names for people: "chem, physics"; of more than a dozen the rest is counted: "..., chem and 3 more".
std::string list_names(std::span<const std::string> names);

/// ASCII lower case; Slurm's names of QOS, accounts and TRES compare this way.
std::string lower(std::string_view text);

/// Whether two texts of one length are equal but for ASCII case.
bool has_same_letters(std::string_view a, std::string_view b) noexcept;

/// Whether two names are equal but for ASCII case.
inline bool iequals(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && has_same_letters(a, b);
}

/// Whether `text` begins with `prefix` but for ASCII case.
bool istarts_with(std::string_view text, std::string_view prefix) noexcept;

/// A whole non-negative number in decimal digits, nothing else around it. Errors: nothing (none, signs,
/// spaces, too large).
std::optional<std::uint64_t> parse_unsigned(std::string_view digits) noexcept;

/// What to add to a complaint about a name that is none of the candidates: "; did you mean viz?", or nothing
/// where none is near (edit distance at most two fifths of its length, and at least 1) or `wrong` is longer
/// than 64 bytes. Cost: bounded, whatever the names: of very many, the last are not looked at.
std::string did_you_mean(std::string_view wrong, std::span<const std::string> candidates);

/// `text` with control characters (C0, DEL and C1), line separators, characters that turn the direction of
/// text (such as U+202E) or have no width (U+200B) and bytes that are no UTF-8 shown as `?`, cut to
/// `max_bytes` (at a UTF-8 boundary) with "..." when longer: what a user wrote, made safe to show in a log or
/// on a terminal. Cost: looks at `max_bytes` only.
std::string printable(std::string_view text, std::size_t max_bytes = 200);

/// The same between single quotes, with a backslash before each quote and backslash in it: wherever it stands
/// in a line, one sees where it ends. `max_bytes` counts neither quotes nor backslashes added.
std::string quoted(std::string_view text, std::size_t max_bytes = 200);

/// Whether `name` matches the shell pattern `pattern` (`*`, `?`, `[...]`), ASCII case ignored.
bool matches(std::string_view name, std::string_view pattern);

} // namespace qg::text
