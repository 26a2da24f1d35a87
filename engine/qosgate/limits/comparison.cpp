// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/comparison.hpp"

#include "qosgate/limits/reason.hpp"

#include <algorithm>

namespace qg::limits {

void Comparison::add(TresLimit limit, std::size_t tres, std::uint64_t asked, std::uint64_t value,
                     std::uint64_t used, Relation relation) const {
    const auto kind = evaluation.view.tres->kind(tres);
    found.push_back(
        {limit, owner.owner, tres, asked, value, used, relation, reason_of(owner.owner.kind, limit, kind)});
}

void Comparison::add(CountLimit limit, std::uint64_t asked, std::uint64_t value, std::uint64_t used,
                     Relation relation) const {
    found.push_back(
        {limit, owner.owner, std::nullopt, asked, value, used, relation, reason_of(owner.owner.kind, limit)});
}

std::vector<std::uint64_t> scale_limits(std::span<const std::uint64_t> values, double factor) {
    std::vector<std::uint64_t> scaled(values.size());
    std::ranges::transform(values, scaled.begin(),
                           [factor](std::uint64_t value) { return scale_limit(value, factor); });
    return scaled;
}

Relation relate_to_past(const Comparison& at, std::uint64_t asked, std::uint64_t limit, std::uint64_t used) {
    const bool safe = at.evaluation.view.enforce.safe;
    const bool is_used_up = used >= limit;
    if (limit == 0 || (safe && !is_used_up && asked > limit)) return Relation::asked_too_much;
    if (at.owner.usage_lasts && (is_used_up || asked > limit - used)) return Relation::used_for_good;
    return is_used_up ? Relation::used_up : Relation::not_enough_left;
}

} // namespace qg::limits
