// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/host_programs.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/file_programs.hpp"
#include "qosgate/policy/compat/output_filters.hpp"
#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/compat/user_programs.hpp"
#include "qosgate/policy/program_outputs.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <unistd.h>

namespace qg::policy::compat {
namespace {

using Words = std::vector<std::string>;

constexpr const char* no_programs =
    "slurmctld waits for the script, so it cannot run programs but id, groups and getent about a user or "
    "group, ls and cat of files that it may read, hostname and uname -n, with cut, tr, head and awk '{print "
    "$N}' behind; let a cron job write the output into a file, and name both in site { compat_programs = { "
    "\"COMMAND > FILE\" } }";

std::string describe_bad(std::string_view command) {
    return text::format("'{}': {}", text::printable(command, 200), no_programs);
}

Error unsupported(std::string_view command) {
    return {ErrorCode::unsupported, "io.popen: " + describe_bad(command)};
}

Error too_much(std::string_view command) {
    return {ErrorCode::limit_exceeded,
            text::format("io.popen: '{}' has more than {} KiB to say", text::printable(command, 200),
                         max_program_output >> 10u)};
}

// ---- the command line ----------------------------------------------------------------------------------

constexpr std::size_t max_command = 1024; ///< bytes of a command line
constexpr std::size_t max_programs = 5;   ///< of a pipeline

/// The programs of a pipeline.
struct Pipeline {
    std::vector<Words> programs;
    bool has_pattern = false; ///< the first one has a word that a shell would replace by names of files
};

/// Empty: it needs a shell, or is too long.
std::optional<Pipeline> split_command(std::string_view command) {
    if (command.size() > max_command) return std::nullopt;
    constexpr std::string_view special = "$`\\;&<>()[]{}!#~\n";
    constexpr std::string_view wildcards = "*?";
    Pipeline line{std::vector<Words>(1)};
    bool quotes_wildcard = false; // in the first program
    std::optional<std::string> word;
    const auto end_word = [&] {
        if (word) line.programs.back().push_back(*std::exchange(word, std::nullopt));
    };
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        const bool begins = !word;
        const bool is_first = line.programs.size() == 1;
        for (const std::string_view silent : {"2>/dev/null", "2> /dev/null", "2>&1"})
            if (begins && command.substr(i).starts_with(silent)) {
                i += silent.size() - 1;
                goto next;
            }
        if (c == ' ' || c == '\t') {
            end_word();
        } else if (c == '|') {
            end_word();
            line.programs.emplace_back();
        } else if (c == '\'' || c == '"') {
            const std::size_t end = command.find(c, i + 1);
            if (end == command.npos) return std::nullopt;
            const std::string_view quoted = command.substr(i + 1, end - i - 1);
            if (c == '"' && quoted.find_first_of("$`\\") != quoted.npos) return std::nullopt;
            quotes_wildcard |= is_first && quoted.find_first_of(wildcards) != quoted.npos;
            word = word.value_or("") + std::string(quoted);
            i = end;
        } else if (wildcards.find(c) != wildcards.npos) {
            if (!is_first) return std::nullopt;
            line.has_pattern = true;
            word = word.value_or("") + c;
        } else if (special.find(c) != special.npos) {
            return std::nullopt;
        } else {
            word = word.value_or("") + c;
        }
    next:;
    }
    end_word();
    // Which wildcards were quoted is not kept.
    if (line.has_pattern && quotes_wildcard) return std::nullopt;
    if (line.programs.size() > max_programs || std::ranges::any_of(line.programs, &Words::empty))
        return std::nullopt;
    return line;
}

bool are_filters(std::span<const Words> programs) {
    return std::ranges::all_of(programs,
                               [](const Words& words) { return filter_output(words, {}, nullptr); });
}

// ---- the name of the host ------------------------------------------------------------------------------

bool is_host_name(std::span<const std::string> words) {
    const std::string_view program = program_name(words.front());
    if (program == "hostname")
        return words.size() == 1 || (words.size() == 2 && (words[1] == "-s" || words[1] == "--short"));
    return program == "uname" && words.size() == 2 && (words[1] == "-n" || words[1] == "--nodename");
}

/// The kernel has it; no name service is asked.
Result<int> answer_host_name(std::span<const std::string> words, std::string& output) {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0)
        return Error{ErrorCode::unavailable, "io.popen: the name of the host is not known"};
    std::string_view shown = name.data();
    if (words.back() == "-s" || words.back() == "--short") shown = shown.substr(0, shown.find('.'));
    output.append(shown).append("\n");
    return 0;
}

// ---- a site's own programs -----------------------------------------------------------------------------

/// A command line with filters behind, cut at its first "|".
struct Cut {
    std::string_view first;
    std::string_view filters; ///< with the "|" before them
};

Cut cut_at_filters(std::string_view command) {
    const std::size_t bar = std::min(command.find('|'), command.size());
    return {command.substr(0, bar), command.substr(bar)};
}

/// The file with the output, for the whole command line or for what stands before its filters, which
/// `filters` gets. Empty: no entry is for it.
std::string find_output(std::string_view command, const ScriptFiles& files, std::vector<Words>& filters) {
    const auto& entries = files.settings().compat_programs;
    if (entries.empty() || command.size() > max_command) return {};
    if (std::string whole = find_program_output(entries, command); !whole.empty()) return whole;
    const Cut cut = cut_at_filters(command);
    if (cut.filters.empty()) return {};
    std::string path = find_program_output(entries, cut.first);
    if (path.empty()) return {};
    // A word in the place of the program makes it a pipeline of its own.
    const auto line = split_command("x" + std::string(cut.filters));
    if (!line || line->has_pattern) return {};
    filters.assign(line->programs.begin() + 1, line->programs.end());
    return are_filters(filters) ? path : std::string();
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

// ---- all -----------------------------------------------------------------------------------------------

bool is_known_program(const Words& words, bool has_pattern) {
    return is_file_program(words, has_pattern) ||
           (!has_pattern && (is_user_program(words) || is_host_name(words)));
}

Result<int> answer_first(const Words& words, bool has_pattern, ScriptHost* host, const ScriptFiles& files,
                         std::string& output) {
    if (is_file_program(words, has_pattern)) return answer_file_program(words, has_pattern, files, output);
    if (is_host_name(words)) return answer_host_name(words, output);
    if (host == nullptr)
        return Error{ErrorCode::unavailable,
                     "io.popen: users and groups are known only while a job is submitted or changed"};
    return answer_user_program(words, *host, output);
}

} // namespace

Result<int> answer_program(std::string_view command, ScriptHost* host, const ScriptFiles& files,
                           std::string& output) {
    output.clear();
    std::vector<Words> filters;
    Result<int> status = 0;
    if (const std::string path = find_output(command, files, filters); !path.empty()) {
        status = read_output(command, path, files, output);
    } else {
        const auto line = split_command(command);
        if (!line || !is_known_program(line->programs.front(), line->has_pattern))
            return unsupported(command);
        filters.assign(line->programs.begin() + 1, line->programs.end());
        if (!are_filters(filters)) return unsupported(command);
        status = answer_first(line->programs.front(), line->has_pattern, host, files, output);
    }
    if (status && output.size() > max_program_output) return too_much(command);
    for (const Words& program : filters) {
        if (!status) break;
        std::string filtered;
        filter_output(program, output, &filtered);
        output = std::move(filtered);
        status = 0; // a pipeline has the status of its last program
    }
    return status;
}

std::string describe_bad_program(std::string_view command, bool is_whole, const ScriptFiles& files) {
    if (is_whole) {
        std::vector<Words> filters;
        if (!find_output(command, files, filters).empty()) return {};
        const auto line = split_command(command);
        const bool is_known = line && is_known_program(line->programs.front(), line->has_pattern) &&
                              are_filters(std::span(line->programs).subspan(1));
        return is_known ? std::string() : describe_bad(command);
    }
    if (may_have_program_output(files.settings().compat_programs, command)) return {};
    const std::string_view beginning = program_name(command);
    for (const std::string_view known :
         {"id ", "groups ", "getent passwd ", "getent group ", "ls ", "cat ", "hostname", "uname -n"})
        if (beginning.starts_with(known) || known.starts_with(beginning)) return {};
    return describe_bad(command);
}

std::string describe_bad_filters(std::string_view end) {
    // The quote that ends the value in front of it.
    if (end.starts_with('\'') || end.starts_with('"')) end.remove_prefix(1);
    const Cut cut = cut_at_filters(end);
    const auto is_open = [&](char quote) { return std::ranges::count(cut.first, quote) % 2 != 0; };
    if (cut.filters.empty() || is_open('\'') || is_open('"')) return {};
    const auto line = split_command("x" + std::string(cut.filters));
    if (!line) return {};
    for (const Words& program : std::span(line->programs).subspan(1)) {
        const auto has_gap = [](const std::string& word) { return word.find('%') != word.npos; };
        if (std::ranges::any_of(program, has_gap)) return {};
        if (!filter_output(program, {}, nullptr)) return describe_bad(cut.filters);
    }
    return {};
}

} // namespace qg::policy::compat
