// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld does with a change of a job (limits/README.md 9).
#pragma once

#include "qosgate/gate/gate.hpp"
#include "qosgate/gate/resolve.hpp"

namespace qg::gate {

/// Whether a change would only hide gres from rules: slurmctld leaves the job all that it had and the change
/// does not name, and shows only what the change names. [L22]
bool hides_gres(const model::JobUpdate& update);

/// Judges a change. `before` and `after` are the job before and after it; this function adapts them to the
/// way slurmctld checks changes. Threads: pure.
void judge_update(model::Decision& decision, model::JobUpdate& update, ResolvedRequest& before,
                  ResolvedRequest& after, const policy::Settings& settings);

} // namespace qg::gate
