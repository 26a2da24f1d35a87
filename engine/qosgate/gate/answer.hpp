// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the user reads: why a job is refused or held back, and the nearest request that would do better.
#pragma once

#include "qosgate/gate/decision_log.hpp"
#include "qosgate/gate/forecast.hpp"
#include "qosgate/gate/nearest.hpp"
#include "qosgate/policy/policy.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace qg::gate {

/// The lines for a job that is refused.
std::vector<std::string> refusal_lines(const Outlook& outlook, const model::AccountView& view);

/// The lines for a job that is accepted and held back: what it waits for, or that it never starts, and every
/// limit and rule that is known to be in its way. Nothing to wait for is told to one that starts later, when
/// others that are in its way now may have ended, and no limits to wait for to a part of a heterogeneous job.
/// Empty where nothing holds it back.
std::vector<std::string> wait_lines(const Outlook& outlook, const model::JobRequest& request,
                                    const model::AccountView& view);

/// The lines that say what would do better, for a job that is refused or never starts: options of sbatch,
/// salloc and srun, which the user can add to the same command. `strictness` is that of the look ahead.
/// Where a site has rules they are run once more, on what is suggested.
std::vector<std::string> suggestion_lines(const Outlook& outlook, const Case& at,
                                          limits::Strictness strictness);

/// Adds lines to a message.
void append(std::vector<std::string>& message, std::vector<std::string> lines);

/// Logs what limits or partitions make of a job: that the gate refuses it, or what it tells of an accepted
/// one. Where slurmctld refuses, it logs that itself. The user's lines about it begin at `first`.
void log_judgement(model::Decision& decision, const LoggedJob& job, const Outlook& outlook,
                   std::size_t first);

/// Says which rules set the QOS, partition, account or time limit that a job has: what follows may be their
/// doing. Nothing where none did.
std::optional<std::string> blame_rules(std::span<const policy::FieldWriter> writers,
                                       const model::JobRequest& changed);

/// Adds whom to ask, where the site says so.
void append_contact(std::vector<std::string>& message, const policy::Settings& settings);

} // namespace qg::gate
