// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/mending.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/gate/fit_resources.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using limits::Relation;
using limits::Violation;
using model::LimitMeasure;
using model::LimitScope;
using model::Partition;
using model::TresKind;

/// What the job may come to. Where something is used for good, only the rest is left.
std::uint64_t target_of(const Violation& violation) {
    if (violation.relation != Relation::used_for_good) return violation.limit_value;
    return violation.limit_value - std::min(violation.used, violation.limit_value);
}

} // namespace

bool Mending::meet(const Violation& violation) {
    switch (model::facts_of(violation.limit).measure) {
    case LimitMeasure::tres: return violation.tres && meet_tres(violation, *violation.tres);
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

bool Mending::meet_tres(const Violation& violation, std::size_t tres) {
    const bool is_per_node = model::facts_of(violation.limit).scope == LimitScope::node;
    const std::uint64_t per = is_per_node ? nodes() : 1;
    const Amount amount{violation.asked * per, target_of(violation) * per};
    switch (view_.tres->kind(tres)) {
    case TresKind::cpu: return fit_cpus(request_, amount);
    case TresKind::mem: return fit_memory(request_, amount, nodes());
    case TresKind::gres: return meet_gres(amount, tres);
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

/// Where one for each node or task is too many already, there are fewer of those.
bool Mending::meet_gres(Amount amount, std::size_t tres) {
    const bool leaves_some = amount.target != 0 && amount.target < amount.asked;
    const std::uint64_t most_nodes = request_.max_nodes.value_or(0);
    if (leaves_some && request_.tres_per_node && most_nodes > nodes())
        return fit_nodes(request_, std::max(nodes(), most_nodes * amount.target / amount.asked),
                         cpus_per_node());
    if (leaves_some && (request_.tres_per_node || request_.tres_per_job) && amount.target < nodes())
        return fit_nodes(request_, amount.target, cpus_per_node());
    const std::uint64_t tasks = request_.tasks.value_or(0);
    if (leaves_some && request_.tres_per_task && amount.target < tasks) {
        const std::uint64_t per_task = request_.cpus_per_task.value_or(1);
        return fit_cpus(request_, {tasks * per_task, amount.target * per_task});
    }
    return fit_gres(request_, view_.tres->name(tres), amount, nodes());
}

/// Less time, in the proportion that the limit is exceeded by: a limit may count minutes of many CPUs, or
/// time that UsageFactor scaled.
bool Mending::scale_time(const Violation& violation) {
    const bool is_known = time_ && !time_->is_unlimited() && time_->minutes != 0;
    if (is_known) {
        const double minutes = time_->minutes;
        const double fitting = minutes * static_cast<double>(target_of(violation)) /
                               static_cast<double>(std::max<std::uint64_t>(violation.asked, 1));
        // Never the same again, where rounding brings it back.
        return shorten_to(std::min<std::uint64_t>(saturate(fitting), time_->minutes - 1));
    }
    return shorten_to(target_of(violation) / std::max<std::uint64_t>(violation.count, 1));
}

bool Mending::shorten_to(std::uint64_t minutes) {
    if (minutes == 0 || minutes >= TimeLimit::unlimited_minutes) return false;
    const TimeLimit limit{static_cast<std::uint32_t>(minutes)};
    if (request_.time_limit && *request_.time_limit <= limit) return false;
    request_.time_limit = limit;
    if (request_.time_min && *request_.time_min > limit) request_.time_min = limit;
    return true;
}

bool Mending::fit_into(const Partition& partition) {
    const bool has_time = fit_time_into(partition);
    const bool has_size = fit_size_into(partition);
    return has_time || has_size;
}

bool Mending::fit_time_into(const Partition& partition) {
    if (job_qos_flags(view_).partition_time_limit) return false;
    const bool is_missing = !request_.time_limit && partition.wants_time_limit();
    if (is_missing || (time_ && *time_ > partition.max_time)) return shorten_to(partition.max_time.minutes);
    if (!request_.time_min) return false;
    const TimeLimit longest = std::min(partition.max_time, time_.value_or(partition.max_time));
    if (*request_.time_min <= longest) return false;
    request_.time_min = longest;
    return true;
}

bool Mending::fit_size_into(const Partition& partition) {
    const model::QosFlags flags = job_qos_flags(view_);
    const auto cpu = view_.tres->find(TresKind::cpu);
    const std::uint64_t cpus = cpu ? model::count_at(job_.tres, *cpu) : 0;
    bool is_changed = partition.total_cpus != 0 && cpus > partition.total_cpus &&
                      fit_cpus(request_, {cpus, partition.total_cpus});

    std::uint64_t most = partition.total_nodes != 0 ? partition.total_nodes : UINT32_MAX;
    if (partition.max_nodes && !flags.partition_max_nodes)
        most = std::min<std::uint64_t>(most, *partition.max_nodes);
    if (std::max<std::uint64_t>(nodes(), request_.max_nodes.value_or(0)) > most)
        is_changed = fit_nodes(request_, most, cpus_per_node()) || is_changed;
    const bool is_too_small =
        request_.min_nodes.value_or(1) < partition.min_nodes && !flags.partition_min_nodes;
    if (is_too_small) is_changed = raise_nodes(request_, partition.min_nodes) || is_changed;
    return is_changed;
}

std::uint64_t Mending::nodes() const {
    const auto node = view_.tres->node();
    return std::max<std::uint64_t>(node ? model::count_at(job_.tres, *node) : 1, 1);
}

/// Of the job's first partition, as if all were alike; 0: not known.
std::uint64_t Mending::cpus_per_node() const {
    if (view_.partitions.empty()) return 0;
    const Partition& partition = *view_.partitions.front().partition;
    return partition.total_nodes == 0 ? 0 : partition.total_cpus / partition.total_nodes;
}

} // namespace qg::gate
