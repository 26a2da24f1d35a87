// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/submit_line.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

/// Takes the first word off a line.
std::string_view take_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\n"), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(" \t\n"));
    line.remove_prefix(word.size());
    return word;
}

} // namespace

std::optional<std::string_view> find_option(std::string_view submit_line, std::string_view option) {
    std::optional<std::string_view> value;
    while (!submit_line.empty()) {
        const std::string_view word = take_word(submit_line);
        if (!word.starts_with(option)) continue;
        if (word.size() == option.size())
            value = take_word(submit_line);
        else if (word[option.size()] == '=')
            value = word.substr(option.size() + 1);
    }
    return value;
}

bool is_test_only(std::string_view submit_line) {
    constexpr std::string_view option = "--test-only", shortest = "--te";
    static_cast<void>(take_word(submit_line)); // the command itself
    bool takes_value = false;
    for (std::string_view word = take_word(submit_line); !word.empty(); word = take_word(submit_line)) {
        if (word.starts_with(shortest) && option.starts_with(word)) return true;
        const bool is_option = word.starts_with('-');
        if ((!is_option && !takes_value) || word == "--" || word.starts_with("--wrap")) return false;
        // "-p main" and "--partition main", but not "-pmain".
        takes_value = is_option && (word.size() == 2 || word.starts_with("--")) &&
                      word.find('=') == std::string_view::npos;
    }
    return false;
}

} // namespace qg::gate
