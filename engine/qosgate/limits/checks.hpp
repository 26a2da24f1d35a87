// SPDX-License-Identifier: GPL-2.0-or-later
//
// The comparisons (limits/README.md 1.3): for each check its function and what it compares. The functions are
// in one file per kind of limit. A check adds every violation it finds; the caller decides which one Slurm
// names.
#pragma once

#include "qosgate/limits/row.hpp"

namespace qg::limits::checks {

namespace functions {

// checks_tres.cpp
void request_alone(const Comparison& at, TresLimit limit);
void grp_and_user(const Comparison& at, TresLimit limit);
void per_node(const Comparison& at, TresLimit limit);
void minimum(const Comparison& at, TresLimit limit);
void with_usage(const Comparison& at, TresLimit limit);
void fewest_nodes(const Comparison& at, TresLimit limit);

// checks_minutes.cpp
void minutes_or_time(const Comparison& at, TresLimit limit);
void minutes_used(const Comparison& at, TresLimit limit);
void run_minutes(const Comparison& at, TresLimit limit);
void minutes_of_job(const Comparison& at, TresLimit limit);

// checks_wall.cpp
void wall_or_time(const Comparison& at, CountLimit limit);
void wall_time(const Comparison& at, CountLimit limit);
void wall_used(const Comparison& at, CountLimit limit);
void wall_asked(const Comparison& at, CountLimit limit);

// checks_jobs.cpp
void submit_count(const Comparison& at, CountLimit limit);
void running_count(const Comparison& at, CountLimit limit);

} // namespace functions

// What the job asks for, TRES by TRES.

/// request > limit
inline constexpr Check request_alone{functions::request_alone, {.measure = LimitMeasure::tres}};
/// GrpTRES and MaxTRESPerUser together: request > limit
inline constexpr Check grp_and_user{functions::grp_and_user, {.measure = LimitMeasure::tres}};
/// floor(request / nodes) > limit
inline constexpr Check per_node{functions::per_node, {.measure = LimitMeasure::tres}};
/// request < limit
inline constexpr Check minimum{functions::minimum,
                               {.measure = LimitMeasure::tres, .sense = model::LimitSense::minimum}};
/// request > limit, or used + request > limit
inline constexpr Check with_usage{functions::with_usage,
                                  {.measure = LimitMeasure::tres, .with_others = true}};
/// For nodes: keeps only the lowest limit, even if the job does not ask for more.
inline constexpr Check fewest_nodes{functions::fewest_nodes, {.measure = LimitMeasure::tres}};

// The same, multiplied by the job's time.

/// request x time > limit; gives a job without time limit one
inline constexpr Check minutes_or_time{functions::minutes_or_time, {.measure = LimitMeasure::tres_minutes}};
/// used minutes >= limit; with `safe`, the job's minutes and the run minutes of others count, too
inline constexpr Check minutes_used{
    functions::minutes_used, {.measure = LimitMeasure::tres_minutes, .with_others = true, .with_past = true}};
/// minutes > limit, or run minutes + minutes > limit
inline constexpr Check run_minutes{functions::run_minutes,
                                   {.measure = LimitMeasure::tres_minutes, .with_others = true}};
/// request x time > limit
inline constexpr Check minutes_of_job{functions::minutes_of_job, {.measure = LimitMeasure::tres_minutes}};

// The job's time.

/// time > limit; gives a job without time limit one
inline constexpr Check wall_or_time{functions::wall_or_time, {.measure = LimitMeasure::wall}};
/// Sets or reduces the time limit; finds no violation.
inline constexpr Check wall_time{functions::wall_time, {.measure = LimitMeasure::wall}};
/// used wall time >= limit; with `safe` also used + time > limit
inline constexpr Check wall_used{functions::wall_used,
                                 {.measure = LimitMeasure::wall, .with_others = true, .with_past = true}};
/// time > limit
inline constexpr Check wall_asked{functions::wall_asked, {.measure = LimitMeasure::wall}};

// How many jobs there are.

/// submitted + array tasks > limit
inline constexpr Check submit_count{functions::submit_count,
                                    {.measure = LimitMeasure::submitted_jobs, .with_others = true}};
/// running jobs >= limit
inline constexpr Check running_count{functions::running_count,
                                     {.measure = LimitMeasure::running_jobs, .with_others = true}};

} // namespace qg::limits::checks
