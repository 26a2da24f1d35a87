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

struct Comparison;

/// How a row compares: a function of checks.hpp, for limits per TRES or for the others.
class Check {
  public:
    // A row names the function and nothing else.
    constexpr Check(void (*compare)(const Comparison&, TresLimit)) noexcept
        : tres_(compare), is_for_tres_(true) {}
    constexpr Check(void (*compare)(const Comparison&, CountLimit)) noexcept : count_(compare) {}

    /// Whether it is one for limits like this.
    [[nodiscard]] constexpr bool is_for(const LimitId& limit) const noexcept {
        return std::holds_alternative<TresLimit>(limit) == is_for_tres_;
    }
    friend constexpr bool operator==(const Check&, const Check&) = default;
    /// Compares with a limit that it is for.
    void operator()(const Comparison& at, const LimitId& limit) const {
        if (is_for_tres_)
            tres_(at, *std::get_if<TresLimit>(&limit));
        else
            count_(at, *std::get_if<CountLimit>(&limit));
    }

  private:
    void (*tres_)(const Comparison&, TresLimit) = nullptr;
    void (*count_)(const Comparison&, CountLimit) = nullptr;
    bool is_for_tres_ = false;
};

/// When a row of the submit stage is looked at (limits/README.md 3.3).
enum class When : std::uint8_t { strict, always };

/// Which associations a row is for.
enum class Levels : std::uint8_t { all, user };

/// Whose LimitFactor multiplies a row's limits.
enum class Scaled : std::uint8_t {
    no,
    by_any_qos,   ///< the first QOS that has one
    by_first_qos, ///< the first QOS alone
};

/// One check of one limit.
struct Row {
    Check check;
    LimitId limit;
    When when = When::always;
    Levels levels = Levels::all;
    /// Limits of a QOS that keep a row of an association from being looked at (limits/README.md 3.2): of TRES
    /// limits those set for the same TRES.
    LimitSet hidden_by = {};
    bool remembers = true; ///< a value found here hides later ones of the same limit
    Scaled scaled = Scaled::no;
    bool nearest_only = false;   ///< node count stage: once it lowers the number, farther ones are hidden
    bool binds_operator = false; ///< also where an operator set the TRES
    const Rule* rule = nullptr;  ///< the releases that look at it; null: all
    /// The limits that it reads: where an owner sets none of them, there is nothing to check.
    LimitSet reads = limit;
    LimitScope usage_of = model::facts_of(limit).scope; ///< whose usage of a QOS it looks at
};

/// Whether each row's check is one for limits like the row's. The loop takes it for granted, so each table
/// says so with a static_assert.
constexpr bool are_well_formed(std::span<const Row> rows) {
    return std::ranges::all_of(rows, [](const Row& row) { return row.check.is_for(row.limit); });
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
    bool restarts_time = false;  ///< what one owner makes of the job's time is not the next one's
    bool limit_by_limit = false; ///< of all QOSs, before the next limit
};

extern const Stage submit_stage;
extern const Stage pre_select_stage;
extern const Stage node_count_stage;
extern const Stage post_select_stage;

} // namespace qg::limits
