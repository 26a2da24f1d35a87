// SPDX-License-Identifier: GPL-2.0-or-later
//
// How Slurm's order of limit checks is written down: each stage has a table of rows per kind of owner, and
// one loop (evaluation.cpp) runs them. HACKING, Adding things, lists what a new limit needs.
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

/// What a check may compare with a limit, besides the job itself.
struct Compared {
    LimitMeasure measure;     ///< for TRES x minutes it stands for both of the following
    bool with_others = false; ///< the present usage of other jobs
    bool with_past = false;   ///< past usage
    model::LimitSense sense = model::LimitSense::maximum;
};

/// How a row compares: a check of checks.hpp, either for limits per TRES or for the others.
class Check {
  public:
    constexpr Check(void (*compare)(const Comparison&, TresLimit), const Compared& compared) noexcept
        : tres_(compare), is_for_tres_(true), compared_(compared) {}
    constexpr Check(void (*compare)(const Comparison&, CountLimit), const Compared& compared) noexcept
        : count_(compare), compared_(compared) {}

    [[nodiscard]] constexpr const Compared& compared() const noexcept { return compared_; }
    /// Whether the check suits this limit.
    [[nodiscard]] constexpr bool is_for(const LimitId& limit) const noexcept {
        return std::holds_alternative<TresLimit>(limit) == is_for_tres_;
    }
    friend constexpr bool operator==(const Check& a, const Check& b) noexcept {
        return a.tres_ == b.tres_ && a.count_ == b.count_;
    }
    /// Compares with a limit that the check suits.
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
    Compared compared_;
};

/// When a row of the submit stage is used (limits/README.md 3.3).
enum class When : std::uint8_t { strict, always };

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
    /// Limits of a QOS that hide a row of an association (limits/README.md 3.2). TRES limits hide it only for
    /// the same TRES.
    LimitSet overridden_by = {};
    bool hides_later = true; ///< a value found here hides later values of the same limit
    Scaled scaled = Scaled::no;
    bool nearest_only = false; ///< node count stage: once it lowers the number, it hides farther ones
    bool ignores_operator_override = false; ///< also if an operator set the TRES
    const Rule* rule = nullptr;             ///< the releases that use it; null: all
    /// The limits that it reads. If an owner sets none of them, there is nothing to check.
    LimitSet reads = limit;

    /// Whose usage of a QOS it reads.
    [[nodiscard]] constexpr LimitScope usage_of() const noexcept { return model::facts_of(limit).scope; }
    /// Of associations only the users' own are checked (limits/README.md 1.1). For QOSs it means nothing.
    [[nodiscard]] constexpr bool is_of_users_alone() const noexcept {
        return model::facts_of(limit).is_of_users_alone();
    }
};

/// Whether each row's check suits the row's limit. The loop relies on it, so each table asserts it with a
/// static_assert.
constexpr bool are_well_formed(std::span<const Row> rows) {
    return std::ranges::all_of(rows, [](const Row& row) { return row.check.is_for(row.limit); });
}

/// Whether a check compares no more than the facts of a limit say. The fast way for jobs far from all limits
/// knows only the facts (slurm/headroom.hpp).
constexpr bool is_covered(const Compared& compared, const LimitFacts& facts) {
    const bool is_in_minutes =
        compared.measure == LimitMeasure::tres_minutes || compared.measure == LimitMeasure::tres_run_minutes;
    return (compared.measure == facts.measure || (is_in_minutes && facts.counts_tres_minutes())) &&
           (!compared.with_others || facts.counts_others()) &&
           (!compared.with_past || facts.counts_the_past()) && compared.sense == facts.sense;
}
/// The same for all limits that a row reads.
constexpr bool is_row_covered(const Row& row) {
    for (const LimitFacts& facts : model::limit_facts)
        if (row.reads.has_all(facts.limit) && !is_covered(row.check.compared(), facts)) return false;
    return true;
}
constexpr bool are_covered(std::span<const Row> rows) {
    return std::ranges::all_of(rows, is_row_covered);
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
    bool restarts_time = false;  ///< a job's time that one QOS changed does not pass on to the next owner
    bool limit_by_limit = false; ///< compared for all QOSs before the next limit
};

extern const Stage submit_stage;
extern const Stage pre_select_stage;
extern const Stage node_count_stage;
extern const Stage post_select_stage;

} // namespace qg::limits
