// SPDX-License-Identifier: GPL-2.0-or-later
//
// The verbs of `qosgate qos` in a build without Slurm: they say so.
#include "command.hpp"

namespace qg::cli {

void add_qos_records(CLI::App& qos, Invocation& invocation) {
    for (const char* verb : {"list", "get", "create", "update", "delete"}) {
        CLI::App* command = qos.add_subcommand(verb, "Not in this build: it has no Slurm support");
        command->allow_extras();
        command->callback([&invocation] {
            invocation.action = [](Output&) -> Result<int> {
                return Error{
                    ErrorCode::unsupported,
                    "this build has no Slurm support: build it where libslurm and its headers are installed"};
            };
        });
    }
}

} // namespace qg::cli
