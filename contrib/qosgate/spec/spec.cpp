// SPDX-License-Identifier: GPL-2.0-or-later
//
// The noun `qosgate spec`.
#include "common/command.hpp"

namespace qg::cli {

void add_spec(Command app, Invocation& invocation) {
    Command spec = add_command(
        app, "spec", "QOS records as files: plan, apply, watch",
        "Examples:\n"
        "  qosgate spec export --owner base -o qos.yaml     what there is, as a file to begin with\n"
        "  qosgate spec lint qos.yaml                       what is wrong with it\n"
        "  qosgate spec plan qos.yaml                       what would change, and for whom\n"
        "  qosgate spec apply qos.yaml                      shows that, asks, and does all of it or nothing\n"
        "  qosgate spec drift qos.yaml                      what was changed by others since\n\n"
        "A spec is YAML: QOSs with sacctmgr's names of fields, and who may use them. Directories stand for\n"
        "all *.yaml, *.yml and *.json below them; without a path it is qos.d beside slurm.conf. What a file\n"
        "does not name is left as it is. The guide spec.md describes the format.\n"
        "Who manages which field is kept with the QOS, at the end of its description; qosgate does not show\n"
        "that part.");
    spec.require_subcommand(1);
    add_commands(spec, "spec", invocation);
}

} // namespace qg::cli
