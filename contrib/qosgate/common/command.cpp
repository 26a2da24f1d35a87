// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/command.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>

namespace qg::cli {

Command add_command(Command parent, const std::string& name, const std::string& summary,
                    const std::string& examples) {
    Command command = parent.add_subcommand(name, summary);
    command.footer(examples);
    return command;
}

void add_answer_help(Command command, std::string_view title) {
    std::string help = command.footer();
    // Examples stay the first or the last thing that is read.
    const std::size_t examples = help.find("\n\nExamples:\n");
    help.insert(std::min(examples, help.size()),
                text::format("\n\n{}:\n{}", title, json_help(command.name())));
    command.footer(help);
}

void add_json_flag(Command command, Invocation& invocation) {
    command.add_flag("--json", invocation.json, "Write one JSON object, also for an error");
    add_answer_help(command, "With --json");
}

} // namespace qg::cli
