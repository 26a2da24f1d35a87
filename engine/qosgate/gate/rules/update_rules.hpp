// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld does with a change of a job (limits/README.md 9).
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/gate.hpp"

#include <string_view>

namespace qg::gate {

/// Why rules could not count the gres of a job after a change; empty: they can. slurmctld leaves the job all
/// gres that it had and the change does not name, and shows only what the change names. Of tasks for each
/// GPU, which no command changes, it shows nothing. [L22]
std::string_view why_gres_are_hidden(const model::JobUpdate& update);

/// Judges a change. `before` and `after` are the job before and after it; this function adapts them to the
/// way slurmctld checks changes. Threads: pure.
void judge_update(model::Decision& decision, model::JobUpdate& update, ResolvedRequest& before,
                  ResolvedRequest& after, const policy::Settings& settings);

} // namespace qg::gate
