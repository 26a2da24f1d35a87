// SPDX-License-Identifier: GPL-2.0-or-later
//
// The comparisons (limits/README.md 1.3), one function each. A check adds every violation it finds; which of
// them Slurm names is the caller's question.
#include "qosgate/limits/evaluation.hpp"

#include "qosgate/limits/reason.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <span>

namespace qg::limits {
namespace {

using model::count_at;
using model::TresCounts;

struct Context {
    Evaluation& evaluation;
    const Row& row;
    const OwnerView& owner;
    std::vector<Violation>& found;

    /// What the job comes to at this stage.
    [[nodiscard]] const TresCounts& counts() const { return *evaluation.counts; }
    /// The TRES of a word that an operator set, where this row honours that.
    [[nodiscard]] std::uint64_t exempt_bits(std::size_t word) const {
        return evaluation.operator_overrides && !row.binds_operator ? evaluation.operator_bits(word) : 0;
    }
    [[nodiscard]] const model::Usage& usage() const {
        switch (row.usage_of) {
        case LimitScope::user: return owner.user_usage;
        case LimitScope::account: return owner.account_usage;
        case LimitScope::job:
        case LimitScope::node:
        case LimitScope::group: break;
        }
        return owner.usage;
    }

    [[gnu::cold]] void add(TresLimit limit, std::size_t tres, std::uint64_t asked, std::uint64_t value,
                           std::uint64_t used, Relation relation) const {
        const auto kind = evaluation.view.tres->kind(tres);
        found.push_back({limit, owner.owner, tres, asked, value, used, relation,
                         reason_of(owner.owner.kind, limit, kind)});
    }
    [[gnu::cold]] void add(CountLimit limit, std::uint64_t asked, std::uint64_t value, std::uint64_t used,
                           Relation relation) const {
        found.push_back({limit, owner.owner, std::nullopt, asked, value, used, relation,
                         reason_of(owner.owner.kind, limit)});
    }

    [[nodiscard]] TresLimit tres_limit() const { return *std::get_if<TresLimit>(&row.limit); }
    [[nodiscard]] CountLimit count_limit() const { return *std::get_if<CountLimit>(&row.limit); }
};

/// Calls `body(tres)` for each bit of a word.
template <typename Body>
void for_each_bit(std::size_t word, std::uint64_t bits, Body body) {
    for (; bits != 0; bits &= bits - 1)
        body(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
}

/// Which TRES a limit is compared for.
enum class Which : std::uint8_t { all, asked_for };

[[gnu::cold]] std::vector<std::uint64_t> scale_limits(std::span<const std::uint64_t> values, double factor) {
    std::vector<std::uint64_t> scaled(values.size());
    std::ranges::transform(values, scaled.begin(),
                           [factor](std::uint64_t value) { return scale_limit(value, factor); });
    return scaled;
}

/// Calls `body(tres, limit value)` for every TRES whose limit counts here. No maximum is exceeded by a TRES
/// that the job does not ask for.
template <typename Body>
void for_each_limit(const Context& at, Which which, Body body) {
    auto values = at.owner.limits.values(at.tres_limit());
    std::vector<std::uint64_t> scaled;
    if (const auto factor = at.evaluation.factor_of(at.row)) values = scaled = scale_limits(values, *factor);
    for (std::size_t word = 0; word < at.evaluation.met.words(); ++word) {
        std::uint64_t bits = at.evaluation.take_bits(at.row, at.owner, word) & ~at.exempt_bits(word);
        if (which == Which::asked_for) bits &= at.evaluation.asked_bits(word);
        for_each_bit(word, bits, [&](std::size_t tres) { body(tres, values[tres]); });
    }
}

/// Calls `body(tres, limit value, count)` likewise, for the TRES that the job asks for.
template <typename Body>
void for_each_asked(const Context& at, Body body) {
    const std::span counts = at.counts();
    for_each_limit(at, Which::asked_for,
                   [&](std::size_t tres, std::uint64_t limit) { body(tres, limit, counts[tres]); });
}

/// How many nodes the job counts as having.
std::uint64_t count_nodes(const Context& at) {
    const auto node = at.evaluation.view.tres->node();
    return node ? std::max<std::uint64_t>(count_at(at.counts(), *node), 1) : 1;
}

void check_request_alone(const Context& at) {
    for_each_asked(at, [&](std::size_t tres, std::uint64_t limit, std::uint64_t count) {
        if (count > limit) at.add(at.tres_limit(), tres, count, limit, 0, Relation::asked_too_much);
    });
}

void check_grp_and_user(const Context& at) {
    using enum TresLimit;
    Evaluation& evaluation = at.evaluation;
    const model::Limits& limits = at.owner.limits;
    const auto of_user = limits.values(max_tres_per_user);
    const auto of_group = limits.values(grp_tres);
    const bool apart = evaluation.release.follows(rules::grp_and_user_apart);
    for (std::size_t word = 0; word < evaluation.met.words(); ++word) {
        const std::uint64_t grp_met = evaluation.met.bits(grp_tres, word);
        const std::uint64_t user_met = evaluation.met.bits(max_tres_per_user, word);
        const std::uint64_t either_met = grp_met | user_met;
        const std::uint64_t grp = limits.set_bits(grp_tres, word) & ~(apart ? grp_met : either_met);
        const std::uint64_t user =
            limits.set_bits(max_tres_per_user, word) & ~(apart ? user_met : either_met);
        evaluation.met.add_bits(grp_tres, word, grp);
        evaluation.met.add_bits(max_tres_per_user, word, user);

        for_each_bit(word, (grp | user) & evaluation.asked_bits(word), [&](std::size_t tres) {
            const auto is_in = [tres](std::uint64_t bits) { return (bits >> (tres % 64) & 1u) != 0; };
            const std::uint64_t count = at.counts()[tres];
            if (is_in(user) && count > of_user[tres])
                at.add(max_tres_per_user, tres, count, of_user[tres], 0, Relation::asked_too_much);
            if (is_in(grp) && count > of_group[tres]) {
                at.add(grp_tres, tres, count, of_group[tres], 0, Relation::asked_too_much);
                const auto own_user = limits.get(max_tres_per_user, tres);
                // Slurm names MaxTRESPerUser of the same QOS where that is exceeded too, even if it is hidden
                // here.
                if (own_user && count > *own_user)
                    at.found.back().reason =
                        reason_of(OwnerKind::qos, max_tres_per_user, evaluation.view.tres->kind(tres));
            }
        });
    }
}

void check_per_node(const Context& at) {
    const std::uint64_t nodes = count_nodes(at);
    for_each_asked(at, [&](std::size_t tres, std::uint64_t limit, std::uint64_t of_all_nodes) {
        if (of_all_nodes <= limit) return;
        const std::uint64_t count = of_all_nodes / nodes;
        if (count > limit) at.add(at.tres_limit(), tres, count, limit, 0, Relation::asked_too_much);
    });
}

void check_minimum(const Context& at) {
    const TresCounts& counts = at.counts();
    for_each_limit(at, Which::all, [&](std::size_t tres, std::uint64_t limit) {
        const std::uint64_t count = count_at(counts, tres);
        if (count < limit) at.add(at.tres_limit(), tres, count, limit, 0, Relation::asked_too_little);
    });
}

/// limits/README.md 5.1: gives a job without a time limit this one, trims one that a limit gave, and tells
/// whether the job's time fits.
bool fit_time(Evaluation& evaluation, std::uint32_t limit) {
    if (!evaluation.time) {
        // A limit of zero stands for the partition's MaxTime in this place.
        evaluation.time = limit == 0 ? evaluation.partition_max_time : TimeLimit{limit};
        evaluation.time_set_by_limit = true;
    } else if (evaluation.time_set_by_limit && evaluation.time->minutes > limit) {
        evaluation.time->minutes = limit;
    }
    return evaluation.time->minutes <= limit;
}

/// The number slurmctld computes with where a job has no time limit (limits/README.md 5.2).
constexpr std::uint32_t no_time_minutes = TimeLimit::unlimited_minutes - 1;

std::uint32_t time_or_none(const Evaluation& evaluation) {
    return evaluation.time ? evaluation.time->minutes : no_time_minutes;
}

/// Whether the job has a time that never ends, or none at all.
bool is_endless(const Evaluation& evaluation) {
    return !evaluation.time || evaluation.time->is_unlimited();
}

/// Adds a violation whose `asked` is a count times a time.
[[gnu::cold]] void add_minutes(const Context& at, std::size_t tres, ScaledTime time, std::uint64_t limit,
                               std::uint64_t used, Relation relation) {
    const std::uint64_t count = at.counts()[tres];
    at.add(at.tres_limit(), tres, count * time.minutes, limit, used, relation);
    Violation& added = at.found.back();
    added.times_scaled = time.times;
    added.asked_unscaled = count * time_or_none(at.evaluation);
    added.is_endless = is_endless(at.evaluation);
    added.count = count;
}

bool is_association(const Context& at) {
    return at.owner.owner.kind == OwnerKind::association;
}

void check_minutes_or_time(const Context& at) {
    Evaluation& evaluation = at.evaluation;
    if (evaluation.job.is_update && is_association(at)) return;
    const bool has_own_time = evaluation.time && !evaluation.time_set_by_limit;
    const std::uint64_t own_time = has_own_time ? evaluation.time->minutes : 0;
    for_each_asked(at, [&](std::size_t tres, std::uint64_t limit, std::uint64_t count) {
        constexpr std::uint64_t largest = std::numeric_limits<std::uint32_t>::max();
        // The usual case, without a division.
        if (has_own_time && (limit | count) <= largest && count * own_time <= limit) return;
        // slurmctld keeps this quotient in 32 bits (limits/README.md 5.2).
        const auto most_minutes = static_cast<std::uint32_t>(limit / count);
        if (!fit_time(evaluation, most_minutes))
            add_minutes(at, tres, {evaluation.time->minutes}, limit, 0, Relation::asked_too_much);
    });
}

void check_wall_or_time(const Context& at) {
    Evaluation& evaluation = at.evaluation;
    // A change of a job that leaves its time alone leaves walls alone; those of associations it never meets.
    if (evaluation.job.is_update && (is_association(at) || !evaluation.time)) return;
    // limits/README.md 5.2: unless strict, an association's wall matters only to a job without a time limit.
    if (is_association(at) && !evaluation.strict && evaluation.time) return;
    const auto limit = evaluation.take(at.row, at.owner);
    if (!limit) return;
    const bool fits = fit_time(evaluation, static_cast<std::uint32_t>(*limit));
    if (!fits && (evaluation.strict || is_association(at)))
        at.add(at.count_limit(), evaluation.time->minutes, *limit, 0, Relation::asked_too_much);
}

void check_submit_count(const Context& at) {
    const auto limit = at.evaluation.take(at.row, at.owner);
    if (!limit) return;
    const std::uint64_t used = at.usage().submit_jobs;
    const std::uint64_t asked = at.evaluation.job.array_tasks;
    if (used + asked > *limit)
        at.add(at.count_limit(), asked, *limit, used,
               asked > *limit ? Relation::asked_too_much : Relation::not_enough_left);
}

/// Slurm multiplies a time by UsageFactor in floating point and cuts it; UNLIMITED grows no further.
std::uint32_t scale_time(std::uint32_t minutes, double factor) {
    const bool is_unlimited = minutes == TimeLimit::unlimited_minutes;
    if (is_unlimited && factor >= 1.0) return minutes;
    // What does not fit into 32 bits loses its upper ones there.
    constexpr double too_large = 0x1p63;
    const double scaled = static_cast<double>(minutes) * factor;
    return scaled < too_large ? static_cast<std::uint32_t>(saturate(scaled)) : 0;
}

/// The job's time as the pre-select stage sees it. UsageFactorSafe multiplies it before each wall limit of a
/// QOS anew, so a QOS with both GrpWall and MaxWall applies the factor twice; the next QOS, and each wall of
/// an association, starts with the job's own time.
ScaledTime pre_select_time(const Context& at) {
    Evaluation& evaluation = at.evaluation;
    ScaledTime time{time_or_none(evaluation)};
    if (!evaluation.job_qos_scales_time || !evaluation.time) return time;
    if (evaluation.time_of_owner && !is_association(at)) time = *evaluation.time_of_owner;
    time = {scale_time(time.minutes, evaluation.usage_factor), time.times + 1};
    evaluation.time_of_owner = time;
    return time;
}

/// Adds a violation whose `asked` is such a time.
[[gnu::cold]] void add_wall(const Context& at, ScaledTime asked, std::uint64_t limit, std::uint64_t used,
                            Relation relation) {
    at.add(at.count_limit(), asked.minutes, limit, used, relation);
    at.found.back().times_scaled = asked.times;
    at.found.back().asked_unscaled = time_or_none(at.evaluation);
}

void check_running_count(const Context& at) {
    const auto limit = at.evaluation.take(at.row, at.owner);
    if (!limit) return;
    const std::uint64_t used = at.usage().jobs;
    if (used >= *limit)
        at.add(at.count_limit(), 1, *limit, used, *limit == 0 ? Relation::asked_too_much : Relation::used_up);
}

/// Before its walls are looked at, a time that a limit gave follows the walls of this owner, and a job
/// without one gets theirs.
void check_wall_time(const Context& at) {
    Evaluation& evaluation = at.evaluation;
    if (evaluation.job.operator_set_time || (evaluation.time && !evaluation.time_set_by_limit)) return;
    const auto limit = evaluation.peek(at.row, at.owner);
    if (limit) fit_time(evaluation, static_cast<std::uint32_t>(*limit));
}

/// How minutes relate to those `used` by jobs in the past, where the limit leaves too few. What running jobs
/// may still use is left aside: it comes back as far as they end early.
Relation relate_to_past(const Context& at, std::uint64_t asked, std::uint64_t limit, std::uint64_t used) {
    const bool safe = at.evaluation.view.enforce.safe;
    const bool is_used_up = used >= limit;
    if (limit == 0 || (safe && !is_used_up && asked > limit)) return Relation::asked_too_much;
    if (at.owner.usage_lasts && (is_used_up || asked > limit - used)) return Relation::used_for_good;
    return is_used_up ? Relation::used_up : Relation::not_enough_left;
}

void check_wall_used(const Context& at) {
    if (at.evaluation.job.operator_set_time) return;
    const auto limit = at.evaluation.take(at.row, at.owner);
    if (!limit) return;
    const ScaledTime asked = pre_select_time(at);
    const auto used = static_cast<std::uint32_t>(at.usage().wall_minutes);
    const bool safe = at.evaluation.view.enforce.safe;
    // A 32-bit sum in slurmctld: UNLIMITED wraps when some wall is used already (limits/README.md 5.2).
    if (used >= *limit || (safe && static_cast<std::uint32_t>(used + asked.minutes) > *limit))
        add_wall(at, asked, *limit, used, relate_to_past(at, asked.minutes, *limit, used));
}

void check_wall_asked(const Context& at) {
    if (at.evaluation.job.operator_set_time) return;
    const auto limit = at.evaluation.take(at.row, at.owner);
    if (!limit) return;
    const ScaledTime asked = pre_select_time(at);
    if (asked.minutes > *limit) add_wall(at, asked, *limit, 0, Relation::asked_too_much);
}

void check_with_usage(const Context& at) {
    const TresCounts& all_used = at.usage().tres;
    for_each_asked(at, [&](std::size_t tres, std::uint64_t limit, std::uint64_t count) {
        const std::uint64_t used = count_at(all_used, tres);
        if (count > limit)
            at.add(at.tres_limit(), tres, count, limit, used, Relation::asked_too_much);
        else if (used + count > limit) {
            at.add(at.tres_limit(), tres, count, limit, used, Relation::not_enough_left);
            at.found.back().may_overlap = at.evaluation.view.tres->node() == tres;
        }
    });
}

/// The job's time as the post-select stage multiplies it.
ScaledTime post_select_time(const Context& at) {
    const Evaluation& evaluation = at.evaluation;
    const std::uint32_t minutes = time_or_none(evaluation);
    return evaluation.job_qos_scales_time ? ScaledTime{scale_time(minutes, evaluation.usage_factor), 1}
                                          : ScaledTime{minutes};
}

/// A job under a QOS with UsageFactor 0 is charged nothing, so minutes used by others do not count against
/// it, except those of the user alone (limits/README.md 5.3).
bool counts_minutes(const Context& at) {
    return at.evaluation.usage_factor != 0.0 || at.row.usage_of == LimitScope::user;
}

void check_minutes_used(const Context& at) {
    const bool safe = at.evaluation.view.enforce.safe;
    const ScaledTime time = post_select_time(at);
    const bool counts = counts_minutes(at);
    for_each_asked(at, [&](std::size_t tres, std::uint64_t limit, std::uint64_t count) {
        const std::uint64_t used = counts ? count_at(at.usage().tres_minutes, tres) : 0;
        const std::uint64_t committed = counts ? count_at(at.usage().tres_run_minutes, tres) : 0;
        const std::uint64_t minutes = count * time.minutes;
        if (minutes == 0) return;
        const bool is_used_up = used >= limit;
        if (!is_used_up && !(safe && (minutes > limit || minutes + committed > limit - used))) return;
        const Relation relation = relate_to_past(at, minutes, limit, used);
        const bool counts_running = !is_used_up && relation != Relation::used_for_good;
        add_minutes(at, tres, time, limit, counts_running ? used + committed : used, relation);
    });
}

void check_minutes_committed(const Context& at) {
    const ScaledTime time = post_select_time(at);
    const bool counts = counts_minutes(at);
    for_each_asked(at, [&](std::size_t tres, std::uint64_t limit, std::uint64_t count) {
        const std::uint64_t committed = counts ? count_at(at.usage().tres_run_minutes, tres) : 0;
        const std::uint64_t minutes = count * time.minutes;
        if (minutes == 0) return;
        if (minutes > limit)
            add_minutes(at, tres, time, limit, committed, Relation::asked_too_much);
        else if (minutes + committed > limit)
            add_minutes(at, tres, time, limit, committed, Relation::not_enough_left);
    });
}

void check_minutes_of_job(const Context& at) {
    const ScaledTime time = post_select_time(at);
    for_each_asked(at, [&](std::size_t tres, std::uint64_t limit, std::uint64_t count) {
        if (count * time.minutes > limit) add_minutes(at, tres, time, limit, 0, Relation::asked_too_much);
    });
}

using CheckFunction = void (*)(const Context&);

/// In the order of Check.
constexpr CheckFunction functions[] = {
    check_request_alone,   check_grp_and_user,      check_per_node,       check_minimum,
    check_minutes_or_time, check_wall_or_time,      check_submit_count,   check_running_count,
    check_wall_time,       check_wall_used,         check_wall_asked,     check_with_usage,
    check_minutes_used,    check_minutes_committed, check_minutes_of_job,
};
static_assert(std::size(functions) == static_cast<std::size_t>(Check::minutes_of_job) + 1);

} // namespace

void run_check(Evaluation& evaluation, const Row& row, const OwnerView& owner,
               std::vector<Violation>& found) {
    functions[static_cast<std::size_t>(row.check)]({evaluation, row, owner, found});
}

} // namespace qg::limits
