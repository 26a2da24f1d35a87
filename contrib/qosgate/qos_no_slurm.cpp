// SPDX-License-Identifier: GPL-2.0-or-later
//
// `qosgate status` and the verbs of `qosgate qos` in a build without Slurm: they say so.
#include "command.hpp"

namespace qg::cli {
namespace {

void add_missing(CLI::App& parent, const char* name, Invocation& invocation) {
    CLI::App* command = parent.add_subcommand(name, "Not in this build: it has no Slurm support");
    command->allow_extras();
    command->callback([&invocation] {
        invocation.action = [](Output&) -> Result<int> {
            return Error{
                ErrorCode::unsupported,
                "this build has no Slurm support: build it where libslurm and its headers are installed"};
        };
    });
}

} // namespace

void add_qos_records(CLI::App& qos, Invocation& invocation) {
    for (const char* verb : {"list", "get", "create", "update", "delete"})
        add_missing(qos, verb, invocation);
}

void add_status(CLI::App& app, Invocation& invocation) {
    add_missing(app, "status", invocation);
}

} // namespace qg::cli
