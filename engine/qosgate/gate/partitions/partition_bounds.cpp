// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partitions/partition_bounds.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/unrolled.hpp"
#include "qosgate/gate/nodes/node_demand.hpp"
#include "qosgate/limits/catalogue.hpp"

#include <algorithm>
#include <limits>

namespace qg::gate {
namespace {

using model::Partition;
using model::QosFlags;
using model::RejectCode;

using BoundValue = std::optional<std::uint64_t>;

/// The total of a resource of a partition; 0 means not known, unless it has no nodes.
constexpr BoundValue known(std::uint32_t total, const Partition& partition) {
    return total == 0 && !partition.has_no_nodes ? BoundValue() : BoundValue(total);
}

std::string count_nodes(std::uint64_t nodes) {
    return limits::format_amount("node", nodes);
}

/// "2", or a range like "1-4".
std::string asked_nodes(const BoundedAmounts& job) {
    const std::uint64_t min = job.min_nodes ? *job.min_nodes : job.max_nodes.value_or(0);
    const std::uint64_t max = job.max_nodes.value_or(min);
    return min < max ? text::format("{}-{}", min, max) : limits::format_count("node", max);
}

/// The CPUs of a partition, or those that MaxCPUsPerNode leaves on all its nodes.
BoundValue total_cpus_of(const Partition& partition) {
    const BoundValue total = known(partition.total_cpus, partition);
    if (!total || !partition.max_cpus_per_node) return total;
    return std::min(*total, std::uint64_t{*partition.max_cpus_per_node} * partition.total_nodes);
}

std::string tell_total_cpus(const Partition& partition, std::uint64_t bound, const BoundedAmounts& job) {
    if (partition.has_no_nodes) return text::format("partition {} has no nodes", partition.name);
    const std::uint64_t max_nodes = partition.max_nodes.value_or(UINT32_MAX);
    const std::uint64_t on_nodes =
        capacity_of(measure(std::span(partition.node_kinds),
                            [&](const model::NodeKind& kind) { return usable_cpus(kind, partition); }),
                    max_nodes);
    const std::string asked = text::format("this job asks for {}", *job.cpus);
    if (partition.max_nodes && !partition.node_kinds.empty() && on_nodes < bound)
        return text::format("partition {} gives a job at most {}, on {}; {}", partition.name,
                            limits::format_amount("cpu", on_nodes), count_nodes(max_nodes), asked);
    const bool is_of_each = partition.max_cpus_per_node && bound < partition.total_cpus;
    return text::format("partition {} {} {}{}; {}", partition.name,
                        is_of_each ? "gives a job at most" : "has", limits::format_amount("cpu", bound),
                        is_of_each
                            ? text::format(", {} on each node (MaxCPUsPerNode)", *partition.max_cpus_per_node)
                            : std::string(),
                        asked);
}

std::string tell_total_nodes(const Partition& partition, std::uint64_t bound, const BoundedAmounts& job) {
    if (partition.has_no_nodes) return text::format("partition {} has no nodes", partition.name);
    // Its CPUs may need more nodes than it asks for.
    const bool needs_more = *job.nodes > job.max_nodes.value_or(*job.nodes);
    return text::format("partition {} has {}; this job {} {}", partition.name, count_nodes(bound),
                        needs_more ? "needs" : "asks for",
                        needs_more ? limits::format_count("node", *job.nodes) : asked_nodes(job));
}

std::string tell_min_nodes(const Partition& partition, std::uint64_t bound, const BoundedAmounts& job) {
    return text::format("partition {} requires at least {} per job; this job asks for {}", partition.name,
                        count_nodes(bound), asked_nodes(job));
}

std::string tell_max_nodes(const Partition& partition, std::uint64_t bound, const BoundedAmounts& job) {
    return text::format("partition {} allows at most {} per job; this job asks for {}", partition.name,
                        count_nodes(bound), asked_nodes(job));
}

std::string tell_max_time(const Partition& partition, std::uint64_t, const BoundedAmounts& job) {
    return text::format("wall time per job in partition {}: limit {}, this job asks for {}{}", partition.name,
                        units::format_minutes(partition.max_time),
                        units::format_minutes({static_cast<std::uint32_t>(*job.minutes)}),
                        job.is_time_min ? " (--time-min)" : "");
}

} // namespace

namespace bounds {

constexpr PartitionBound total_cpus{.amount = &BoundedAmounts::cpus,
                                    .value_of = total_cpus_of,
                                    .sense = BoundSense::maximum,
                                    .exempts = nullptr,
                                    .code = RejectCode::too_many_cpus,
                                    .pending = "PartitionConfig",
                                    .describe = tell_total_cpus};

constexpr PartitionBound total_nodes{
    .amount = &BoundedAmounts::nodes,
    .value_of = [](const Partition& partition) { return known(partition.total_nodes, partition); },
    .sense = BoundSense::maximum,
    .exempts = nullptr,
    .code = RejectCode::invalid_node_count,
    .pending = "PartitionNodeLimit",
    .describe = tell_total_nodes};

constexpr PartitionBound min_nodes{
    .amount = &BoundedAmounts::min_nodes,
    .value_of = [](const Partition& partition) { return BoundValue(partition.min_nodes); },
    .sense = BoundSense::minimum,
    .exempts = &QosFlags::partition_min_nodes,
    .code = RejectCode::invalid_node_count,
    .pending = "PartitionNodeLimit",
    .describe = tell_min_nodes};

constexpr PartitionBound max_nodes{
    .amount = &BoundedAmounts::max_nodes,
    .value_of = [](const Partition& partition) { return BoundValue(partition.max_nodes); },
    .sense = BoundSense::maximum,
    .exempts = &QosFlags::partition_max_nodes,
    .code = RejectCode::invalid_node_count,
    .pending = "PartitionNodeLimit",
    .describe = tell_max_nodes};

constexpr PartitionBound max_time{
    .amount = &BoundedAmounts::minutes,
    .value_of = [](const Partition& partition) { return BoundValue(partition.max_time.minutes); },
    .sense = BoundSense::maximum,
    .exempts = &QosFlags::partition_time_limit,
    .code = RejectCode::invalid_time_limit,
    .pending = "PartitionTimeLimit",
    .describe = tell_max_time};

} // namespace bounds

namespace {

/// Whether no two bounds share an amount. take_hardest() could not tell which of the two is harder to keep.
constexpr bool bound_amounts_once() {
    return std::ranges::all_of(partition_bounds, [](const PartitionBound* bound) {
        return std::ranges::count(partition_bounds, bound->amount, &PartitionBound::amount) == 1;
    });
}
static_assert(bound_amounts_once());

} // namespace

std::optional<PartitionProblem> find_bound_problem(const PartitionBound& bound, const Partition& partition,
                                                   const BoundedAmounts& job, QosFlags flags) {
    const BoundValue asked = job.*bound.amount;
    if (!asked) return std::nullopt;
    const BoundValue value = bound.value_for(partition, flags);
    if (!value || bound.is_kept(*asked, *value)) return std::nullopt;
    return PartitionProblem{bound.code, bound.pending, bound.describe(partition, *value, job)};
}

std::vector<PartitionProblem> find_bound_problems(const Partition& partition, const BoundedAmounts& job,
                                                  QosFlags flags) {
    std::vector<PartitionProblem> problems;
    for (const PartitionBound* bound : partition_bounds) {
        const bool is_said = bound == &bounds::total_nodes && partition.has_no_nodes && !problems.empty();
        auto problem = is_said ? std::nullopt : find_bound_problem(*bound, partition, job, flags);
        if (problem) problems.push_back(*std::move(problem));
    }
    return problems;
}

std::uint64_t cap_nodes(std::uint64_t max, const Partition& partition, QosFlags flags) {
    max = std::min(max, bounds::max_nodes.value_for(partition, flags).value_or(max));
    return partition.total_nodes == 0 ? max : std::min<std::uint64_t>(max, partition.total_nodes);
}

std::uint64_t raised_min_nodes(const Partition& partition, QosFlags flags, limits::Release release) {
    const bool is_exempt =
        release.follows(limits::rules::honours_partition_min_nodes) && flags.partition_min_nodes;
    return is_exempt ? 0 : partition.min_nodes;
}

const Partition& widest_partition(const model::AccountView& view, const PartitionBound& bound) {
    const auto is_narrower = [&](const auto& a, const auto& b) {
        const BoundValue of_a = bound.value_of(*a.partition), of_b = bound.value_of(*b.partition);
        if (!of_a || !of_b) return of_a.has_value() && !of_b;
        return *of_a != *of_b && bound.is_kept(*of_a, *of_b);
    };
    return *std::ranges::max_element(view.partitions, is_narrower)->partition;
}

void take_hardest(BoundedAmounts& amounts, const BoundedAmount& other) {
    BoundValue& amount = amounts.*other.bound.amount;
    if (other.amount && (!amount || other.bound.is_kept(*amount, *other.amount))) amount = other.amount;
}

void take_hardest(BoundedAmounts& amounts, const BoundedAmounts& others) {
    for (const PartitionBound* bound : partition_bounds)
        take_hardest(amounts, {*bound, others.*bound->amount});
}

bool keeps_all_bounds(const Partition& partition, const BoundedAmounts& amounts) {
    return all_of_indices<partition_bounds.size()>([&]<std::size_t i>() {
        constexpr const PartitionBound& bound = *partition_bounds[i];
        const BoundValue& asked = amounts.*bound.amount;
        if (!asked) return true;
        const BoundValue value = bound.value_of(partition);
        return !value || bound.is_kept(*asked, *value);
    });
}

} // namespace qg::gate
