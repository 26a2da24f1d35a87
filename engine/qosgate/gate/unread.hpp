// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests of which a text is too large to be read.
#pragma once

#include "qosgate/gate/gate.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/policy/policy.hpp"

namespace qg::gate {

/// The answer to a request with an unread text: no opinion on limits, which leaves it to slurmctld. Where a
/// rule in mode `enforce` is in force the request is refused, whatever the rule's `on_error`: nobody gets
/// past a rule by being too long for it. `policy` may be null; `view` is for the log.
model::Decision answer_unread(const model::JobRequest& request, const model::AccountView& view,
                              const policy::Policy* policy, const JobUpdate* change = nullptr);

} // namespace qg::gate
