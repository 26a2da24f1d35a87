// SPDX-License-Identifier: GPL-2.0-or-later
//
// The lines of the administrator's log about a decision, one for each action:
//   rejected user=ben(1002) job=wrap account=bio partition=main qos=normal: rule 'no gpus' (10-gpu.lua): …
//   refused change jobid=17 by=1002 user=ana(1001) job=wrap …: QOSMaxCpuPerJobLimit: CPUs per job: …
// The fields end at the first colon outside quotes. A value that is not one plain word is in single quotes,
// with a backslash before each quote and backslash in it: job='it\'s mine: qos=high'.
#pragma once

#include "qosgate/model/account_view.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/model/job_update.hpp"
#include "qosgate/policy/policy.hpp"

#include <span>
#include <string>
#include <string_view>

namespace qg::gate {

/// The job that a line is about.
/// Ownership: borrows.
struct LoggedJob {
    const model::JobRequest& request;
    const model::AccountView& view;
    const model::JobUpdate* change = nullptr; ///< null: a submission
};

/// An action of a rule. An error of a rule is logged as an error.
void log_rule(model::Decision& decision, const LoggedJob& job, const policy::RuleEvent& event);

/// An action of the gate because of limits or partitions. `effect` is "refused", "warned", or "unchecked"
/// (limits not checked), a literal; `reason` is Slurm's Reason, or empty; `message` is what the user reads,
/// or the cause; `outcome` is that of the event, a literal.
void log_limits(model::Decision& decision, const LoggedJob& job, std::string_view effect,
                std::string_view reason, std::span<const std::string> message, std::string_view outcome = {});

} // namespace qg::gate
