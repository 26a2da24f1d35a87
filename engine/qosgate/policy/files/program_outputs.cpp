// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/files/program_outputs.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace qg::policy {
namespace {

constexpr std::size_t max_entry = 1000; ///< bytes

struct Entry {
    std::string_view command;
    std::string_view file;
};

Entry split(std::string_view entry) {
    const std::size_t arrow = entry.rfind('>');
    if (arrow == entry.npos) return {};
    return {text::trim(entry.substr(0, arrow)), text::trim(entry.substr(arrow + 1))};
}

/// Without blanks at the ends, and with one blank between words.
std::string with_single_blanks(std::string_view command) {
    std::string plain;
    for (const char c : command) {
        const bool is_blank = c == ' ' || c == '\t' || c == '\n';
        if (!is_blank)
            plain += c;
        else if (!plain.empty() && plain.back() != ' ')
            plain += ' ';
    }
    if (plain.ends_with(' ')) plain.pop_back();
    return plain;
}

/// Whether a "*" may stand for it: no path, no option and nothing for a shell.
bool is_word(std::string_view text) {
    constexpr std::string_view others = "_.@+-";
    return !text.empty() && text.front() != '.' && text.front() != '-' &&
           std::ranges::all_of(text, [&](char c) {
               return text::is_letter(c) || text::is_digit(c) || others.find(c) != others.npos;
           });
}

/// What the "*" of the pattern stands for; empty: it does not match. A text without one must be the same.
std::optional<std::string_view> match(std::string_view command, std::string_view pattern) {
    const std::size_t star = pattern.find('*');
    if (star == pattern.npos) return command == pattern ? std::optional(std::string_view()) : std::nullopt;
    const std::string_view before = pattern.substr(0, star);
    const std::string_view behind = pattern.substr(star + 1);
    if (command.size() < before.size() + behind.size() || !command.starts_with(before) ||
        !command.ends_with(behind))
        return std::nullopt;
    const std::string_view word =
        command.substr(before.size(), command.size() - before.size() - behind.size());
    return is_word(word) ? std::optional(word) : std::nullopt;
}

} // namespace

std::string why_no_program_output(std::string_view entry) {
    const auto [command, file] = split(entry);
    if (entry.size() > max_entry || text::printable(entry, max_entry) != entry)
        return text::format("an entry has at most {} bytes in one line", max_entry);
    if (command.empty() || file.empty() || file.ends_with('/'))
        return text::format("'{}' is not like \"COMMAND > FILE\"", text::printable(entry, 200));
    const auto stars = std::ranges::count(command, '*');
    if (stars > 1 || stars != std::ranges::count(file, '*'))
        return text::format(
            "'{}': a * stands for one word of the command and for the same in the name of the "
            "file; write one in both, or none",
            text::printable(entry, 200));
    return {};
}

std::string find_program_output(std::span<const std::string> entries, std::string_view command) {
    const std::string plain = with_single_blanks(command);
    for (const std::string& entry : entries) {
        const auto [pattern, file] = split(entry);
        const auto word = match(plain, with_single_blanks(pattern));
        if (!word) continue;
        std::string path(file);
        if (const std::size_t star = path.find('*'); star != path.npos) path.replace(star, 1, *word);
        return path;
    }
    return {};
}

bool may_have_program_output(std::span<const std::string> entries, std::string_view beginning) {
    // What is joined to it may go on with a blank.
    const std::string plain = with_single_blanks(beginning);
    return std::ranges::any_of(entries, [&](const std::string& entry) {
        const std::string pattern = with_single_blanks(split(entry).command);
        const std::string_view fixed = std::string_view(pattern).substr(0, pattern.find('*'));
        return fixed.starts_with(plain) || (fixed.size() < pattern.size() && plain.starts_with(fixed));
    });
}

} // namespace qg::policy
