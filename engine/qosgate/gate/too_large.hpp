// SPDX-License-Identifier: GPL-2.0-or-later
//
// Answers to requests that are too large to be read or checked.
#pragma once

#include "qosgate/gate/decision_log.hpp"
#include "qosgate/gate/effort.hpp"
#include "qosgate/gate/site.hpp"
#include "qosgate/model/decision.hpp"

namespace qg::gate {

/// Answers a request whose limits are not checked because it is too large. If limits are enforced, it is
/// refused, so that nobody can avoid limits in this way, unless an operator sends it or slurmctld refuses it
/// anyway. Otherwise the gate only logs that it did not check the limits.
void answer_too_large(model::Decision& decision, const TooLarge& found, const LoggedJob& job,
                      const Site& site, bool enforces_limits);

/// The same for a request with a text that was not read; no rule runs on it. If any rule is in mode
/// `enforce`, the request is refused, whoever sends it and whatever the rule's `on_error`, so that nobody can
/// avoid a rule with a long text.
model::Decision answer_unread(const ResolvedRequest& resolved, const LoggedJob& job, const Site& site);

} // namespace qg::gate
