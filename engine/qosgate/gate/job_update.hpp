// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld makes of a change of an existing job (limits/README.md 9).
#pragma once

#include "qosgate/gate/gate.hpp"
#include "qosgate/gate/resolve.hpp"

namespace qg::gate {

/// Judges a change. The job before and after it is set up the way slurmctld looks at changes.
/// Threads: pure.
void judge_update(model::Decision& decision, JobUpdate& update, Resolved& before, Resolved& after,
                  const model::Cluster& cluster, limits::Release release, const policy::Settings& settings);

} // namespace qg::gate
