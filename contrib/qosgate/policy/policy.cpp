// SPDX-License-Identifier: GPL-2.0-or-later
//
// The noun `qosgate policy`.
#include "common/command.hpp"

namespace qg::cli {

void add_policy(Command app, Invocation& invocation) {
    Command policy = add_command(
        app, "policy", "The site's rules and settings, before they are live",
        "Examples:\n"
        "  qosgate policy check                   the directory beside slurm.conf\n"
        "  qosgate policy check ./qosgate.d       a directory before it is copied there\n"
        "  qosgate policy test ./qosgate.d        the tests of its rules\n"
        "  qosgate policy try -- sbatch job.sh    what would happen to this job now\n"
        "  qosgate policy api                     what rules can use, for an editor\n"
        "  qosgate policy diff                    what the candidate in qosgate.d/next changes\n"
        "  qosgate policy replay --policy DIR     what other rules would have done with recorded jobs");
    policy.require_subcommand(1);
    add_commands(policy, "policy", invocation);
}

} // namespace qg::cli
