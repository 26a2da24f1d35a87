// SPDX-License-Identifier: GPL-2.0-or-later
//
// Checks of what the job asks for, TRES by TRES.
#include "qosgate/limits/checks.hpp"
#include "qosgate/limits/comparison.hpp"
#include "qosgate/limits/reason.hpp"

#include <algorithm>
#include <limits>

namespace qg::limits::checks::functions {
namespace {

using model::count_at;
using model::TresCounts;

/// The node count that applies to the job.
std::uint64_t count_nodes(const Comparison& at) {
    const auto node = at.evaluation.view.tres->node();
    return node ? std::max<std::uint64_t>(count_at(at.counts(), *node), 1) : 1;
}

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

} // namespace

void request_alone(const Comparison& at, TresLimit limit) {
    for_each_asked(at, limit, [&](std::size_t tres, std::uint64_t value, std::uint64_t count) {
        if (count > value) at.add(limit, tres, count, value, 0, Relation::asked_too_much);
    });
}

void grp_and_user(const Comparison& at, TresLimit) {
    using enum TresLimit;
    Evaluation& evaluation = at.evaluation;
    const model::Limits& limits = at.owner.limits;
    const auto of_user = limits.values(max_tres_per_user);
    const auto of_group = limits.values(grp_tres);
    const bool apart = evaluation.release.follows(rules::grp_and_user_apart);
    for (std::size_t word = 0; word < evaluation.applied.words(); ++word) {
        const std::uint64_t grp_applied = evaluation.applied.bits(grp_tres, word);
        const std::uint64_t user_applied = evaluation.applied.bits(max_tres_per_user, word);
        const std::uint64_t either_applied = grp_applied | user_applied;
        const std::uint64_t grp = limits.set_bits(grp_tres, word) & ~(apart ? grp_applied : either_applied);
        const std::uint64_t user =
            limits.set_bits(max_tres_per_user, word) & ~(apart ? user_applied : either_applied);
        evaluation.applied.add_bits(grp_tres, word, grp);
        evaluation.applied.add_bits(max_tres_per_user, word, user);

        for_each_bit(word, (grp | user) & evaluation.asked_bits(word), [&](std::size_t tres) {
            const auto is_in = [tres](std::uint64_t bits) { return (bits >> (tres % 64) & 1u) != 0; };
            const std::uint64_t count = at.counts()[tres];
            if (is_in(user) && count > of_user[tres])
                at.add(max_tres_per_user, tres, count, of_user[tres], 0, Relation::asked_too_much);
            if (is_in(grp) && count > of_group[tres]) {
                at.add(grp_tres, tres, count, of_group[tres], 0, Relation::asked_too_much);
                const auto own_user = limits.get(max_tres_per_user, tres);
                // If MaxTRESPerUser of the same QOS is exceeded too, Slurm names that limit, even if another
                // limit hides it here. If it is not hidden, it is the first that was added.
                if (!is_in(user) && own_user && count > *own_user)
                    at.found.back().reason =
                        reason_of(OwnerKind::qos, max_tres_per_user, evaluation.view.tres->kind(tres));
            }
        });
    }
}

void per_node(const Comparison& at, TresLimit limit) {
    const std::uint64_t nodes = count_nodes(at);
    for_each_asked(at, limit, [&](std::size_t tres, std::uint64_t value, std::uint64_t of_all_nodes) {
        if (of_all_nodes <= value) return;
        const std::uint64_t count = of_all_nodes / nodes;
        if (count > value) at.add(limit, tres, count, value, 0, Relation::asked_too_much);
    });
}

void minimum(const Comparison& at, TresLimit limit) {
    const TresCounts& counts = at.counts();
    for_each_limit(at, limit, Which::all, [&](std::size_t tres, std::uint64_t value) {
        const std::uint64_t count = count_at(counts, tres);
        if (count < value) at.add(limit, tres, count, value, 0, Relation::asked_too_little);
    });
}

void with_usage(const Comparison& at, TresLimit limit) {
    const TresCounts& all_used = at.usage().tres;
    for_each_asked(at, limit, [&](std::size_t tres, std::uint64_t value, std::uint64_t count) {
        const std::uint64_t used = count_at(all_used, tres);
        if (count > value)
            at.add(limit, tres, count, value, used, Relation::asked_too_much);
        else if (used + count > value) {
            at.add(limit, tres, count, value, used, Relation::not_enough_left);
            at.found.back().may_overlap = at.evaluation.view.tres->node() == tres;
        }
    });
}

void fewest_nodes(const Comparison& at, TresLimit limit) {
    Evaluation& evaluation = at.evaluation;
    const auto node = evaluation.view.tres->node();
    if (!node) return;
    const std::size_t word = *node / 64;
    const std::uint64_t bit = std::uint64_t{1} << (*node % 64);
    if ((evaluation.take_bits(at.row, at.owner, word) & bit) == 0) return;
    std::uint64_t value = at.owner.limits.values(limit)[*node];
    if (const auto factor = evaluation.factor_of(at.row)) value = scale_limit(value, *factor);
    const std::uint64_t lowest = at.found.empty() ? no_limit : at.found.front().limit_value;
    if (value >= lowest) return;
    if (at.row.nearest_only) evaluation.applied.add_bits(limit, word, bit);
    at.found.clear();
    at.add(limit, *node, count_at(at.counts(), *node), value, 0, Relation::asked_too_much);
}

} // namespace qg::limits::checks::functions
