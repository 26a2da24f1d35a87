// SPDX-License-Identifier: GPL-2.0-or-later
#include "qos/qos_arguments.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_fields.hpp"

#include <algorithm>
#include <array>

namespace qg::cli {
namespace {

using Words = std::vector<std::string>;

std::string command(std::string_view verb, const Words& words) {
    std::string line = text::format("qosgate qos {}", verb);
    for (const std::string& word : words)
        line += " " + text::shell_word(word);
    return text::printable(line, 1000);
}

bool is_assignment(const std::string& word) {
    return word.find('=') != std::string::npos;
}

/// The text before the '=', "+=" or "-=".
std::string_view key_of_word(std::string_view word) {
    std::string_view key = word.substr(0, word.find('='));
    if (key.ends_with('+') || key.ends_with('-')) key.remove_suffix(1);
    return text::trim(key);
}

std::string value_of_word(const std::string& word) {
    return word.substr(word.find('=') + 1);
}

bool is_name_key(std::string_view key) {
    return text::iequals(key, "name") || text::iequals(key, "names");
}

bool sets_a_field(const std::string& word) {
    return is_assignment(word) && model::get_qos_field(key_of_word(word));
}

Words without(Words words, std::size_t index) {
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(index));
    return words;
}

/// "Priority 10", "Priority =10", "Priority = 10" and "Priority= 10" as "Priority=10"; the field is the word
/// at `index`.
Words in_one_word(Words words, std::size_t index) {
    const auto has_next = [&] { return index + 1 < words.size(); };
    const auto take_next = [&] {
        words[index] += words[index + 1];
        words = without(std::move(words), index + 1);
    };
    if (has_next() && is_assignment(words[index + 1]) && key_of_word(words[index + 1]).empty()) take_next();
    if (!is_assignment(words[index])) words[index] += "=";
    if (!words[index].ends_with('=')) return words;
    if (has_next() && !sets_a_field(words[index + 1]))
        take_next();
    else
        words[index] += "VALUE";
    return words;
}

/// Why the word cannot be another name; empty if it can.
Result<void> check_later_word(std::string_view verb, Takes takes, const Words& words, std::size_t index) {
    const std::string& word = words[index];
    if (takes == Takes::names) return {};
    if (is_sacctmgrs(word)) return takes_no_such_word(verb, word, words);
    if (model::get_qos_field(word))
        return invalid(text::format("'{}' is a field and needs a '=': write '{}'", text::printable(word),
                                    command(verb, in_one_word(words, index))));
    if (takes == Takes::names_and_assignments) return {};
    Words both = without(words, index);
    both.front() += "," + word;
    return invalid(text::format("'{0}' is neither the name nor FIELD=VALUE: write '{0}=VALUE' ('qosgate qos "
                                "fields' lists the fields) or, for one more QOS, '{1}'",
                                text::printable(word), command(verb, both)));
}

/// Why arguments with spaces around '=', or without a space between them, are not what the user meant.
Result<void> check_spaces(std::string_view verb, Takes takes, const Words& words, std::size_t index) {
    const std::string& word = words[index];
    if (takes == Takes::names) return {};
    if (index > 0 && is_assignment(words[index - 1]) && value_of_word(words[index - 1]).empty() &&
        !sets_a_field(word) && !is_sacctmgrs(word))
        return invalid(text::format("no space belongs after '=': write '{}'",
                                    command(verb, in_one_word(words, index - 1))));
    if (!is_assignment(word) || key_of_word(word).find(' ') == std::string_view::npos) return {};
    const std::string_view both = text::trim(word);
    const auto space = both.find(' ');
    Words apart = words;
    apart[index] = text::trim(both.substr(space));
    apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(index), std::string(both.substr(0, space)));
    return invalid(
        text::format("names and fields are arguments of their own: write '{}'", command(verb, apart)));
}

/// The error for an assignment where only names belong, or for Name=...
Error not_an_assignment(std::string_view verb, Takes takes, const Words& words, std::size_t index) {
    std::string value = value_of_word(words[index]);
    if (!is_name_key(key_of_word(words[index])) || value.empty())
        return invalid(text::format("{}: {} takes names only", text::printable(words[index]), verb));
    Words rest;
    for (const std::string& word : without(words, index))
        if (!is_sacctmgrs(word)) rest.push_back(word);
    const bool has_name =
        index > 0 && !rest.empty() && rest.front() == words.front() && !is_assignment(rest.front());
    if (has_name && takes == Takes::names_and_assignments)
        return invalid(text::format("a QOS cannot be renamed: create '{}' and delete '{}'",
                                    text::printable(value), text::printable(rest.front())));
    if (has_name && takes == Takes::one_word_of_names_and_assignments) {
        value = rest.front() + "," + value;
        rest = without(rest, 0);
    }
    rest.insert(rest.begin(), value);
    return invalid(text::format("names stand alone: write '{}'", command(verb, rest)));
}

/// The KEY=VALUE arguments of sacctmgr's list, by their beginning, and the equivalent here.
struct ListHabit {
    std::string_view key;
    std::string_view option; ///< before the value; empty: the value is a pattern
};
constexpr std::array<ListHabit, 3> list_habits{{
    {"names", ""},
    {"format", "--fields"},
    {"flags", "--flag"},
}};

/// "name,prio%10" as the columns of --fields, which have no width and are not abbreviated.
/// Errors: invalid_input for an unknown field.
Result<std::string> columns(std::string_view format) {
    Words names;
    for (const std::string_view column : text::split(format, ',')) {
        std::string_view name = text::trim(column.substr(0, column.find('%')));
        if (const auto field = model::get_qos_field(name); !field) {
            const auto whole = model::find_abbreviated_field(name);
            if (!whole) return field.error();
            name = *whole;
        }
        names.emplace_back(name);
    }
    return text::join(names, ",");
}

/// The arguments of sacctmgr's list, translated to ours; empty if there is no equivalent.
Result<Words> as_list_takes_them(const Words& arguments) {
    Words right;
    for (const std::string& word : arguments) {
        if (is_sacctmgrs(word)) continue;
        if (!is_assignment(word)) {
            right.push_back(word);
            continue;
        }
        const std::string_view key = key_of_word(word);
        const auto habit = std::find_if(list_habits.begin(), list_habits.end(), [&](const ListHabit& known) {
            return !key.empty() && text::istarts_with(known.key, key);
        });
        if (habit == list_habits.end() || value_of_word(word).empty())
            return invalid(
                text::format("{}: list takes names and options ('qosgate qos list --help' shows them)",
                             text::printable(word)));
        if (!habit->option.empty()) right.emplace_back(habit->option);
        if (habit->option != "--fields") {
            right.push_back(value_of_word(word));
            continue;
        }
        auto fields = columns(value_of_word(word));
        if (!fields) return fields.error();
        right.push_back(*std::move(fields));
    }
    return right;
}

Result<void> take_names(std::string_view word, Words& names) {
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

bool is_sacctmgrs(const std::string& word) {
    return text::iequals(word, "set") || text::iequals(word, "where");
}

Error takes_no_such_word(std::string_view verb, const std::string& word, const Words& arguments) {
    Words right;
    for (const std::string& other : arguments)
        if (!is_sacctmgrs(other)) right.push_back(other);
    return invalid(text::format("qosgate takes no '{}': write '{}'", word, command(verb, right)));
}

Result<Words> split_patterns(const Words& arguments) {
    const auto is_old = [](const std::string& word) { return is_assignment(word) || is_sacctmgrs(word); };
    const auto old = std::find_if(arguments.begin(), arguments.end(), is_old);
    if (old != arguments.end()) {
        const auto right = as_list_takes_them(arguments);
        if (!right) return right.error();
        return invalid(text::format("qosgate takes no '{}': write '{}'", text::printable(*old),
                                    command("list", *right)));
    }
    Words patterns;
    for (const std::string& word : arguments) {
        if (word.find('[') != std::string::npos) { // the comma may belong to the pattern
            patterns.push_back(word);
            continue;
        }
        const auto parts = text::split(word, ',');
        if (parts.empty()) return invalid("an empty QOS name");
        patterns.insert(patterns.end(), parts.begin(), parts.end());
    }
    return patterns;
}

Result<NamesAndAssignments> split_arguments(std::string_view verb, Takes takes, const Words& arguments) {
    NamesAndAssignments result;
    for (std::size_t index = 0; index < arguments.size(); ++index) {
        const std::string& word = arguments[index];
        if (const auto done = check_spaces(verb, takes, arguments, index); !done) return done.error();
        if (is_assignment(word)) {
            if (takes == Takes::names || is_name_key(key_of_word(word)))
                return not_an_assignment(verb, takes, arguments, index);
            result.assignments.push_back(word);
            continue;
        }
        const bool is_creation = takes == Takes::one_word_of_names_and_assignments;
        if (is_creation && arguments.size() > 1 && is_sacctmgrs(word))
            return takes_no_such_word(verb, word, arguments); // a new QOS cannot have that name
        if (index > 0)
            if (const auto done = check_later_word(verb, takes, arguments, index); !done) return done.error();
        if (const auto done = take_names(word, result.names); !done) return done.error();
    }
    if (result.names.empty()) return invalid("which QOS? Give at least one name");
    return result;
}

} // namespace qg::cli
