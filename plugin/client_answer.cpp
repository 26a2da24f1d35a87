// SPDX-License-Identifier: GPL-2.0-or-later
#include "client_answer.hpp"

namespace qg::plugin {
namespace {

// The first letter of a part.
constexpr char no_opinion = 'n';
constexpr char refused = 'r';
constexpr char bad_news = 'b';
constexpr char line = 'l';
constexpr char option_set = 's'; ///< "sqos=debug"
constexpr char option_reset = 'd';
constexpr char complete = '.';

/// Takes one part in; false if it is none.
bool take(ClientAnswer& answer, char kind, std::string_view text) {
    switch (kind) {
    case no_opinion: answer.no_opinion = text; return true;
    case refused: answer.is_refused = true; return true;
    case bad_news: answer.is_bad_news = true; return true;
    case line: answer.lines.emplace_back(text); return true;
    case option_reset: answer.options.emplace_back(text, std::nullopt); return true;
    case option_set: {
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) return false;
        answer.options.emplace_back(text.substr(0, equals), std::string(text.substr(equals + 1)));
        return true;
    }
    default: return false;
    }
}

} // namespace

std::string to_bytes(const ClientAnswer& answer) {
    std::string bytes;
    const auto add = [&bytes](char kind, std::string_view text) {
        bytes += kind;
        bytes += text.substr(0, text.find('\0'));
        bytes += '\0';
    };
    if (!answer.no_opinion.empty()) add(no_opinion, answer.no_opinion);
    if (answer.is_refused) add(refused, "");
    if (answer.is_bad_news) add(bad_news, "");
    std::size_t parts = 0;
    for (const std::string& words : answer.lines)
        if (parts++ < max_answer_parts) add(line, words);
    for (const auto& [name, value] : answer.options)
        if (parts++ < max_answer_parts)
            add(value ? option_set : option_reset, value ? name + "=" + *value : name);
    add(complete, "");
    return bytes;
}

std::optional<ClientAnswer> parse_answer(std::string_view bytes) {
    ClientAnswer answer;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\0');
        if (end == std::string_view::npos || end == 0) return std::nullopt;
        const std::string_view part = bytes.substr(0, end);
        bytes.remove_prefix(end + 1);
        if (part == std::string_view(&complete, 1))
            return bytes.empty() ? std::optional(answer) : std::nullopt;
        if (!take(answer, part[0], part.substr(1))) return std::nullopt;
    }
    return std::nullopt;
}

} // namespace qg::plugin
