// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/rule_view.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>

namespace qg::policy {
namespace {

using model::LimitFacts;
using model::LimitMeasure;

/// The usage that a limit of a QOS is compared with.
const model::Usage& usage_for(const model::Qos& qos, const LimitFacts& facts) noexcept {
    switch (facts.scope) {
    case model::LimitScope::user: return qos.user_usage;
    case model::LimitScope::account: return qos.account_usage;
    case model::LimitScope::group:
    case model::LimitScope::job:
    case model::LimitScope::node: break;
    }
    return qos.usage;
}

void lower(std::optional<std::uint64_t>& left, std::optional<std::uint64_t> limit, std::uint64_t used) {
    if (!limit) return;
    const std::uint64_t rest = *limit - std::min(*limit, used);
    left = std::min(left.value_or(rest), rest);
}

/// The counts of TRES that a limit lowers, and the usage that is taken from it.
struct TresAmounts {
    RoomLeft::Counts RoomLeft::*left;
    model::TresCounts model::Usage::*used;
    model::TresCounts model::Usage::*also_used = nullptr;
};

TresAmounts amounts_of(LimitMeasure measure, bool enforces_safe) noexcept {
    if (measure == LimitMeasure::tres_minutes)
        return {&RoomLeft::tres_minutes, &model::Usage::tres_minutes,
                enforces_safe ? &model::Usage::tres_run_minutes : nullptr};
    if (measure == LimitMeasure::tres_run_minutes)
        return {&RoomLeft::tres_run_minutes, &model::Usage::tres_run_minutes};
    return {&RoomLeft::tres, &model::Usage::tres};
}

void lower_tres(RoomLeft& room, const model::Qos& qos, const LimitFacts& facts, model::TresLimit limit,
                bool enforces_safe) {
    if (!qos.limits.has_any(limit)) return;
    const TresAmounts amounts = amounts_of(facts.measure, enforces_safe);
    const model::Usage& usage = usage_for(qos, facts);
    RoomLeft::Counts& left = room.*amounts.left;
    left.resize(qos.limits.tres_count());
    for (std::size_t tres = 0; tres < left.size(); ++tres) {
        const std::uint64_t used = model::count_at(usage.*amounts.used, tres);
        const std::uint64_t also = amounts.also_used ? model::count_at(usage.*amounts.also_used, tres) : 0;
        lower(left[tres], qos.limits.get(limit, tres), saturated_sum(used, also));
    }
}

void lower_count(RoomLeft& room, const model::Qos& qos, const LimitFacts& facts, model::CountLimit limit) {
    const model::Usage& usage = usage_for(qos, facts);
    if (facts.measure == LimitMeasure::running_jobs)
        lower(room.jobs, qos.limits.get(limit), usage.jobs);
    else if (facts.measure == LimitMeasure::submitted_jobs)
        lower(room.submit_jobs, qos.limits.get(limit), usage.submit_jobs);
    else
        lower(room.wall_minutes, qos.limits.get(limit), usage.wall_minutes);
}

} // namespace

RoomLeft room_left(const model::Qos& qos, bool enforces_safe) {
    RoomLeft room;
    for (const LimitFacts& facts : model::limit_facts) {
        if (!facts.is_of_qos() || !facts.counts_others()) continue;
        if (const auto* limit = std::get_if<model::TresLimit>(&facts.limit))
            lower_tres(room, qos, facts, *limit, enforces_safe);
        else
            lower_count(room, qos, facts, std::get<model::CountLimit>(facts.limit));
    }
    return room;
}

std::string describe_wrong_state(std::string_view state) {
    return text::format("view.jobs: state cannot be '{}': write \"pending\" or \"running\"",
                        text::printable(state, 60));
}

} // namespace qg::policy
