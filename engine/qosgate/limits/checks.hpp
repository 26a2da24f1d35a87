// SPDX-License-Identifier: GPL-2.0-or-later
//
// The comparisons (limits/README.md 1.3), one function each, in a file for each kind of thing that they
// compare. A check adds every violation it finds; which of them Slurm names is the caller's question.
#pragma once

#include "qosgate/limits/row.hpp"

namespace qg::limits::checks {

// checks_tres.cpp: what the job asks for, TRES by TRES.

/// request > limit
void request_alone(const Comparison& at, TresLimit limit);
/// GrpTRES and MaxTRESPerUser together: request > limit
void grp_and_user(const Comparison& at, TresLimit limit);
/// floor(request / nodes) > limit
void per_node(const Comparison& at, TresLimit limit);
/// request < limit
void minimum(const Comparison& at, TresLimit limit);
/// request > limit, or used + request > limit
void with_usage(const Comparison& at, TresLimit limit);
/// Of nodes: keeps the lowest limit as the only one found, whether or not the job asks for more.
void fewest_nodes(const Comparison& at, TresLimit limit);

// checks_minutes.cpp: the same, times the job's time.

/// request x time > limit; gives a job without time limit one
void minutes_or_time(const Comparison& at, TresLimit limit);
/// used minutes >= limit; with `safe` also the job's and the committed ones
void minutes_used(const Comparison& at, TresLimit limit);
/// minutes > limit, or committed + minutes > limit
void minutes_committed(const Comparison& at, TresLimit limit);
/// request x time > limit
void minutes_of_job(const Comparison& at, TresLimit limit);

// checks_wall.cpp: the job's time.

/// time > limit; gives a job without time limit one
void wall_or_time(const Comparison& at, CountLimit limit);
/// Gives or trims the time limit, holds nothing.
void wall_time(const Comparison& at, CountLimit limit);
/// used wall >= limit; with `safe` also used + time > limit
void wall_used(const Comparison& at, CountLimit limit);
/// time > limit
void wall_asked(const Comparison& at, CountLimit limit);

// checks_jobs.cpp: how many jobs there are.

/// submitted + array tasks > limit
void submit_count(const Comparison& at, CountLimit limit);
/// running jobs >= limit
void running_count(const Comparison& at, CountLimit limit);

} // namespace qg::limits::checks
