// SPDX-License-Identifier: GPL-2.0-or-later
//
// Checks of TRES x time.
#include "qosgate/limits/checks.hpp"
#include "qosgate/limits/comparison.hpp"
#include "qosgate/limits/job_time.hpp"

#include <limits>

namespace qg::limits::checks::functions {
namespace {

using model::count_at;

/// Adds a violation whose `asked` is a count times a time.
[[gnu::cold]] void add_minutes(const Comparison& at, TresLimit limit, std::size_t tres, ScaledTime time,
                               std::uint64_t value, std::uint64_t used, Relation relation) {
    const std::uint64_t count = at.counts()[tres];
    at.add(limit, tres, count * time.minutes, value, used, relation);
    Violation& added = at.found.back();
    added.times_scaled = time.times;
    const std::uint32_t unscaled = time_for_minutes(at.evaluation);
    added.asked_unscaled = count * unscaled;
    added.is_endless = unscaled >= TimeLimit::unlimited_minutes - 1;
    added.is_of_time_min = unscaled != time_or_none(at.evaluation);
    added.count = count;
}

/// The job's time as the post-select stage uses it in products.
ScaledTime post_select_time(const Comparison& at) {
    const Evaluation& evaluation = at.evaluation;
    const std::uint32_t minutes = time_for_minutes(evaluation);
    return evaluation.job_qos_scales_time ? ScaledTime{scale_time(minutes, evaluation.usage_factor), 1}
                                          : ScaledTime{minutes};
}

} // namespace

void minutes_or_time(const Comparison& at, TresLimit limit) {
    Evaluation& evaluation = at.evaluation;
    if (evaluation.job.is_update && at.is_of_association()) return;
    const bool has_own_time = evaluation.time && !evaluation.time_set_by_limit;
    const std::uint32_t own_time = has_own_time ? time_for_minutes(evaluation) : 0;
    for_each_asked(at, limit, [&](std::size_t tres, std::uint64_t value, std::uint64_t count) {
        constexpr std::uint64_t max = std::numeric_limits<std::uint32_t>::max();
        // The usual case needs no division.
        if (has_own_time && (value | count) <= max && count * own_time <= value) return;
        // slurmctld keeps this quotient in 32 bits (limits/README.md 5.2).
        const auto max_minutes = static_cast<std::uint32_t>(value / count);
        const bool fits = has_own_time ? own_time <= max_minutes : fit_time(evaluation, max_minutes);
        if (!fits)
            add_minutes(at, limit, tres, {time_for_minutes(evaluation)}, value, 0, Relation::asked_too_much);
    });
}

void minutes_used(const Comparison& at, TresLimit limit) {
    const bool safe = at.evaluation.view.enforce.safe;
    const ScaledTime time = post_select_time(at);
    const bool counts = counts_minutes(at.evaluation, at.row);
    for_each_asked(at, limit, [&](std::size_t tres, std::uint64_t value, std::uint64_t count) {
        const std::uint64_t used = counts ? count_at(at.usage().tres_minutes, tres) : 0;
        const std::uint64_t running = counts ? count_at(at.usage().tres_run_minutes, tres) : 0;
        const std::uint64_t minutes = count * time.minutes;
        if (minutes == 0) return;
        const bool is_used_up = used >= value;
        if (!is_used_up && !(safe && (minutes > value || minutes + running > value - used))) return;
        const Relation relation = relate_to_past(at, minutes, value, used);
        const bool counts_running = !is_used_up && relation != Relation::used_for_good;
        add_minutes(at, limit, tres, time, value, counts_running ? used + running : used, relation);
        at.found.back().run_minutes = counts_running ? running : 0;
    });
}

void run_minutes(const Comparison& at, TresLimit limit) {
    const ScaledTime time = post_select_time(at);
    const bool counts = counts_minutes(at.evaluation, at.row);
    for_each_asked(at, limit, [&](std::size_t tres, std::uint64_t value, std::uint64_t count) {
        const std::uint64_t running = counts ? count_at(at.usage().tres_run_minutes, tres) : 0;
        const std::uint64_t minutes = count * time.minutes;
        if (minutes == 0) return;
        if (minutes > value)
            add_minutes(at, limit, tres, time, value, running, Relation::asked_too_much);
        else if (minutes + running > value)
            add_minutes(at, limit, tres, time, value, running, Relation::not_enough_left);
    });
}

void minutes_of_job(const Comparison& at, TresLimit limit) {
    const ScaledTime time = post_select_time(at);
    for_each_asked(at, limit, [&](std::size_t tres, std::uint64_t value, std::uint64_t count) {
        if (count * time.minutes > value)
            add_minutes(at, limit, tres, time, value, 0, Relation::asked_too_much);
    });
}

} // namespace qg::limits::checks::functions
