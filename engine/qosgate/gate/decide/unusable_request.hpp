// SPDX-License-Identifier: GPL-2.0-or-later
//
// Answers to requests that are too large to be read or checked, and to those that would end slurmctld, or
// stop it for minutes (slurm/README.md 2.6). sbatch, salloc and srun do not send most of them; other programs
// do.
#pragma once

#include "qosgate/gate/decide/decision_log.hpp"
#include "qosgate/gate/decide/effort.hpp"
#include "qosgate/gate/decide/site.hpp"
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

/// As find_fatal(), of a request that may be one.
std::string_view look_for_fatal(const model::JobRequest& request);

/// What the user must change of a request that slurmctld would not survive; empty: it survives it. Cost:
/// linear in what the request excludes. Threads: pure.
[[nodiscard]] inline std::string_view find_fatal(const model::JobRequest& request) {
    const bool may_be =
        request.tasks_per_socket == 0u || !request.excluded_nodes.empty() || !request.has_all_excluded;
    return may_be ? look_for_fatal(request) : std::string_view();
}

/// Refuses a job, or a change of one, that names_no_partition() and that rules did not give one: its rules
/// have failed, probably on the time limit, which no partition gives it. The user reads why slurmctld refuses
/// it instead of what is wrong with a rule. Returns whether it did.
bool refuse_without_partition(model::Decision& decision, const ResolvedRequest& asked, const LoggedJob& job,
                              const policy::Settings& settings);

/// Refuses a new job, or a change of one, whose CPUs no rule could count after a later change, if rules judge
/// changes (hides_cpus(), in_partition.hpp). Returns whether it did.
bool refuse_hidden_cpus(model::Decision& decision, const ResolvedRequest& asked, const LoggedJob& job,
                        const Site& site);

/// Refuses a new job, or a change of one, whose partition is not known when rules or limits judge it, if they
/// bind its sender: slurmctld gives it that of a reservation. `job` has the request as it was sent. Returns
/// whether it did.
bool refuse_unknown_partition(model::Decision& decision, const LoggedJob& job, const Site& site);

/// Makes the refusal of such a job, or of such a change, the answer, whatever the settings are.
void refuse_fatal(model::Decision& decision, std::string_view change, const LoggedJob& job,
                  const policy::Settings& settings);

} // namespace qg::gate
