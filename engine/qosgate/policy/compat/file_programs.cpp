// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/file_programs.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/output_filters.hpp"
#include "qosgate/policy/compat/script_files.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace qg::policy::compat {
namespace {

using Place = ScriptFiles::Place;

Error outside(std::string_view path) {
    return {ErrorCode::invalid_input, "io.popen: " + describe_outside(path)};
}

bool has_wildcard(std::string_view text) {
    return text.find_first_of("*?") != text.npos;
}

/// Whether a name matches "*" and "?". Cost: the product of the lengths at worst
/// (ScriptFiles::cost_of_pattern).
bool matches(std::string_view name, std::string_view pattern) {
    std::size_t at = 0;
    std::size_t in_pattern = 0;
    std::size_t star = pattern.npos;
    std::size_t behind_star = 0;
    while (at < name.size()) {
        if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
            star = in_pattern++;
            behind_star = at;
        } else if (in_pattern < pattern.size() &&
                   (pattern[in_pattern] == '?' || pattern[in_pattern] == name[at])) {
            ++in_pattern;
            ++at;
        } else if (star != pattern.npos) {
            in_pattern = star + 1;
            at = ++behind_star;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', in_pattern) == pattern.npos;
}

/// The one path of `ls`; empty: there are other options, or several paths.
std::string_view path_of_ls(std::span<const std::string> arguments) {
    if (arguments.size() == 2 && arguments[0] == "-1") arguments = arguments.subspan(1);
    if (arguments.size() != 1 || arguments[0].starts_with('-')) return {};
    return arguments[0];
}

constexpr int cannot_list = 2;
constexpr int cannot_read = 1;

Result<int> list_path(std::string_view path, const ScriptFiles& files, std::string& output) {
    const Place place = files.find(path).place;
    if (place == Place::outside) return outside(path);
    if (place == Place::missing) return cannot_list;
    if (place == Place::file) {
        output.append(path).append("\n");
        return 0;
    }
    for (const std::string& name : files.list(path))
        output.append(name).append("\n");
    return 0;
}

Result<int> list_pattern(std::string_view path, const ScriptFiles& files, std::string& output) {
    const std::size_t slash = path.rfind('/');
    const std::size_t begin = slash == path.npos ? 0 : slash + 1;
    const std::string_view directory = path.substr(0, begin);
    const std::string_view pattern = path.substr(begin);
    if (files.find(directory.empty() ? "." : directory).place == Place::outside) return outside(directory);
    if (pattern.starts_with('.') || pattern.ends_with('~')) return outside(path); // they are not read
    bool has_matched = false;
    for (const std::string& name : files.list(directory.empty() ? "." : directory)) {
        if (!matches(name, pattern)) continue;
        has_matched = true;
        const std::string whole = std::string(directory) + name;
        if (files.find(whole).place == Place::directory)
            return Error{ErrorCode::unsupported,
                         text::format("io.popen: 'ls {}': {} is a directory, whose names it would list, too; "
                                      "write a pattern that only files match",
                                      text::printable(path, 200), text::printable(whole, 200))};
        output.append(whole).append("\n");
    }
    return has_matched ? 0 : cannot_list;
}

} // namespace

bool is_file_program(std::span<const std::string> words, bool has_pattern) {
    const std::string_view program = program_name(words.front());
    const auto arguments = words.subspan(1);
    if (program == "ls") {
        const std::string_view path = path_of_ls(arguments);
        // A pattern in the name of a directory would need all directories.
        return !path.empty() && (!has_pattern || !has_wildcard(path.substr(0, path.rfind('/') + 1)));
    }
    return program == "cat" && !has_pattern && !arguments.empty() &&
           std::ranges::none_of(arguments, [](const std::string& word) { return word.starts_with('-'); });
}

Result<int> answer_file_program(std::span<const std::string> words, bool has_pattern,
                                const ScriptFiles& files, std::string& output) {
    if (program_name(words.front()) == "ls") {
        const std::string_view path = path_of_ls(words.subspan(1));
        return has_pattern ? list_pattern(path, files, output) : list_path(path, files, output);
    }
    int status = 0;
    for (const std::string& path : words.subspan(1)) {
        const auto found = files.find(path);
        if (found.place == Place::outside) return outside(path);
        if (found.file == nullptr) {
            status = cannot_read;
            continue;
        }
        // The caller refuses more than it may have; more of it needs no memory.
        output.append(std::string_view(found.file->text).substr(0, max_program_output + 1));
        if (output.size() > max_program_output) break;
    }
    return status;
}

} // namespace qg::policy::compat
