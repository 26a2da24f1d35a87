// SPDX-License-Identifier: GPL-2.0-or-later
//
// The verbs of `qosgate qos` that talk to slurmdbd.
#include "command.hpp"

namespace qg::cli {

void add_qos_records(CLI::App& qos, Invocation& invocation) {
    for (const auto add : {add_qos_list, add_qos_get, add_qos_create, add_qos_update, add_qos_delete})
        add(qos, invocation);
}

} // namespace qg::cli
