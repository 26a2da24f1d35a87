// SPDX-License-Identifier: GPL-2.0-or-later
//
// Checks of the job's time.
#include "qosgate/limits/checks.hpp"
#include "qosgate/limits/comparison.hpp"
#include "qosgate/limits/job_time.hpp"

namespace qg::limits::checks::functions {
namespace {

/// The job's time as the pre-select stage sees it. UsageFactorSafe multiplies it again before each wall limit
/// of a QOS, so a QOS with both GrpWall and MaxWall applies the factor twice. The next QOS, and each wall
/// limit of an association, starts with the job's own time.
ScaledTime pre_select_time(const Comparison& at) {
    Evaluation& evaluation = at.evaluation;
    ScaledTime time{time_or_none(evaluation)};
    if (!evaluation.job_qos_scales_time || !evaluation.time) return time;
    if (evaluation.time_of_owner && !at.is_of_association()) time = *evaluation.time_of_owner;
    time = {scale_time(time.minutes, evaluation.usage_factor), time.times + 1};
    evaluation.time_of_owner = time;
    return time;
}

/// Adds a violation whose `asked` is this time.
[[gnu::cold]] void add_wall(const Comparison& at, CountLimit limit, ScaledTime asked, std::uint64_t value,
                            std::uint64_t used, Relation relation) {
    at.add(limit, asked.minutes, value, used, relation);
    at.found.back().times_scaled = asked.times;
    at.found.back().asked_unscaled = time_or_none(at.evaluation);
}

/// Whether the 32-bit sum of used and requested minutes wraps as soon as more is used, though not all.
bool will_wrap(std::uint32_t asked, std::uint64_t value, std::uint32_t used) {
    return used < value && value > 1 && std::uint64_t{asked} + value - 1 > UINT32_MAX;
}

} // namespace

void wall_or_time(const Comparison& at, CountLimit limit) {
    Evaluation& evaluation = at.evaluation;
    // A change of a job that does not change its time is not compared with wall limits of QOSs. No change is
    // compared with those of associations.
    if (evaluation.job.is_update && (at.is_of_association() || !evaluation.time)) return;
    // limits/README.md 5.2: unless strict, an association's wall matters only to a job without a time limit.
    if (at.is_of_association() && !evaluation.strict && evaluation.time) return;
    const auto value = evaluation.take(at.row, at.owner);
    if (!value) return;
    const bool fits = fit_time(evaluation, static_cast<std::uint32_t>(*value));
    if (!fits && (evaluation.strict || at.is_of_association()))
        at.add(limit, evaluation.time->minutes, *value, 0, Relation::asked_too_much);
}

// Before the wall limits of this owner are compared: a time that a limit set is reduced to them, and a job
// without a time gets it from them. Only the first association with wall limits does so.
void wall_time(const Comparison& at, CountLimit) {
    Evaluation& evaluation = at.evaluation;
    if (evaluation.job.operator_set_time || (evaluation.time && !evaluation.time_set_by_limit)) return;
    const auto value = evaluation.peek(at.row, at.owner);
    if (!value) return;
    if (at.is_of_association()) {
        if (evaluation.time_trimmed_by.value_or(at.owner.owner.index) != at.owner.owner.index) return;
        evaluation.time_trimmed_by = at.owner.owner.index;
    }
    fit_time(evaluation, static_cast<std::uint32_t>(*value));
}

void wall_used(const Comparison& at, CountLimit limit) {
    if (at.evaluation.job.operator_set_time) return;
    const auto value = at.evaluation.take(at.row, at.owner);
    if (!value) return;
    const ScaledTime asked = pre_select_time(at);
    const auto used = static_cast<std::uint32_t>(at.usage().wall_minutes);
    const bool safe = at.evaluation.view.enforce.safe;
    // slurmctld computes this sum in 32 bits: UNLIMITED wraps if some wall time is used already
    // (limits/README.md 5.2).
    if (used < *value && !(safe && static_cast<std::uint32_t>(used + asked.minutes) > *value)) return;
    const Relation relation = will_wrap(asked.minutes, *value, used)
                                  ? Relation::not_enough_left
                                  : relate_to_past(at, asked.minutes, *value, used);
    add_wall(at, limit, asked, *value, used, relation);
}

void wall_asked(const Comparison& at, CountLimit limit) {
    if (at.evaluation.job.operator_set_time) return;
    const auto value = at.evaluation.take(at.row, at.owner);
    if (!value) return;
    const ScaledTime asked = pre_select_time(at);
    if (asked.minutes > *value) add_wall(at, limit, asked, *value, 0, Relation::asked_too_much);
}

} // namespace qg::limits::checks::functions
