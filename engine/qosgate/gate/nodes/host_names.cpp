// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nodes/host_names.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace qg::gate {
namespace {

constexpr std::string_view separators = ", \t\n";
constexpr std::size_t max_name = 255;
constexpr std::size_t max_brackets = 8; ///< of one name

/// The length of the first element of the list; commas in brackets do not end it.
std::size_t length_of_first(std::string_view list) {
    bool is_in_brackets = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i] == '[') is_in_brackets = true;
        if (list[i] == ']') is_in_brackets = false;
        if (!is_in_brackets && separators.find(list[i]) != std::string_view::npos) return i;
    }
    return list.size();
}

/// The first `max` numbers in a pair of brackets, "1-4,07", with their leading zeros. Sets `is_whole` to
/// false if there are more. Empty if the brackets contain anything else.
std::optional<std::vector<std::string>> read_numbers(std::string_view text, std::size_t max, bool& is_whole) {
    std::vector<std::string> numbers;
    bool is_good = true;
    text::for_each_part(text, ',', [&](std::string_view part) {
        if (!is_good || numbers.size() == max) {
            is_whole = false;
            return;
        }
        const std::string_view begin = part.substr(0, part.find('-'));
        const std::string_view end = part.substr(std::min(part.find('-') + 1, part.size()));
        const auto first = text::parse_unsigned(begin), last = text::parse_unsigned(end);
        is_good = first && last && *first <= *last && begin.size() <= max_name;
        if (!is_good) return;
        for (std::uint64_t number = *first; number <= *last; ++number) {
            if (numbers.size() == max) {
                is_whole = false;
                return;
            }
            std::string digits = std::to_string(number);
            if (digits.size() < begin.size()) digits.insert(0, begin.size() - digits.size(), '0');
            numbers.push_back(std::move(digits));
        }
    });
    if (!is_good || numbers.empty()) return std::nullopt;
    return numbers;
}

/// Appends each ending to each name; the first `max` results.
std::vector<std::string> combine(const std::vector<std::string>& names,
                                 const std::vector<std::string>& endings, std::size_t max, bool& is_whole) {
    std::vector<std::string> combined;
    for (const std::string& name : names)
        for (const std::string& ending : endings) {
            if (combined.size() == max) {
                is_whole = false;
                return combined;
            }
            combined.push_back(name + ending);
        }
    return combined;
}

/// The first names of one element, "rack[1-2]n[1-3]". Empty if it is not readable.
std::optional<std::vector<std::string>> read_element(std::string_view element, std::size_t max,
                                                     bool& is_whole) {
    std::vector<std::string> names{""};
    for (std::size_t brackets = 0;; ++brackets) {
        const std::string_view plain = element.substr(0, element.find('['));
        if (plain.find(']') != std::string_view::npos || names.front().size() + plain.size() > max_name)
            return std::nullopt;
        for (std::string& name : names)
            name += plain;
        if (plain.size() == element.size()) return names;
        const std::size_t close = element.find(']', plain.size());
        if (close == std::string_view::npos || brackets == max_brackets) return std::nullopt;
        const auto numbers =
            read_numbers(element.substr(plain.size() + 1, close - plain.size() - 1), max, is_whole);
        if (!numbers) return std::nullopt;
        names = combine(names, *numbers, max, is_whole);
        element.remove_prefix(close + 1);
    }
}

} // namespace

HostNames first_hosts(std::string_view list, std::size_t max) {
    HostNames result;
    while (!list.empty() && result.is_whole) {
        const std::string_view element = list.substr(0, length_of_first(list));
        list.remove_prefix(std::min(element.size() + 1, list.size()));
        if (element.empty()) continue;
        const std::size_t left = max - result.names.size();
        const auto names = left == 0 ? std::nullopt : read_element(element, left, result.is_whole);
        if (!names) {
            result.is_whole = false;
            break;
        }
        result.names.insert(result.names.end(), names->begin(), names->end());
    }
    return result;
}

} // namespace qg::gate
