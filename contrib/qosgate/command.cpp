// SPDX-License-Identifier: GPL-2.0-or-later
#include "command.hpp"

namespace qg::cli {

Command add_command(Command parent, const std::string& name, const std::string& summary,
                    const std::string& examples) {
    Command command = parent.add_subcommand(name, summary);
    command.footer(examples);
    return command;
}

void add_json_flag(Command command, Invocation& invocation) {
    command.add_flag("--json", invocation.json, "Write one JSON object, also for an error");
}

} // namespace qg::cli
