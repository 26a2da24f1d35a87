// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/user_programs.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/output_filters.hpp"
#include "qosgate/policy/compat/script_host.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace qg::policy::compat {
namespace {

using Words = std::vector<std::string>;
using model::DirectoryGroup;
using model::DirectoryUser;

constexpr const char* no_programs =
    "slurmctld waits for the script, so it cannot run programs but id, groups and getent about a user or "
    "group, with cut, tr, head and awk '{print $N}' behind; "
    "let a cron job write what it needs into a file, name that in compat_files, and read it with io.open";

std::string describe_bad(std::string_view command) {
    return text::format("'{}': {}", text::printable(command, 200), no_programs);
}

Error unsupported(std::string_view command) {
    return {ErrorCode::unsupported, "io.popen: " + describe_bad(command)};
}

// ---- the command line ----------------------------------------------------------------------------------

constexpr std::size_t max_command = 1024;                ///< bytes of a command line
constexpr std::size_t max_programs = 5;                  ///< of a pipeline
constexpr std::size_t max_output = std::size_t{1} << 16; ///< bytes

Error too_much(std::string_view command) {
    return {ErrorCode::limit_exceeded, text::format("io.popen: '{}' has more than {} KiB to say",
                                                    text::printable(command, 200), max_output >> 10u)};
}

/// Splits a command line into the programs of its pipeline. Empty: it needs a shell, or is too long.
std::optional<std::vector<Words>> split_command(std::string_view command) {
    if (command.size() > max_command) return std::nullopt;
    constexpr std::string_view special = "$`\\;&<>*?()[]{}!#~\n";
    std::vector<Words> programs(1);
    std::optional<std::string> word;
    const auto end_word = [&] {
        if (word) programs.back().push_back(*std::exchange(word, std::nullopt));
    };
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        const bool begins = !word;
        for (const std::string_view silent : {"2>/dev/null", "2> /dev/null", "2>&1"})
            if (begins && command.substr(i).starts_with(silent)) {
                i += silent.size() - 1;
                goto next;
            }
        if (c == ' ' || c == '\t') {
            end_word();
        } else if (c == '|') {
            end_word();
            programs.emplace_back();
        } else if (c == '\'' || c == '"') {
            const std::size_t end = command.find(c, i + 1);
            if (end == command.npos) return std::nullopt;
            const std::string_view quoted = command.substr(i + 1, end - i - 1);
            if (c == '"' && quoted.find_first_of("$`\\") != quoted.npos) return std::nullopt;
            word = word.value_or("") + std::string(quoted);
            i = end;
        } else if (special.find(c) != special.npos) {
            return std::nullopt;
        } else {
            word = word.value_or("") + c;
        }
    next:;
    }
    end_word();
    if (programs.size() > max_programs || std::ranges::any_of(programs, &Words::empty)) return std::nullopt;
    return programs;
}

std::optional<std::uint32_t> to_id(std::string_view text) {
    const auto number = text::parse_unsigned(text.starts_with('+') ? text.substr(1) : text);
    if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

// ---- id and groups -------------------------------------------------------------------------------------

struct IdOptions {
    bool names = false;
    char what = '\0'; ///< u, g, G; none: everything
    std::string user;
};

/// Empty: there is an option that is not answered, or no user.
std::optional<IdOptions> read_id_options(std::span<const std::string> words) {
    IdOptions options;
    for (const std::string& word : words) {
        std::string_view letters = word;
        if (word == "--user") letters = "-u";
        if (word == "--group") letters = "-g";
        if (word == "--groups") letters = "-G";
        if (word == "--name") letters = "-n";
        if (word == "--real") letters = "-r";
        if (!letters.starts_with('-')) {
            if (!options.user.empty()) return std::nullopt;
            options.user = word;
            continue;
        }
        for (const char letter : letters.substr(1)) {
            const bool is_what = letter == 'u' || letter == 'g' || letter == 'G';
            if (is_what && options.what != '\0' && options.what != letter) return std::nullopt;
            if (is_what)
                options.what = letter;
            else if (letter == 'n')
                options.names = true;
            else if (letter != 'r')
                return std::nullopt;
        }
        if (letters == "-" || letters.starts_with("--")) return std::nullopt;
    }
    if (options.user.empty() || (options.names && options.what == '\0')) return std::nullopt;
    return options;
}

/// By name, and by number if there is no such name. Null: there is none.
Result<std::shared_ptr<const DirectoryUser>> find_user(ScriptHost& host, std::string_view text) {
    const auto id = to_id(text);
    if (!id) return host.find_user(text);
    if (!text.starts_with('+')) {
        // Names are no numbers, as a rule: the number is asked for first, because it is more often known.
        auto by_id = host.find_user(*id);
        if (!by_id || *by_id) return by_id;
        return host.find_user(text);
    }
    return host.find_user(*id);
}

/// The names or numbers of groups. False: a group has no name.
bool append_groups(const DirectoryUser& user, bool names, std::size_t count, std::string& output) {
    bool has_names = true;
    for (std::size_t i = 0; i < std::min(count, user.groups.size()); ++i) {
        const model::GroupName& group = user.groups[i];
        if (i > 0) output += ' ';
        has_names = has_names && (!names || !group.name.empty());
        output += names && !group.name.empty() ? group.name : std::to_string(group.id);
    }
    return has_names;
}

std::string with_name(std::uint32_t id, std::string_view name) {
    return name.empty() ? std::to_string(id) : text::format("{}({})", id, name);
}

void append_everything(const DirectoryUser& user, std::string& output) {
    const std::string_view primary = user.groups.empty() ? std::string_view() : user.groups.front().name;
    output += text::format("uid={} gid={} groups=", with_name(user.id, user.name),
                           with_name(user.group_id, primary));
    for (const model::GroupName& group : user.groups)
        output += (&group == &user.groups.front() ? "" : ",") + with_name(group.id, group.name);
}

/// A name alone is known without the directory service, too.
Result<int> answer_user_name(std::uint32_t id, ScriptHost& host, std::string& output) {
    const auto name = host.find_user_name(id);
    if (!name) return name.error();
    if (name->empty()) return 1;
    output = *name + "\n";
    return 0;
}

Result<int> answer_id(const IdOptions& options, ScriptHost& host, std::string& output) {
    if (const auto id = to_id(options.user); id && options.what == 'u' && options.names)
        return answer_user_name(*id, host, output);
    const auto user = find_user(host, options.user);
    if (!user) return user.error();
    if (*user == nullptr) return 1;
    bool has_names = true;
    switch (options.what) {
    case 'u': output += options.names ? (*user)->name : std::to_string((*user)->id); break;
    case 'g': has_names = append_groups(**user, options.names, 1, output); break;
    case 'G': has_names = append_groups(**user, options.names, (*user)->groups.size(), output); break;
    default: append_everything(**user, output);
    }
    output += '\n';
    return has_names ? 0 : 1;
}

Result<int> answer_groups(std::string_view name, ScriptHost& host, std::string& output) {
    const auto user = find_user(host, name);
    if (!user) return user.error();
    if (*user == nullptr) return 1;
    output += text::format("{} : ", name);
    const bool has_names = append_groups(**user, /*names=*/true, (*user)->groups.size(), output);
    output += '\n';
    return has_names ? 0 : 1;
}

// ---- getent --------------------------------------------------------------------------------------------

constexpr int key_not_found = 2; ///< of getent

Result<int> answer_passwd(std::string_view key, ScriptHost& host, std::string& output) {
    const auto id = to_id(key);
    const auto user = id ? host.find_user(*id) : host.find_user(key);
    if (!user) return user.error();
    if (*user == nullptr) return key_not_found;
    const DirectoryUser& found = **user;
    output += text::format("{}:{}:{}:{}:{}:{}:{}\n", found.name, found.password, found.id, found.group_id,
                           found.full_name, found.home, found.shell);
    return 0;
}

Result<int> answer_group(std::string_view key, ScriptHost& host, std::string& output) {
    const auto group = host.find_group(key);
    if (!group) return group.error();
    if (*group == nullptr) return key_not_found;
    const DirectoryGroup& found = **group;
    std::size_t bytes = 0;
    for (const std::string& member : found.members)
        if ((bytes += member.size() + 1) > max_output) return too_much("getent group");
    output +=
        text::format("{}:{}:{}:{}\n", found.name, found.password, found.id, text::join(found.members, ","));
    return 0;
}

// ---- both ----------------------------------------------------------------------------------------------

/// Whether the first program of a pipeline can be answered.
bool is_known_program(const Words& words) {
    const std::string_view program = program_name(words.front());
    const auto arguments = std::span(words).subspan(1);
    if (program == "id") return read_id_options(arguments).has_value();
    if (program == "groups") return arguments.size() == 1 && !arguments[0].starts_with('-');
    const bool is_getent = program == "getent" && arguments.size() == 2;
    return is_getent && (arguments[0] == "passwd" || (arguments[0] == "group" && !to_id(arguments[1])));
}

Result<int> answer_first(const Words& words, ScriptHost& host, std::string& output) {
    const std::string_view program = program_name(words[0]);
    if (program == "id") return answer_id(*read_id_options(std::span(words).subspan(1)), host, output);
    if (program == "groups") return answer_groups(words[1], host, output);
    return words[1] == "passwd" ? answer_passwd(words[2], host, output)
                                : answer_group(words[2], host, output);
}

} // namespace

Result<int> answer_program(std::string_view command, ScriptHost& host, std::string& output) {
    output.clear();
    const auto programs = split_command(command);
    if (!programs || !is_known_program(programs->front())) return unsupported(command);
    for (const Words& program : std::span(*programs).subspan(1))
        if (!filter_output(program, {}, nullptr)) return unsupported(command);
    auto status = answer_first(programs->front(), host, output);
    if (status && output.size() > max_output) return too_much(command);
    for (const Words& program : std::span(*programs).subspan(1)) {
        if (!status) break;
        std::string filtered;
        filter_output(program, output, &filtered);
        output = std::move(filtered);
        status = 0; // a pipeline has the status of its last program
    }
    return status;
}

std::string describe_bad_program(std::string_view command, bool is_whole) {
    if (is_whole) {
        const auto programs = split_command(command);
        if (!programs || !is_known_program(programs->front())) return describe_bad(command);
        const bool are_known = std::ranges::all_of(std::span(*programs).subspan(1), [](const Words& words) {
            return filter_output(words, {}, nullptr);
        });
        return are_known ? std::string() : describe_bad(command);
    }
    const std::string_view beginning = program_name(command);
    for (const std::string_view known : {"id ", "groups ", "getent passwd ", "getent group "})
        if (beginning.starts_with(known) || known.starts_with(beginning)) return {};
    return describe_bad(command);
}

} // namespace qg::policy::compat
