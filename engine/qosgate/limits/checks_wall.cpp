// SPDX-License-Identifier: GPL-2.0-or-later
//
// Checks of the job's time.
#include "qosgate/limits/checks.hpp"
#include "qosgate/limits/comparison.hpp"
#include "qosgate/limits/job_time.hpp"

namespace qg::limits::checks {
namespace {

/// The job's time as the pre-select stage sees it. UsageFactorSafe multiplies it before each wall limit of a
/// QOS anew, so a QOS with both GrpWall and MaxWall applies the factor twice; the next QOS, and each wall of
/// an association, starts with the job's own time.
ScaledTime pre_select_time(const Comparison& at) {
    Evaluation& evaluation = at.evaluation;
    ScaledTime time{time_or_none(evaluation)};
    if (!evaluation.job_qos_scales_time || !evaluation.time) return time;
    if (evaluation.time_of_owner && !at.is_of_association()) time = *evaluation.time_of_owner;
    time = {scale_time(time.minutes, evaluation.usage_factor), time.times + 1};
    evaluation.time_of_owner = time;
    return time;
}

/// Adds a violation whose `asked` is such a time.
[[gnu::cold]] void add_wall(const Comparison& at, CountLimit limit, ScaledTime asked, std::uint64_t value,
                            std::uint64_t used, Relation relation) {
    at.add(limit, asked.minutes, value, used, relation);
    at.found.back().times_scaled = asked.times;
    at.found.back().asked_unscaled = time_or_none(at.evaluation);
}

} // namespace

void wall_or_time(const Comparison& at, CountLimit limit) {
    Evaluation& evaluation = at.evaluation;
    // A change of a job that leaves its time alone leaves walls alone; those of associations it never meets.
    if (evaluation.job.is_update && (at.is_of_association() || !evaluation.time)) return;
    // limits/README.md 5.2: unless strict, an association's wall matters only to a job without a time limit.
    if (at.is_of_association() && !evaluation.strict && evaluation.time) return;
    const auto value = evaluation.take(at.row, at.owner);
    if (!value) return;
    const bool fits = fit_time(evaluation, static_cast<std::uint32_t>(*value));
    if (!fits && (evaluation.strict || at.is_of_association()))
        at.add(limit, evaluation.time->minutes, *value, 0, Relation::asked_too_much);
}

// Before its walls are looked at, a time that a limit gave follows the walls of this owner, and a job
// without one gets theirs.
void wall_time(const Comparison& at, CountLimit) {
    Evaluation& evaluation = at.evaluation;
    if (evaluation.job.operator_set_time || (evaluation.time && !evaluation.time_set_by_limit)) return;
    const auto value = evaluation.peek(at.row, at.owner);
    if (value) fit_time(evaluation, static_cast<std::uint32_t>(*value));
}

void wall_used(const Comparison& at, CountLimit limit) {
    if (at.evaluation.job.operator_set_time) return;
    const auto value = at.evaluation.take(at.row, at.owner);
    if (!value) return;
    const ScaledTime asked = pre_select_time(at);
    const auto used = static_cast<std::uint32_t>(at.usage().wall_minutes);
    const bool safe = at.evaluation.view.enforce.safe;
    // A 32-bit sum in slurmctld: UNLIMITED wraps when some wall is used already (limits/README.md 5.2).
    if (used >= *value || (safe && static_cast<std::uint32_t>(used + asked.minutes) > *value))
        add_wall(at, limit, asked, *value, used, relate_to_past(at, asked.minutes, *value, used));
}

void wall_asked(const Comparison& at, CountLimit limit) {
    if (at.evaluation.job.operator_set_time) return;
    const auto value = at.evaluation.take(at.row, at.owner);
    if (!value) return;
    const ScaledTime asked = pre_select_time(at);
    if (asked.minutes > *value) add_wall(at, limit, asked, *value, 0, Relation::asked_too_much);
}

} // namespace qg::limits::checks
