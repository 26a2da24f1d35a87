// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/rule_view.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace qg::policy {
namespace {

using model::LimitFacts;
using model::LimitMeasure;

void lower(std::optional<std::uint64_t>& left, std::optional<std::uint64_t> limit, std::uint64_t used) {
    if (!limit) return;
    const std::uint64_t rest = *limit - std::min(*limit, used);
    left = std::min(left.value_or(rest), rest);
}

/// The counts of TRES that a limit lowers, and the usage that is taken from it.
struct TresAmounts {
    QosHeadroom::Counts QosHeadroom::*left;
    model::TresCounts model::Usage::*used;
    model::TresCounts model::Usage::*also_used = nullptr;
};

TresAmounts amounts_of(LimitMeasure measure, bool enforces_safe) noexcept {
    switch (measure) {
    case LimitMeasure::tres_minutes:
        return {&QosHeadroom::tres_minutes, &model::Usage::tres_minutes,
                enforces_safe ? &model::Usage::tres_run_minutes : nullptr};
    case LimitMeasure::tres_run_minutes:
        return {&QosHeadroom::tres_run_minutes, &model::Usage::tres_run_minutes};
    case LimitMeasure::tres:
    case LimitMeasure::running_jobs: // limits without TRES do not come here
    case LimitMeasure::submitted_jobs:
    case LimitMeasure::wall: break;
    }
    return {&QosHeadroom::tres, &model::Usage::tres};
}

void lower_tres(QosHeadroom& headroom, const model::Qos& qos, const LimitFacts& facts, model::TresLimit limit,
                bool enforces_safe) {
    const TresAmounts amounts = amounts_of(facts.measure, enforces_safe);
    const model::Usage& usage = model::usage_in_scope(qos, facts.scope);
    QosHeadroom::Counts& left = headroom.*amounts.left;
    left.resize(qos.limits.tres_count());
    const auto values = qos.limits.values(limit);
    for (std::size_t first = 0; first < left.size(); first += 64)
        for (auto set = qos.limits.set_bits(limit, first / 64); set != 0; set &= set - 1) {
            const std::size_t tres = first + static_cast<std::size_t>(std::countr_zero(set));
            const std::uint64_t used = model::count_at(usage.*amounts.used, tres);
            const std::uint64_t also =
                amounts.also_used ? model::count_at(usage.*amounts.also_used, tres) : 0;
            lower(left[tres], values[tres], saturated_sum(used, also));
        }
}

void lower_count(QosHeadroom& headroom, const model::Qos& qos, const LimitFacts& facts,
                 model::CountLimit limit) {
    const model::Usage& usage = model::usage_in_scope(qos, facts.scope);
    switch (facts.measure) {
    case LimitMeasure::running_jobs: return lower(headroom.jobs, qos.limits.get(limit), usage.jobs);
    case LimitMeasure::submitted_jobs:
        return lower(headroom.submit_jobs, qos.limits.get(limit), usage.submit_jobs);
    case LimitMeasure::wall: return lower(headroom.wall_minutes, qos.limits.get(limit), usage.wall_minutes);
    case LimitMeasure::tres: // limits per TRES do not come here
    case LimitMeasure::tres_minutes:
    case LimitMeasure::tres_run_minutes: break;
    }
}

/// For each row of limit_facts: the limit, if headroom follows from it, which is one of a QOS that other jobs
/// count against, too; else none.
constexpr auto limits_on_others = [] {
    std::array<model::LimitSet, model::limit_facts.size()> limits{};
    for (std::size_t row = 0; row < limits.size(); ++row)
        if (const LimitFacts& facts = model::limit_facts[row]; facts.is_of_qos() && facts.counts_others())
            limits[row] = facts.limit;
    return limits;
}();

} // namespace

QosHeadroom headroom_of(const model::Qos& qos, bool enforces_safe) {
    QosHeadroom headroom;
    for (std::size_t row = 0; row < limits_on_others.size(); ++row) {
        if (!qos.limits.has_any(limits_on_others[row])) continue;
        const LimitFacts& facts = model::limit_facts[row];
        if (const auto* limit = std::get_if<model::TresLimit>(&facts.limit))
            lower_tres(headroom, qos, facts, *limit, enforces_safe);
        else
            lower_count(headroom, qos, facts, std::get<model::CountLimit>(facts.limit));
    }
    return headroom;
}

std::string describe_wrong_state(std::string_view state) {
    return text::format("view.jobs: state cannot be '{}': write \"pending\" or \"running\"",
                        text::printable(state, 60));
}

} // namespace qg::policy
