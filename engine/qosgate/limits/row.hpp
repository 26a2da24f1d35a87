// SPDX-License-Identifier: GPL-2.0-or-later
//
// The form in which Slurm's order of limit checks is written down: a stage is a table of rows per kind of
// owner, and one loop (evaluation.cpp) runs them. To add a limit, add a row; to add a stage, add a table.
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/limits/violation.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>
#include <span>
#include <variant>

namespace qg::limits {

using model::LimitFacts;
using model::LimitMeasure;
using model::LimitScope;

/// How a row compares. Each is one function in checks.cpp.
enum class Check : std::uint8_t {
    request_alone,     ///< per TRES: request > limit
    grp_and_user,      ///< per TRES: GrpTRES and MaxTRESPerUser together, usage left aside
    per_node,          ///< per TRES: floor(request / nodes) > limit
    minimum,           ///< per TRES: request < limit
    minutes_or_time,   ///< per TRES: request x time > limit; gives a job without time limit one
    wall_or_time,      ///< time > limit; gives a job without time limit one
    submit_count,      ///< submitted + array tasks > limit
    running_count,     ///< running jobs >= limit
    wall_time,         ///< gives or trims the time limit, holds nothing
    wall_used,         ///< used wall >= limit; with `safe` also used + time > limit
    wall_asked,        ///< time > limit
    with_usage,        ///< per TRES: request > limit, or used + request > limit
    minutes_used,      ///< per TRES: used minutes >= limit; with `safe` also the job's and the committed ones
    minutes_committed, ///< per TRES: minutes > limit, or committed + minutes > limit
    minutes_of_job,    ///< per TRES: request x time > limit
};

/// When a row of the submit stage is looked at (limits/README.md 3.3).
enum class When : std::uint8_t { strict, always };

/// Which associations a row is for.
enum class Levels : std::uint8_t { all, user };

/// The limits that a check reads: where an owner sets none of them, there is nothing to check.
constexpr LimitSet read_by(Check check, const LimitId& limit) {
    LimitSet read = limit;
    if (check == Check::grp_and_user) read += TresLimit::max_tres_per_user;
    return read;
}

/// One check of one limit.
struct Row {
    Check check;
    LimitId limit;
    When when = When::always;
    Levels levels = Levels::all;
    /// Limits of a QOS that keep a row of an association from being looked at (limits/README.md 3.2): of TRES
    /// limits those set for the same TRES.
    LimitSet hidden_by = {};
    bool remembers = true;       ///< a value found here hides later ones of the same limit
    bool scaled = false;         ///< multiplied by LimitFactor
    bool nearest_only = false;   ///< node count stage: once it lowers the number, farther ones are hidden
    bool binds_operator = false; ///< also where an operator set the TRES
    const Rule* rule = nullptr;  ///< the releases that look at it; null: all
    LimitSet reads = read_by(check, limit);
    LimitScope usage_of = model::facts_of(limit).scope; ///< whose usage of a QOS it looks at
};

/// Whether a row's check is one for limits like its own.
constexpr bool is_well_formed(const Row& row) {
    bool is_for_counts = false;
    switch (row.check) {
    case Check::wall_or_time:
    case Check::submit_count:
    case Check::running_count:
    case Check::wall_time:
    case Check::wall_used:
    case Check::wall_asked: is_for_counts = true; break;
    case Check::request_alone:
    case Check::grp_and_user:
    case Check::per_node:
    case Check::minimum:
    case Check::minutes_or_time:
    case Check::with_usage:
    case Check::minutes_used:
    case Check::minutes_committed:
    case Check::minutes_of_job: break;
    }
    return is_for_counts == std::holds_alternative<CountLimit>(row.limit);
}

/// The same of a table. Checks take it for granted, so each table says so with a static_assert.
constexpr bool are_well_formed(std::span<const Row> rows) {
    return std::ranges::all_of(rows, is_well_formed);
}

/// Whether the rows read every limit of `needed`: a limit that a stage leaves out is never checked there.
constexpr bool read_all(std::span<const Row> rows, LimitSet needed) {
    LimitSet read;
    for (const Row& row : rows)
        read += row.reads;
    return read.has_all(needed);
}

/// The rows of one stage.
struct Stage {
    std::span<const Row> qos;
    std::span<const Row> association;
    bool restarts_time = false; ///< what one owner makes of the job's time is not the next one's
};

extern const Stage submit_stage;
extern const Stage pre_select_stage;
extern const Stage node_count_stage; ///< in node_count.cpp, which has a loop of its own
extern const Stage post_select_stage;

} // namespace qg::limits
