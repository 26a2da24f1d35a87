// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/predict/request_fitter.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/gate/partitions/partition_bounds.hpp"
#include "qosgate/gate/predict/fit_resources.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>
#include <map>

namespace qg::gate {
namespace {

using limits::Relation;
using limits::Violation;
using model::LimitMeasure;
using model::LimitScope;
using model::Partition;
using model::TresKind;

/// What the job may ask for. If the limit counts past usage, only the remainder.
std::uint64_t target_of(const Violation& violation) {
    const bool is_too_much_alone =
        violation.relation == Relation::asked_too_much || violation.relation == Relation::asked_too_little;
    if (is_too_much_alone || !model::facts_of(violation.limit).counts_the_past())
        return violation.limit_value;
    return violation.limit_value - std::min(violation.used, violation.limit_value);
}

/// By which factor the job asks for too much or too little.
double factor_of(const Violation& violation) {
    const auto asked = static_cast<double>(violation.asked);
    const auto target = static_cast<double>(target_of(violation));
    return std::max(asked, target) / std::max(std::min(asked, target), 0.5);
}

} // namespace

RequestFitter::Turn RequestFitter::turn_of(const Violation& violation) const {
    if (model::facts_of(violation.limit).is_about_time()) return Turn::time;
    if (!violation.tres) return Turn::amounts;
    const TresKind kind = view_.tres->kind(*violation.tres);
    if (kind == TresKind::node) return Turn::nodes;
    return kind == TresKind::cpu ? Turn::cpus : Turn::amounts;
}

/// A model belongs to the same resource as its gres: "gres/gpu".
std::string_view RequestFitter::resource_of(std::size_t tres) const {
    const std::string_view name = view_.tres->name(tres);
    return name.substr(0, name.find(':'));
}

bool RequestFitter::satisfy(std::span<const Violation> violations) {
    Turn turn = Turn::time;
    for (const Violation& violation : violations)
        turn = std::min(turn, turn_of(violation));
    std::map<std::string_view, const Violation*> strictest;
    bool is_met = true;
    for (const Violation& violation : violations) {
        if (turn_of(violation) != turn) continue;
        if (turn == Turn::time || !violation.tres) {
            is_met = is_met && satisfy_one(violation);
            continue;
        }
        const Violation*& kept = strictest[resource_of(*violation.tres)];
        if (kept == nullptr || factor_of(violation) > factor_of(*kept)) kept = &violation;
    }
    return is_met && std::ranges::all_of(strictest, [&](const auto& of_resource) {
               return satisfy_one(*of_resource.second);
           });
}

bool RequestFitter::satisfy_one(const Violation& violation) {
    switch (model::facts_of(violation.limit).measure) {
    case LimitMeasure::tres: return violation.tres && satisfy_tres(violation, *violation.tres);
    case LimitMeasure::tres_minutes:
    case LimitMeasure::tres_run_minutes:
    case LimitMeasure::wall: return scale_time(violation);
    case LimitMeasure::submitted_jobs:
        return violation.used < violation.limit_value &&
               fit_array(request_, violation.limit_value - violation.used);
    case LimitMeasure::running_jobs: return false;
    }
    return false;
}

bool RequestFitter::satisfy_tres(const Violation& violation, std::size_t tres) {
    const bool is_per_node = model::facts_of(violation.limit).scope == LimitScope::node;
    const std::uint64_t per = is_per_node ? nodes() : 1;
    const Amount amount{violation.asked * per, target_of(violation) * per};
    const TresKind kind = view_.tres->kind(tres);
    if (rules_.takes_whole_nodes && amount.target < amount.asked && !is_per_node &&
        (kind == TresKind::cpu || kind == TresKind::gres))
        return fit_nodes(request_, nodes() * amount.target / amount.asked, cpus_per_node());
    switch (kind) {
    case TresKind::cpu:
        if (request_.tasks_per_tres) return fit_gres(request_, "gres/gpu", amount, nodes());
        return lower_memory_for_cpus(amount) || fit_cpus(request_, amount);
    case TresKind::mem:
        if (request_.memory && request_.memory->mib == 0 && amount.target > amount.asked && amount.asked != 0)
            return raise_nodes(request_, divide_up(amount.target, divide_up(amount.asked, nodes())));
        return fit_memory(request_, amount, nodes());
    case TresKind::gres: return satisfy_gres(amount, tres);
    case TresKind::license: return fit_licenses(request_, view_.tres->name(tres), amount.target);
    case TresKind::node:
        return amount.target < amount.asked ? fit_nodes(request_, amount.target, cpus_per_node())
                                            : raise_nodes(request_, amount.target);
    case TresKind::energy:
    case TresKind::billing:
    case TresKind::bb:
    case TresKind::other: return false;
    }
    return false;
}

bool RequestFitter::spread(const Violation& violation) {
    if (model::facts_of(violation.limit).scope != LimitScope::node || !violation.tres) return false;
    const TresKind kind = view_.tres->kind(*violation.tres);
    const bool is_by_cpu = kind == TresKind::cpu || (kind == TresKind::mem && is_memory_by_cpu());
    const bool is_by_task = kind == TresKind::gres && request_.tres_per_task.has_value();
    if (violation.asked == 0 || (!is_by_cpu && !is_by_task)) return false;
    const auto cpu = view_.tres->find(TresKind::cpu);
    const std::uint64_t cpus = cpu ? model::count_at(job_.tres, *cpu) : 0;
    const double per_node = static_cast<double>(cpus) / static_cast<double>(nodes());
    const double fitting =
        per_node * static_cast<double>(violation.limit_value) / static_cast<double>(violation.asked);
    return spread_tasks(request_, saturate(fitting), max_nodes());
}

/// Whether the memory depends on the number of CPUs.
bool RequestFitter::is_memory_by_cpu() const {
    if (request_.memory) return request_.memory->per_cpu && request_.memory->mib != 0;
    return !request_.memory_per_tres;
}

/// Lowers the memory of a job that asks for no more CPUs than it may have, but gets more for its memory.
bool RequestFitter::lower_memory_for_cpus(Amount cpus) {
    const auto& max = rules_.mib_per_cpu;
    if (!max || !request_.memory || request_.memory->mib <= *max || cpus.target >= cpus.asked) return false;
    const std::uint64_t of_tasks =
        saturated_product(std::max(request_.tasks.value_or(1), 1u), request_.cpus_of_task());
    if (of_tasks > cpus.target) return false;
    const std::uint64_t times = cpus.target / (request_.memory->per_cpu ? of_tasks : nodes());
    const std::uint64_t fitting = saturated_product(*max, times);
    if (fitting == 0 || fitting >= request_.memory->mib) return false;
    request_.memory->mib = fitting;
    return true;
}

/// If even one per node or task is too much, reduces the nodes or tasks.
bool RequestFitter::satisfy_gres(Amount amount, std::size_t tres) {
    const bool leaves_some = amount.target != 0 && amount.target < amount.asked;
    const std::uint64_t max_nodes = request_.max_nodes.value_or(0);
    if (leaves_some && request_.tres_per_node && max_nodes > nodes())
        return fit_nodes(request_, std::max(nodes(), max_nodes * amount.target / amount.asked),
                         cpus_per_node());
    if (leaves_some && (request_.tres_per_node || request_.tres_per_job) && amount.target < nodes())
        return fit_nodes(request_, amount.target, cpus_per_node());
    const std::uint64_t tasks = request_.tasks.value_or(0);
    if (leaves_some && request_.tres_per_task && amount.target < tasks) {
        const std::uint64_t per_task = request_.cpus_of_task();
        return fit_cpus(request_, {tasks * per_task, amount.target * per_task});
    }
    return fit_gres(request_, view_.tres->name(tres), amount, nodes());
}

/// The time that the limit was compared with.
std::optional<TimeLimit> RequestFitter::counted_time(const Violation& violation) const {
    return violation.is_of_time_min ? request_.time_min : time_;
}

/// Reduces the time in proportion: a limit may count minutes of many CPUs, or time scaled by UsageFactor.
bool RequestFitter::scale_time(const Violation& violation) {
    const std::optional<TimeLimit> counted = counted_time(violation);
    const bool is_known = counted && !counted->is_unlimited() && counted->minutes != 0;
    if (is_known) {
        const double minutes = counted->minutes;
        const double fitting = minutes * static_cast<double>(target_of(violation)) /
                               static_cast<double>(std::max<std::uint64_t>(violation.asked, 1));
        // Always at least one minute less, even if rounding gives the same time.
        return shorten_to(std::min<std::uint64_t>(saturate(fitting), counted->minutes - 1));
    }
    return shorten_to(target_of(violation) / std::max<std::uint64_t>(violation.count, 1));
}

bool RequestFitter::shorten_to(std::uint64_t minutes) {
    if (minutes == 0 || minutes >= TimeLimit::unlimited_minutes) return false;
    const TimeLimit limit{static_cast<std::uint32_t>(minutes)};
    if (request_.time_limit && *request_.time_limit <= limit) return is_shortened_;
    request_.time_limit = limit;
    is_shortened_ = true;
    if (request_.time_min && *request_.time_min > limit) request_.time_min = limit;
    return true;
}

bool RequestFitter::fit_into(const Partition& partition) {
    const bool has_time = fit_time_into(partition);
    const bool has_size = fit_size_into(partition);
    return has_time || has_size;
}

bool RequestFitter::fit_time_into(const Partition& partition) {
    if (job_qos_flags(view_).partition_time_limit) return false;
    const bool is_missing = !request_.time_limit && partition.requires_time_limit();
    if (is_missing || (time_ && *time_ > partition.max_time)) return shorten_to(partition.max_time.minutes);
    if (!request_.time_min) return false;
    const TimeLimit max_time = std::min(partition.max_time, time_.value_or(partition.max_time));
    if (*request_.time_min <= max_time) return false;
    request_.time_min = max_time;
    return true;
}

bool RequestFitter::fit_size_into(const Partition& partition) {
    const model::QosFlags flags = job_qos_flags(view_);
    const auto cpu = view_.tres->find(TresKind::cpu);
    const std::uint64_t cpus = cpu ? model::count_at(job_.tres, *cpu) : 0;
    const auto total_cpus = bounds::total_cpus.value_for(partition, flags);
    bool is_changed = total_cpus && cpus > *total_cpus && fit_cpus(request_, {cpus, *total_cpus});

    const std::uint64_t max = cap_nodes(UINT32_MAX, partition, flags);
    if (std::max<std::uint64_t>(nodes(), request_.max_nodes.value_or(0)) > max)
        is_changed = fit_nodes(request_, max, cpus_per_node()) || is_changed;
    const auto min_nodes = bounds::min_nodes.value_for(partition, flags);
    if (min_nodes && request_.min_nodes.value_or(1) < *min_nodes)
        is_changed = raise_nodes(request_, *min_nodes) || is_changed;
    return is_changed;
}

std::uint64_t RequestFitter::nodes() const {
    const auto node = view_.tres->node();
    return std::max<std::uint64_t>(node ? model::count_at(job_.tres, *node) : 1, 1);
}

/// The smallest maximum of nodes per job of the partitions to fit to.
std::uint64_t RequestFitter::max_nodes() const {
    std::uint64_t max = UINT32_MAX;
    for (const std::size_t index : partitions_)
        if (index < view_.partitions.size())
            max = std::min(max, cap_nodes(max, *view_.partitions[index].partition, job_qos_flags(view_)));
    return max;
}

/// The smallest number of CPUs per node of the partitions to fit to, on average; 0 if not known.
std::uint64_t RequestFitter::cpus_per_node() const {
    std::uint64_t fewest = 0;
    for (const std::size_t index : partitions_) {
        if (index >= view_.partitions.size()) continue;
        const Partition& partition = *view_.partitions[index].partition;
        const std::uint64_t cpus =
            partition.total_nodes == 0 ? 0 : partition.total_cpus / partition.total_nodes;
        if (cpus != 0) fewest = fewest == 0 ? cpus : std::min(fewest, cpus);
    }
    return fewest;
}

} // namespace qg::gate
