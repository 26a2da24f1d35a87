// SPDX-License-Identifier: GPL-2.0-or-later
//
// The site's rules over one job: they read names as slurmctld will, however the user wrote them.
#pragma once

#include "qosgate/gate/resolve.hpp"
#include "qosgate/policy/policy.hpp"

namespace qg::gate {

/// Runs the rules. They read QOS and account as accounting spells them, in lower case where that is not
/// known, and partitions and reservations without empty and repeated parts. What they leave alone stays in
/// the changed request as the user wrote it.
policy::Outcome run_site_rules(const policy::Policy& policy, const model::JobRequest& request,
                               const Resolved& resolved, bool knows_partitions);

} // namespace qg::gate
