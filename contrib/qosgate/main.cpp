// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate: the command line of the QOS tools. This file reads the command line; each command has its own.
#include "common/client_module.hpp"
#include "common/command.hpp"
#include "common/installation.hpp"
#include "help/help_formatter.hpp"

#include "qosgate/base/text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <span>
#include <vector>

namespace qg::cli {
namespace {

constexpr std::string_view usage_code = "usage";

/// A command's name in sacctmgr, and its name here.
struct OldHabit {
    std::string_view word;
    std::string_view command;
};
constexpr std::array<OldHabit, 4> old_habits{{
    {"add", "create"},
    {"modify", "update"},
    {"remove", "delete"},
    {"show", "list"},
}};

/// Options of Slurm's commands, and those here.
constexpr std::array<OldHabit, 2> old_options{{
    {"--format", "--fields"},
    {"--noheader", "--parsable"},
}};

/// What to add to a message about a word that is not a command.
std::string hint_for(std::string_view unknown, const std::vector<std::string>& names) {
    for (const OldHabit& habit : old_habits)
        if (text::iequals(habit.word, unknown) &&
            std::find(names.begin(), names.end(), habit.command) != names.end())
            return text::did_you_mean(unknown, habit.command);
    const std::string near = text::did_you_mean(unknown, names);
    return near.empty() ? "; there are: " + text::join(names, ", ") : near;
}

/// The command that the words name, and the first word that should name a command but does not.
struct ResolvedCommand {
    CLI::App* command;
    std::string path;
    std::string unknown;
};

std::vector<std::string> names_of_commands(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::App* child : command.get_subcommands({}))
        names.push_back(child->get_name());
    return names;
}

ResolvedCommand resolve_command(CLI::App& app, std::span<char*> words) {
    ResolvedCommand result{&app, "qosgate", {}};
    for (std::string_view word : words) {
        if (word.starts_with('-')) continue;
        const auto names = names_of_commands(*result.command);
        if (names.empty()) break;
        if (std::find(names.begin(), names.end(), word) == names.end()) {
            result.unknown = word;
            break;
        }
        result.command = result.command->get_subcommand(std::string(word));
        result.path += " " + std::string(word);
    }
    return result;
}

/// What to add to a message if one of the words is nearly a long option of the command.
std::string hint_for_option(const CLI::App& command, std::span<char*> words) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    for (const std::string_view word : words) {
        if (word == "--") break;
        const std::string_view name = word.substr(0, word.find('='));
        if (!name.starts_with("--") || std::ranges::find(names, name) != names.end()) continue;
        const auto old = std::ranges::find(old_options, name, &OldHabit::word);
        const bool is_old = old != old_options.end() && std::ranges::find(names, old->command) != names.end();
        const std::string near =
            is_old ? text::did_you_mean(name, old->command) : text::did_you_mean(name, names);
        if (!near.empty()) return text::format("; there is no option {}{}", text::printable(name), near);
    }
    return {};
}

/// The client of a command line that lacks the "--" in front of it; empty: none.
std::string_view find_client_without_dashes(const CLI::App& command, std::span<char*> words) {
    if (command.get_option_no_throw("COMMAND") == nullptr) return {};
    for (const std::string_view word : words) {
        if (word == "--") break;
        if (std::ranges::find(clients, word) != clients.end()) return word;
    }
    return {};
}

/// "--until and --reason are required": all that are missing. Empty: none is.
std::string describe_missing(const CLI::App& command) {
    std::vector<std::string> missing;
    for (const CLI::Option* option : command.get_options())
        if (option->get_required() && option->count() == 0) missing.push_back(option->get_name());
    if (missing.empty()) return {};
    return text::format("{} {} required", text::join(missing, " and "), missing.size() == 1 ? "is" : "are");
}

int usage_error(Output& output, const std::string& message, const std::string& path) {
    output.fail(usage_code, message + " ('" + path + " --help' shows how)");
    return exit_usage;
}

int run(Invocation& invocation, Output& output) {
    const auto status = invocation.action(output);
    if (status) return *status;
    output.fail(to_string(status.error().code), status.error().message);
    return exit_status(status.error().code);
}

int run_command_line(int argc, char** argv, Output& output) {
    CLI::App app{"Quality of service in Slurm: see, check and change it.", "qosgate"};
    app.formatter(std::make_shared<HelpFormatter>()); // commands that are added get the same
    app.set_version_flag("--version", describe_installation,
                         "Print the versions of this program, its gates and Slurm");
    app.set_help_all_flag("--help-all", "Print the help of all commands");
    app.require_subcommand(1);
    app.footer("Examples:\n"
               "  qosgate qos list                             all QOSs in a table\n"
               "  qosgate qos get moonlight                    one QOS, field by field\n"
               "  qosgate qos update moonlight MaxWall=8:00:00 --dry-run\n\n" +
               std::string(exit_status_help()));
    Invocation invocation;
    add_commands(Command(app), "", invocation);

    const std::span<char*> words(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
    const ResolvedCommand where = resolve_command(app, words);
    if (!where.unknown.empty()) {
        const auto names = names_of_commands(*where.command);
        const std::string message =
            text::format("{} has no command '{}'{}", where.path, text::printable(where.unknown),
                         hint_for(where.unknown, names));
        return usage_error(output, message, where.path);
    }
    try {
        app.parse(argc, argv);
        return run(invocation, output);
    } catch (const CLI::Success& help) {
        return app.exit(help, std::cout, std::cerr);
    } catch (const CLI::ParseError& error) {
        if (const auto client = find_client_without_dashes(*where.command, words); !client.empty())
            return usage_error(output,
                               text::format("put -- before {}: {} -- {} ...", client, where.path, client),
                               where.path);
        std::string problem;
        if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError))
            problem = describe_missing(*where.command);
        if (problem.empty()) problem = text::printable(error.what());
        return usage_error(output, problem + hint_for_option(*where.command, words), where.path);
    } catch (const std::exception& bug) {
        output.fail(to_string(ErrorCode::internal), text::printable(bug.what(), 500));
        return exit_status(ErrorCode::internal);
    }
}

/// If the report cannot be written, this is a failure: scripts would read an empty file as an empty answer.
int run_and_deliver(int argc, char** argv) {
    // What follows "--" are words of another command.
    char** const end = std::find(argv, argv + argc, std::string_view("--"));
    const auto asks_json = [](std::string_view word) { return word == "--json"; };
    Output output(std::cout, std::cerr, std::any_of(argv, end, asks_json));
    const int status = run_command_line(argc, argv, output);
    return output.finish() ? status : exit_not_written;
}

} // namespace
} // namespace qg::cli

int main(int argc, char** argv) {
    return qg::cli::run_and_deliver(argc, argv);
}
