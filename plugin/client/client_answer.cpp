// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/client_answer.hpp"

#include <utility>

namespace qg::plugin {
namespace {

// The first letter of a part.
constexpr char no_opinion = 'n';
constexpr char refused = 'r';
constexpr char line = 'l';
constexpr char error_line = 'e';
constexpr char option_set = 's';   ///< "sqos=debug"
constexpr char option_given = 'g'; ///< without a value
constexpr char option_reset = 'd';
constexpr char complete = '.';

/// Takes one part in; false if it is none.
bool take(ClientAnswer& answer, char kind, std::string_view text) {
    const std::string name(text.substr(0, text.find('=')));
    switch (kind) {
    case no_opinion: answer.no_opinion = text; return true;
    case refused: answer.is_refused = true; return true;
    case line: answer.lines.push_back({std::string(text)}); return true;
    case error_line: answer.lines.push_back({std::string(text), true}); return true;
    case option_reset: answer.options.push_back({std::string(text), {}}); return true;
    case option_given: answer.options.push_back({std::string(text), {.is_set = true}}); return true;
    case option_set:
        if (name.size() == text.size()) return false;
        answer.options.push_back({name, {true, std::string(text.substr(name.size() + 1))}});
        return true;
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
    std::size_t parts = 0;
    for (const ClientLine& words : answer.lines)
        if (parts++ < max_answer_parts) add(words.is_error ? error_line : line, words.text);
    for (const auto& [name, value] : answer.options) {
        if (parts++ >= max_answer_parts) break;
        if (value.text)
            add(option_set, name + "=" + *value.text);
        else
            add(value.is_set ? option_given : option_reset, name);
    }
    add(complete, "");
    return bytes;
}

std::optional<ClientAnswer> parse_answer(std::string_view bytes) {
    std::optional<ClientAnswer> last;
    ClientAnswer answer;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\0');
        if (end == std::string_view::npos) return last; // cut short
        if (end == 0) return std::nullopt;
        const std::string_view part = bytes.substr(0, end);
        bytes.remove_prefix(end + 1);
        if (part == std::string_view(&complete, 1))
            last = std::exchange(answer, {});
        else if (!take(answer, part[0], part.substr(1)))
            return std::nullopt;
    }
    return last;
}

} // namespace qg::plugin
