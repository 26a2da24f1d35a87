// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the user reads: why a job is refused or pending, and the nearest request that would be better.
#pragma once

#include "qosgate/gate/answer/advice.hpp"
#include "qosgate/gate/decide/decision_log.hpp"
#include "qosgate/gate/decide/site_rules.hpp"
#include "qosgate/gate/predict/forecast.hpp"
#include "qosgate/policy/policy.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace qg::gate {

/// The lines for a job that is refused, waits or never starts, with all limits and rules that are known to
/// block it; empty if nothing blocks it. A job with a later begin time gets no lines about waiting, because
/// the jobs that block it now may have ended by then. A part of a heterogeneous job gets no lines about
/// limits that it waits for.
std::vector<std::string> forecast_lines(const DetailedForecast& forecast, const ResolvedRequest& asked);

/// Explains where a time limit or memory that blocks the job comes from if the job names none, or no end.
/// Nothing that a hidden partition may have set.
std::vector<std::string> origin_lines(const DetailedForecast& forecast, const ResolvedRequest& asked);

/// The lines with a suggestion, for a job that is refused, never starts, has only closed partitions, or waits
/// for a limit: options of sbatch, salloc and srun that the user can add to the same command. A job that
/// waits is told only what does not wait, with another QOS, partition or account. `rules` run once more on
/// each suggestion (suggested_options.hpp); null: the site has none. `settings` say what may be suggested.
std::vector<std::string> suggestion_lines(const DetailedForecast& forecast, const ResolvedRequest& asked,
                                          const RulesRun* rules, const policy::Settings& settings);

/// The same for a job that advice is about: a partition that has what its own partitions do not have.
std::vector<std::string> partition_lines(Handling handling, bool knows_reservations,
                                         const DetailedForecast& forecast, const ResolvedRequest& asked,
                                         const RulesRun* rules, const policy::Settings& settings);

/// Whether the job has partitions and all are drained, or all are drained or all down. False if the reader
/// may not see them.
[[nodiscard]] bool are_all_drained(const model::AccountView& view);
[[nodiscard]] bool are_all_closed(const model::AccountView& view);

/// Changes lines about a job that something else refuses, too: it "would wait", and does not.
void word_for_refused(std::span<std::string> lines);

/// Adds lines to a message.
void append(std::vector<std::string>& message, std::vector<std::string> lines);

/// What the gate itself rejects. It leaves everything else to slurmctld.
struct Rejects {
    bool refused = false;        ///< jobs that slurmctld refuses
    bool never_starting = false; ///< jobs that slurmctld accepts but never starts
};

/// Answers according to the forecast: adds `lines`, rejects the job or not, writes the log, and adds the
/// contact if the job is refused or never starts. The decision's lines from `lines_before` on are about
/// limits and partitions.
void answer(model::Decision& decision, const DetailedForecast& forecast, const LoggedJob& job,
            std::vector<std::string> lines, Rejects rejects, const policy::Settings& settings,
            std::size_t lines_before);

/// Names the site's script and rules that set fields of the job, because they may be the cause of a problem.
/// Rules come after the script: a field that both set is theirs. Empty if none did.
std::optional<std::string> blame_site(std::span<const policy::FieldWriter> of_script,
                                      std::span<const policy::FieldWriter> of_rules);

/// Adds the site's contact, if there is one, once.
void append_contact(std::vector<std::string>& message, const policy::Settings& settings);

} // namespace qg::gate
