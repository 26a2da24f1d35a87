// SPDX-License-Identifier: GPL-2.0-or-later
//
// The checks of lint that look at QOSs alone, or at their flags.
#include "qosgate/base/saturate.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/limits/set_limit.hpp"
#include "qosgate/model/preempt_loops.hpp"
#include "qosgate/model/qos_flag_name.hpp"
#include "qosgate/report/lint_checks.hpp"

#include <algorithm>
#include <map>

namespace qg::report {

namespace {

using model::LimitMeasure;
using model::LimitScope;
using model::LimitSense;
using model::QosRecord;

/// How many jobs a scope counts together: a part of a job, a job, some jobs, all.
int rank_of(LimitScope scope) {
    switch (scope) {
    case LimitScope::node: return 0;
    case LimitScope::job: return 1;
    case LimitScope::user:
    case LimitScope::account: return 2;
    case LimitScope::group: break;
    }
    return 3;
}

/// Whether a zero of this TRES may be meant: "no GPUs".
bool may_be_zero(const SetLimit& limit) {
    return !limit.tres.empty() && !limits::meets_every_job(model::kind_of(limit.tres));
}

bool has_partition(const LintInput& input, bool (*is_meant)(const model::Partition&)) {
    return std::ranges::any_of(input.partitions, is_meant);
}

/// A flag, and whether it can change anything.
struct FlagUse {
    model::QosFlagName flag;
    bool (*has_effect)(const LintInput& input, const QosRecord& qos);
    std::string_view why; ///< it has none
};

constexpr FlagUse flag_uses[] = {
    {"NoReserve",
     [](const LintInput& input, const QosRecord&) {
         return input.settings.scheduler_type == "sched/backfill";
     },
     "SchedulerType is not sched/backfill, and only that reserves nodes"},
    {"UsageFactorSafe", [](const LintInput&, const QosRecord& qos) { return qos.usage_factor != 1.0; },
     "its UsageFactor is 1"},
    {"UsageFactorSafe",
     [](const LintInput& input, const QosRecord& qos) {
         return input.settings.enforce.safe || qos.usage_factor == 1.0; // the row above tells that
     },
     "AccountingStorageEnforce does not have 'safe'"},
    {"EnforceUsageThreshold",
     [](const LintInput&, const QosRecord& qos) { return qos.usage_threshold.has_value(); },
     "it has no UsageThreshold"},
    {"NoDecay",
     [](const LintInput& input, const QosRecord& qos) {
         return !input.settings.usage_lasts && std::ranges::any_of(limits_of(qos), [](const SetLimit& limit) {
             return limit.facts->counts_the_past();
         });
     },
     "it has neither GrpTRESMins nor GrpWall, or usage does not decay on this cluster"},
    {"OverPartQOS",
     [](const LintInput& input, const QosRecord& qos) {
         return !limits_of(qos).empty() && std::ranges::any_of(input.partitions, [&](const auto& partition) {
             return !partition.qos.empty() && !is_qos_of(partition, qos.name) && admits(partition, qos.name);
         });
     },
     "it has no limits, or no partition that it may use has another QOS"},
    {"PartitionTimeLimit",
     [](const LintInput& input, const QosRecord&) {
         return has_partition(input, [](const auto& each) { return !each.max_time.is_unlimited(); });
     },
     "no partition has a MaxTime"},
    {"PartitionMaxNodes",
     [](const LintInput& input, const QosRecord&) {
         return has_partition(input, [](const auto& each) { return each.max_nodes.has_value(); });
     },
     "no partition has MaxNodes"},
    {"PartitionMinNodes",
     [](const LintInput& input, const QosRecord&) {
         return has_partition(input, [](const auto& each) { return each.min_nodes > 1; });
     },
     "no partition has MinNodes above 1"},
};

/// The QOSs whose limits replace those of `qos` in some partition: the QOSs of partitions, and with
/// OverPartQOS those of jobs.
std::vector<const QosRecord*> find_replacing(const LintInput& input, const QosRecord& qos) {
    constexpr model::QosFlagName over_partition = "OverPartQOS";
    std::vector<const QosRecord*> replacing;
    for (const model::Partition& partition : input.partitions) {
        if (!model::has_flag(qos, over_partition) && !is_qos_of(partition, qos.name) &&
            may_be_used_in(input, qos.name, partition))
            if (const QosRecord* other = find_qos(input, partition.qos)) replacing.push_back(other);
        if (!is_qos_of(partition, qos.name)) continue;
        for (const QosRecord& other : input.qos)
            if (&other != &qos && model::has_flag(other, over_partition) &&
                may_be_used_in(input, other.name, partition))
                replacing.push_back(&other);
    }
    return replacing;
}

/// Whether `inner` may count where the limits of `other` replace those of its QOS: that of `outer` is higher
/// there.
bool may_count_beside(const QosRecord& other, const SetLimit& inner, const SetLimit& outer) {
    const auto limits = limits_of(other);
    const SetLimit* replaced = find_limit(limits, outer);
    return replaced != nullptr && replaced->value >= inner.value && find_limit(limits, inner) == nullptr;
}

} // namespace

bool is_part_of(const model::LimitFacts& inner, const model::LimitFacts& outer) {
    if (inner.sense != LimitSense::maximum || outer.sense != LimitSense::maximum) return false;
    if (inner.counts_the_past() || outer.counts_the_past()) return false;
    const bool is_smaller = rank_of(inner.scope) < rank_of(outer.scope);
    if (inner.measure == LimitMeasure::running_jobs && outer.measure == LimitMeasure::submitted_jobs)
        return is_smaller || inner.scope == outer.scope;
    return inner.measure == outer.measure && is_smaller;
}

bool is_past_never_used_up(const LintInput& input, const model::QosRecord& qos) {
    // Jobs that a partition's QOS counts have the UsageFactor of their own.
    const auto has_it = [&](const model::Partition& each) { return is_qos_of(each, qos.name); };
    return qos.usage_factor == 0 && std::ranges::none_of(input.partitions, has_it);
}

bool is_tracked(const LintInput& input, std::string_view tres) {
    return std::ranges::any_of(input.settings.tres,
                               [&](const std::string& other) { return text::iequals(other, tres); });
}

bool allows_nothing(const SetLimit& limit) {
    return limit.value == 0 && limit.facts->sense == LimitSense::maximum && !may_be_zero(limit);
}

std::vector<TypedGap> typed_gaps_of(const std::vector<SetLimit>& limits) {
    std::map<std::pair<const model::LimitFacts*, std::string_view>, TypedGap> gaps;
    for (const SetLimit& limit : limits) {
        const auto untyped = limits::passed_by_untyped(*limit.facts, limit.tres, [&](std::string_view tres) {
            return find_limit(limits, {.facts = limit.facts, .tres = std::string(tres)}) != nullptr;
        });
        if (untyped.empty()) continue;
        TypedGap& gap = gaps[{limit.facts, untyped}];
        gap.limits.push_back(limit.text());
        gap.all.facts = limit.facts;
        gap.all.tres = untyped;
        gap.all.value = saturated_sum(gap.all.value, limit.value);
    }
    std::vector<TypedGap> all;
    for (auto& [key, gap] : gaps)
        all.push_back(std::move(gap));
    return all;
}

std::string TypedGap::text() const {
    return text::format("jobs that name no type pass {}: slurmctld counts --gres={}:1 for {} alone",
                        text::list_names(limits), all.tres.substr(all.tres.find('/') + 1), all.tres);
}

std::string TypedGap::advice() const {
    return all.value == 0 ? "let the rule gpu-type.lua ask for the type"
                          : "let the rule gpu-type.lua ask for the type, or limit all types together";
}

namespace lint {

void limit_never_binds(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        const auto limits = limits_of(qos);
        const auto replacing = find_replacing(input, qos);
        for (const SetLimit& inner : limits) {
            const auto is_lower = [&](const SetLimit& outer) {
                return outer.tres == inner.tres && is_part_of(*inner.facts, *outer.facts) &&
                       outer.value < inner.value && !allows_nothing(outer) &&
                       std::ranges::none_of(replacing, [&](const QosRecord* other) {
                           return may_count_beside(*other, inner, outer);
                       });
            };
            const SetLimit* lowest = nullptr;
            for (const SetLimit& outer : limits)
                if (is_lower(outer) && (lowest == nullptr || outer.value < lowest->value)) lowest = &outer;
            if (lowest == nullptr) continue;
            findings.change(qos, text::format("{} never counts: {} is lower", inner.text(), lowest->text()),
                            inner.unset_text());
        }
    }
}

void zero_limit(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos)
        for (const SetLimit& limit : limits_of(qos))
            if (allows_nothing(limit))
                findings.advise(
                    qos,
                    text::format("{} allows no job: zero is a limit; unlimited is a limit that is not "
                                 "set",
                                 limit.text()),
                    "if jobs are meant to be let in, unset it", limit.unset_text());
}

void typed_limit_alone(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos)
        for (const TypedGap& gap : typed_gaps_of(limits_of(qos)))
            findings.advise(qos, gap.text(), gap.advice(), gap.assignment());
}

void minimum_above_maximum(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        const auto limits = limits_of(qos);
        for (const SetLimit& minimum : limits) {
            if (minimum.facts->sense != LimitSense::minimum) continue;
            const auto is_below = [&](const SetLimit& other) {
                return other.facts->sense == LimitSense::maximum && other.tres == minimum.tres &&
                       other.facts->measure == LimitMeasure::tres && other.facts->scope != LimitScope::node &&
                       other.value < minimum.value;
            };
            const auto maximum = std::ranges::find_if(limits, is_below);
            if (maximum == limits.end()) continue;
            findings.advise(
                qos,
                text::format("no job can meet {} and {}: {}", minimum.text(), maximum->text(),
                             model::has_flag(qos, "DenyOnLimit") ? "all are refused" : "all wait for ever"),
                text::format("lower {}, or raise {}: decide which is meant", minimum.text(),
                             maximum->text()));
        }
    }
}

void preemption_loop(const LintInput& input, Findings& findings) {
    model::PreemptMap steps;
    std::map<std::string_view, const QosRecord*> by_name;
    for (const QosRecord& qos : input.qos) {
        steps.emplace(qos.name, qos.preempt);
        by_name.emplace(qos.name, &qos);
    }
    for (std::vector<std::string>& way : model::find_new_loops({}, steps)) {
        const std::string first = way.front();
        way.push_back(first);
        findings.change(*by_name.at(first),
                        text::format("QOSs may preempt each other in a circle: {}", text::list_names(way)),
                        "Preempt-=" + way[1]);
    }
}

void flag_without_effect(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos)
        for (const FlagUse& use : flag_uses)
            if (model::has_flag(qos, use.flag) && !use.has_effect(input, qos))
                findings.change(qos, text::format("the flag {} changes nothing: {}", use.flag.text, use.why),
                                text::format("Flags-={}", use.flag.text));
}

void threshold_without_flag(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos)
        if (qos.usage_threshold && !model::has_flag(qos, "EnforceUsageThreshold"))
            findings.change(qos, "UsageThreshold counts only with the flag EnforceUsageThreshold",
                            "UsageThreshold=unset");
}

void past_never_used_up(const LintInput& input, Findings& findings) {
    for (const QosRecord& qos : input.qos) {
        if (!is_past_never_used_up(input, qos)) continue;
        for (const SetLimit& limit : limits_of(qos))
            if (limit.facts->counts_the_past())
                findings.advise(qos, text::format("UsageFactor is 0, so {} is never used up", limit.text()),
                                "set UsageFactor above 0, or unset the limit", limit.unset_text());
    }
}

} // namespace lint
} // namespace qg::report
