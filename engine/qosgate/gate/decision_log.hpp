// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the administrator's log says of a decision, one line for each thing that was done:
//   rejected user=ben(1002) job=wrap account=bio partition=main qos=normal: rule 'no gpus' (10-gpu.lua): …
//   refused change jobid=17 by=1002 user=ana(1001) job=wrap …: QOSMaxCpuPerJobLimit: CPUs per job: …
// The fields end at the first colon outside quotes. A value that is not one plain word stands between single
// quotes, with a backslash before each quote and backslash in it: job='it\'s mine: qos=high'.
#pragma once

#include "qosgate/gate/gate.hpp"
#include "qosgate/gate/resolve.hpp"
#include "qosgate/policy/policy.hpp"

#include <span>
#include <string>
#include <string_view>

namespace qg::gate {

/// Which job a line is about.
/// Ownership: borrows.
struct LoggedJob {
    const model::JobRequest& request;
    const model::AccountView& view;
    const JobUpdate* change = nullptr; ///< null: it is submitted
};

/// What a rule did. Errors of rules are errors in the log.
LogLine log_rule(const LoggedJob& job, const policy::RuleEvent& event);

/// What the gate did because of limits or partitions: `done` is "refused", "warned", or "unchecked" where it
/// has no opinion; `reason` is Slurm's Reason, or empty; `message` is what the user reads, or why.
LogLine log_limits(const LoggedJob& job, std::string_view done, std::string_view reason,
                   std::span<const std::string> message);

} // namespace qg::gate
