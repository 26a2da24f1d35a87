// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/host_programs.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/compat/script_host.hpp"
#include "qosgate/policy/files/program_outputs.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace qg::policy::compat {

// ---- programs that tell of users and groups ------------------------------------------------------------

namespace {

using model::DirectoryGroup;
using model::DirectoryUser;

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
        if ((bytes += member.size() + 1) > max_program_output)
            return Error{ErrorCode::limit_exceeded,
                         text::format("io.popen: group {} has more than {} KiB of members", found.name,
                                      max_program_output >> 10u)};
    output +=
        text::format("{}:{}:{}:{}\n", found.name, found.password, found.id, text::join(found.members, ","));
    return 0;
}

} // namespace

std::string_view program_name(std::string_view path) noexcept {
    for (const std::string_view directory : {"/usr/bin/", "/bin/"})
        if (path.starts_with(directory)) return path.substr(directory.size());
    return path;
}

bool is_user_program(std::span<const std::string> words) {
    const std::string_view program = program_name(words.front());
    const auto arguments = words.subspan(1);
    if (program == "id") return read_id_options(arguments).has_value();
    if (program == "groups") return arguments.size() == 1 && !arguments[0].starts_with('-');
    const bool is_getent = program == "getent" && arguments.size() == 2;
    return is_getent && (arguments[0] == "passwd" || (arguments[0] == "group" && !to_id(arguments[1])));
}

Result<int> answer_user_program(std::span<const std::string> words, ScriptHost& host, std::string& output) {
    const std::string_view program = program_name(words[0]);
    if (program == "id") return answer_id(*read_id_options(words.subspan(1)), host, output);
    if (program == "groups") return answer_groups(words[1], host, output);
    return words[1] == "passwd" ? answer_passwd(words[2], host, output)
                                : answer_group(words[2], host, output);
}

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t max_command = 1024; ///< bytes of a command line

constexpr const char* no_programs =
    "slurmctld waits for the script, so it cannot run programs but id, groups and getent about a user or "
    "group, with nothing behind them: do in Lua what stands behind a |; let a cron job write the output of "
    "another program into a file, and name both in site { compat_programs = { \"COMMAND > FILE\" } }";

std::string describe_bad(std::string_view command) {
    return text::format("'{}': {}", text::printable(command, 200), no_programs);
}

/// The words of a command line about users, without a redirection of its errors at the end. Empty: it needs a
/// shell, or is too long.
Words split_command(std::string_view command) {
    constexpr std::string_view special = "\"$`\\;&|<>()[]{}!#~*?\n";
    if (command.size() > max_command) return {};
    command = text::trim(command);
    for (const std::string_view silent : {" 2>/dev/null", " 2> /dev/null", " 2>&1"})
        if (command.ends_with(silent)) {
            command.remove_suffix(silent.size());
            break;
        }
    Words words;
    text::for_each_part(command, ' ', [&](std::string_view word) {
        if (word.size() > 2 && word.front() == word.back() && (word.front() == '\'' || word.front() == '"'))
            word = word.substr(1, word.size() - 2);
        if (!word.empty()) words.emplace_back(word);
    });
    const auto is_plain = [&](const std::string& word) {
        return word.find_first_of(special) == word.npos && word.find('\'') == word.npos;
    };
    return std::ranges::all_of(words, is_plain) ? words : Words();
}

bool is_answered(const Words& words) {
    return !words.empty() && is_user_program(words);
}

/// The file with the output of a site's own program; empty: the site does not name it.
std::string find_output(std::string_view command, const ScriptFiles& files) {
    if (command.size() > max_command) return {};
    return find_program_output(files.settings().compat_programs, command);
}

Result<int> read_output(std::string_view command, std::string_view path, const ScriptFiles& files,
                        std::string& output) {
    const auto found = files.find(path);
    if (found.place == ScriptFiles::Place::outside)
        return Error{ErrorCode::invalid_input,
                     text::format("io.popen: compat_programs: {}", describe_outside(path))};
    if (found.file == nullptr)
        return Error{ErrorCode::invalid_input,
                     text::format("io.popen: '{}': compat_programs names {} for its output, which does not "
                                  "exist",
                                  text::printable(command, 200), text::printable(path, 300))};
    output.assign(std::string_view(found.file->text).substr(0, max_program_output + 1));
    return 0;
}

Result<int> answer(std::string_view command, ScriptHost* host, const ScriptFiles& files,
                   std::string& output) {
    if (const std::string path = find_output(command, files); !path.empty())
        return read_output(command, path, files, output);
    const Words words = split_command(command);
    if (!is_answered(words)) return Error{ErrorCode::unsupported, "io.popen: " + describe_bad(command)};
    if (host == nullptr)
        return Error{ErrorCode::unavailable,
                     "io.popen: users and groups are known only while a job is submitted or changed"};
    return answer_user_program(words, *host, output);
}

} // namespace

Result<int> answer_program(std::string_view command, ScriptHost* host, const ScriptFiles& files,
                           std::string& output) {
    output.clear();
    const auto status = answer(command, host, files, output);
    if (status && output.size() > max_program_output)
        return Error{ErrorCode::limit_exceeded,
                     text::format("io.popen: '{}' has more than {} KiB to say", text::printable(command, 200),
                                  max_program_output >> 10u)};
    return status;
}

std::string describe_bad_program(std::string_view command, const ScriptFiles& files) {
    const bool is_known = !find_output(command, files).empty() || is_answered(split_command(command));
    return is_known ? std::string() : describe_bad(command);
}

std::string describe_bad_beginning(std::string_view beginning, std::string_view end,
                                   const ScriptFiles& files) {
    if (may_have_program_output(files.settings().compat_programs, beginning)) return {};
    const std::string_view program = program_name(beginning);
    const bool may_be_answered = std::ranges::any_of(
        std::array<std::string_view, 4>{"id ", "groups ", "getent passwd ", "getent group "},
        [&](std::string_view known) { return program.starts_with(known) || known.starts_with(program); });
    if (!may_be_answered) return describe_bad(beginning);
    for (const std::string_view part : {beginning, end})
        if (const std::size_t bar = part.find('|'); bar != part.npos) return describe_bad(part.substr(bar));
    return {};
}

} // namespace qg::policy::compat
