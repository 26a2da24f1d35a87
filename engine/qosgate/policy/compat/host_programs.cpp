// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/host_programs.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/compat/user_programs.hpp"
#include "qosgate/policy/files/program_outputs.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace qg::policy::compat {
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
