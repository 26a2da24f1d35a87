// SPDX-License-Identifier: GPL-2.0-or-later
#include "command_table.hpp"

namespace qg::cli {
namespace {

/// A command that needs Slurm, in a build without it: it says so.
void add_missing(Command parent, const char* name, Invocation& invocation) {
    Command command = parent.add_subcommand(name, "Not in this build: it has no Slurm support");
    command.allow_extras();
    command.callback([&invocation] {
        invocation.action = [](Output&) -> Result<int> {
            return Error{
                ErrorCode::unsupported,
                "this build has no Slurm support: build it where libslurm and its headers are installed"};
        };
    });
}

} // namespace

void add_commands(Command parent, std::string_view noun, Invocation& invocation) {
    for (const CommandRow& row : command_table) {
        if (row.noun != noun) continue;
        if (row.add != nullptr)
            row.add(parent, invocation);
        else
            add_missing(parent, row.name, invocation);
    }
}

} // namespace qg::cli
