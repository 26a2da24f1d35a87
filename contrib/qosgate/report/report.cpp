// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate report: tables about all QOSs, for administrators.
#include "common/command.hpp"

namespace qg::cli {

void add_report(Command app, Invocation& invocation) {
    Command report = add_command(app, "report", "Tables about all QOSs: usage, priority",
                                 "Examples:\n"
                                 "  qosgate report usage\n"
                                 "  qosgate report priority --csv > priority.csv");
    report.require_subcommand(1);
    add_commands(report, "report", invocation);
}

} // namespace qg::cli
