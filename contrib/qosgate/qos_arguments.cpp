// SPDX-License-Identifier: GPL-2.0-or-later
#include "qos_arguments.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_fields.hpp"

#include <algorithm>

namespace qg::cli {
namespace {

using Words = std::vector<std::string>;

Error invalid(std::string message) {
    return {ErrorCode::invalid_input, std::move(message)};
}

std::string command(std::string_view verb, const Words& words) {
    return text::printable(text::format("qosgate qos {} {}", verb, text::join(words, " ")), 1000);
}

bool is_assignment(const std::string& word) {
    return word.find('=') != std::string::npos;
}

bool is_sacctmgrs(const std::string& word) {
    return text::iequals(word, "set") || text::iequals(word, "where");
}

Words without(Words words, std::size_t index) {
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(index));
    return words;
}

/// The error for "Priority 10", or for "Priority" alone.
Error lacks_equals(std::string_view verb, const Words& words, std::size_t index) {
    const bool has_value = index + 1 < words.size() && !is_assignment(words[index + 1]);
    Words right = has_value ? without(words, index + 1) : words;
    right[index] += "=" + (has_value ? words[index + 1] : "VALUE");
    return invalid(text::format("'{}' is a field and needs a '=': write '{}'", text::printable(words[index]),
                                command(verb, right)));
}

/// Why the word cannot be one more name; nothing if it can.
Result<void> check_later_word(std::string_view verb, Takes takes, const Words& words, std::size_t index) {
    const std::string& word = words[index];
    if (takes == Takes::names) return {};
    if (is_sacctmgrs(word))
        return invalid(
            text::format("qosgate takes no '{}': write '{}'", word, command(verb, without(words, index))));
    if (model::get_qos_field(word)) return lacks_equals(verb, words, index);
    if (takes == Takes::names_and_assignments) return {};
    Words both = without(words, index);
    both.front() += "," + word;
    return invalid(text::format("'{0}' is neither the name nor FIELD=VALUE: write '{0}=VALUE' ('qosgate qos "
                                "fields' lists the fields) or, for one more QOS, '{1}'",
                                text::printable(word), command(verb, both)));
}

/// The error for an assignment where only names belong, or for Name=…
Error not_an_assignment(std::string_view verb, const Words& words, std::size_t index) {
    const std::string value = words[index].substr(words[index].find('=') + 1);
    const bool is_name = text::istarts_with(words[index], "name");
    if (!is_name || value.empty())
        return invalid(text::format("{}: {} takes names only", text::printable(words[index]), verb));
    Words right;
    for (std::size_t i = 0; i < words.size(); ++i)
        if (i == index)
            right.insert(right.begin(), value);
        else if (!is_sacctmgrs(words[i]))
            right.push_back(words[i]);
    return invalid(text::format("names stand alone: write '{}'", command(verb, right)));
}

Result<void> add_names(std::string_view word, Words& names) {
    for (;;) {
        const auto comma = word.find(',');
        const std::string_view name = word.substr(0, comma);
        if (name.empty()) return invalid("an empty QOS name");
        if (text::trim(name) != name)
            return invalid(text::format("'{}': a QOS name has no spaces around it", text::printable(name)));
        std::string lower = text::lower(name);
        if (std::find(names.begin(), names.end(), lower) != names.end())
            return invalid(text::format("QOS '{}' is named twice", text::printable(name)));
        names.push_back(std::move(lower));
        if (comma == std::string_view::npos) return {};
        word.remove_prefix(comma + 1);
    }
}

} // namespace

Result<NamesAndAssignments> split_arguments(std::string_view verb, Takes takes, const Words& arguments) {
    NamesAndAssignments result;
    for (std::size_t index = 0; index < arguments.size(); ++index) {
        const std::string& word = arguments[index];
        if (is_assignment(word)) {
            const std::string_view key = text::trim(std::string_view(word).substr(0, word.find('=')));
            if (takes == Takes::names || text::iequals(key, "name") || text::iequals(key, "names"))
                return not_an_assignment(verb, arguments, index);
            result.assignments.push_back(word);
            continue;
        }
        if (index > 0)
            if (const auto done = check_later_word(verb, takes, arguments, index); !done) return done.error();
        if (const auto done = add_names(word, result.names); !done) return done.error();
    }
    if (result.names.empty()) return invalid("which QOS? Give at least one name");
    return result;
}

} // namespace qg::cli
