// SPDX-License-Identifier: GPL-2.0-or-later
//
// The noun `qosgate access`.
#include "common/command.hpp"

namespace qg::cli {

void add_access(Command app, Invocation& invocation) {
    Command access = add_command(
        app, "access", "Temporary permission to use a QOS",
        "Examples:\n"
        "  qosgate access grant --qos long --user ana --until 2026-12-24T18:00 --reason 'thesis, ticket "
        "4711'\n"
        "  qosgate access list\n"
        "  qosgate access revoke --qos long --user ana      before its time\n"
        "  qosgate access expire                            what a timer runs\n\n"
        "Permanent access belongs in a spec ('qosgate spec'). The grants are kept in a file on\n"
        "this machine, with their ends; without 'qosgate access expire', which the systemd timer\n"
        "qosgate-access-expire runs, they do not end.");
    access.require_subcommand(1);
    add_commands(access, "access", invocation);
}

} // namespace qg::cli
