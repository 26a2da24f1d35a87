// SPDX-License-Identifier: GPL-2.0-or-later
//
// The noun `qosgate qos`.
#include "common/command.hpp"

namespace qg::cli {

void add_qos(Command app, Invocation& invocation) {
    Command qos =
        add_command(app, "qos", "QOS records in Slurm's accounting database",
                    "Examples:\n"
                    "  qosgate qos list 'gpu*' --sort -Priority\n"
                    "  qosgate qos create moonlight MaxWall=8:00:00 MaxTRESPerUser=gpu=2\n"
                    "  qosgate qos update moonlight Flags+=DenyOnLimit --dry-run\n"
                    "  qosgate qos fields MaxTRES             what can be set, and how\n\n"
                    "Fields have sacctmgr's names. All QOSs named in one command change together, or\n"
                    "none does. Every command that changes something takes --dry-run.");
    qos.require_subcommand(1);
    add_commands(qos, "qos", invocation);
}

} // namespace qg::cli
