// SPDX-License-Identifier: GPL-2.0-or-later
//
// Answers to requests that are too large to be read or checked, and to those that would end slurmctld: it
// divides by some counts without a look, and a 0 is a SIGFPE. sbatch, salloc and srun refuse a 0 there; other
// programs send it.
#pragma once

#include "qosgate/gate/decision_log.hpp"
#include "qosgate/gate/effort.hpp"
#include "qosgate/gate/site.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/policy/settings.hpp"

#include <string_view>

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

/// The option by whose 0 slurmctld would divide; empty: none. Threads: pure.
std::string_view find_zero_divisor(const model::JobRequest& request) noexcept;

/// Makes the refusal of such a job, or of such a change, the answer, whatever the settings are.
void refuse_zero_divisor(model::Decision& decision, std::string_view option, const LoggedJob& job,
                         const policy::Settings& settings);

} // namespace qg::gate
