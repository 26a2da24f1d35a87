// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/count_job.hpp"

#include "qosgate/gate/billing.hpp"
#include "qosgate/gate/index_list.hpp"
#include "qosgate/gate/tres_request.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using limits::Release;
using model::JobRequest;
using model::Memory;
using model::Partition;
using model::TresCounts;
using model::TresKind;

/// From here on node and CPU counts that gres change are counted as changed.
constexpr Release counts_size_after_gres(24, 5, 0);
/// From here on (seen with 24.11.5, not with 22.05.8) tasks that were counted get their CPUs and resources,
/// and no more, however many fit on a node.
constexpr Release allocates_by_tasks(24, 11, 0);
/// From here on a QOS with PartitionMinNodes keeps the partition's MinNodes from raising the count.
constexpr Release honours_partition_min_nodes(26, 5, 0);

const Partition* partition_at(const model::AccountView& view, std::size_t index) {
    return index < view.partitions.size() ? view.partitions[index].partition.get() : nullptr;
}

} // namespace

JobCounter::JobCounter(const JobRequest& request, const model::AccountView& view,
                       const model::Cluster& cluster, Release release)
    : request_(request), view_(view), cluster_(cluster), release_(release),
      raised_(raised_to_partitions(size_of(request, release))), size_(raised_),
      gres_(request_, size_, release), counted_(release >= counts_size_after_gres ? size_ : raised_) {}

TresCounts JobCounter::at_submission() const {
    return count(counted_.nodes.value_or(1), size_.nodes.value_or(1), counted_.cpus.value_or(1), gres_,
                 partition_at(view_, 0));
}

TresCounts JobCounter::at_attempt(std::size_t partition, std::optional<std::uint64_t> most_nodes) const {
    const Partition* there = partition_at(view_, partition);
    const std::uint64_t nodes = nodes_at_attempt(there, most_nodes);
    const auto counted_with = [&](const GresRequest& gres) {
        return count(nodes, nodes, cpus_at_attempt(nodes, gres), gres, there);
    };
    JobSize size = size_;
    size.nodes = nodes;
    if (request_.tasks_per_node && !has_counted_tasks()) size.tasks = nodes * *request_.tasks_per_node;
    if (size == raised_) return counted_with(gres_);
    return counted_with(GresRequest(request_, size, release_));
}

std::uint64_t JobCounter::least_partition_nodes() const {
    if (view_.partitions.empty()) return 0;
    const auto least =
        std::min_element(view_.partitions.begin(), view_.partitions.end(), [](const auto& a, const auto& b) {
            return a.partition->min_nodes < b.partition->min_nodes;
        });
    return least->partition->min_nodes;
}

/// Of several partitions the one that asks for the fewest nodes raises a job's count.
JobSize JobCounter::raised_to_partitions(JobSize size) const {
    const bool is_exempt = release_ >= honours_partition_min_nodes && job_qos_flags().partition_min_nodes;
    const std::uint64_t least = is_exempt ? 0 : least_partition_nodes();
    if (!size.nodes)
        size.nodes = std::max<std::uint64_t>(least, 1);
    else if (*size.nodes < least && size.max_nodes.value_or(least) >= least)
        size.nodes = least;
    if (!size.cpus) size.cpus = size.nodes;
    return size;
}

model::QosFlags JobCounter::job_qos_flags() const {
    return view_.job_qos.qos ? view_.qos[*view_.job_qos.qos].flags : model::QosFlags{};
}

std::uint64_t JobCounter::nodes_at_attempt(const Partition* partition,
                                           std::optional<std::uint64_t> most_nodes) const {
    const model::QosFlags flags = job_qos_flags();
    std::uint64_t nodes = size_.nodes.value_or(1);
    if (partition && !flags.partition_min_nodes) nodes = std::max<std::uint64_t>(nodes, partition->min_nodes);
    if (!size_.max_nodes || gres_.is_per_job()) return nodes;
    // Where the job gives a range, the selection aims at its upper end, with a task for each node.
    std::uint64_t most = std::min(*size_.max_nodes, size_.tasks.value_or(*size_.max_nodes));
    if (partition && partition->max_nodes && !flags.partition_max_nodes)
        most = std::min<std::uint64_t>(most, *partition->max_nodes);
    if (most_nodes) most = std::min(most, *most_nodes);
    return std::max(nodes, most);
}

bool JobCounter::has_counted_tasks() const {
    return release_ >= allocates_by_tasks && request_.tasks;
}

/// Every node gets its tasks, and every resource its CPUs. A single task gets no company. Tasks that share
/// CPUs get those of one on every node, and none for resources.
std::uint64_t JobCounter::cpus_at_attempt(std::uint64_t nodes, const GresRequest& gres) const {
    const std::uint64_t per_task = request_.cpus_per_task.value_or(1);
    if (request_.overcommit) return std::max(size_.cpus.value_or(1), nodes * per_task);
    if (has_counted_tasks()) return std::max(*request_.tasks * per_task, gres.cpus());
    const bool is_alone = size_.tasks.value_or(0) <= 1;
    const std::uint64_t tasks = is_alone ? 1 : request_.tasks_per_node.value_or(1);
    return std::max({size_.cpus.value_or(1), gres.cpus(), nodes * tasks * per_task});
}

TresCounts JobCounter::count(std::uint64_t nodes, std::uint64_t memory_nodes, std::uint64_t cpus,
                             const GresRequest& gres, const Partition* partition) const {
    TresCounts counts(view_.tres->size());
    const auto set = [&](TresKind tres, std::uint64_t value) {
        if (const auto index = view_.tres->find(tres)) counts[*index] = value;
    };
    gres.count(*view_.tres, counts);
    count_licenses(counts);
    set(TresKind::node, nodes);
    set(TresKind::cpu, cpus);
    set(TresKind::mem, count_memory(cpus, memory_nodes, gres, partition));
    set(TresKind::billing,
        billing_of(counts, *view_.tres, partition ? std::string_view(partition->billing_weights) : "",
                   cluster_.billing));
    return counts;
}

/// A license named twice counts with the sum.
void JobCounter::count_licenses(TresCounts& counts) const {
    if (!request_.licenses) return;
    for (const TresItem& item : parse_licenses(*request_.licenses))
        if (const auto index = find_tres(*view_.tres, item)) counts[*index] += item.count;
}

std::uint64_t JobCounter::count_memory(std::uint64_t cpus, std::uint64_t nodes, const GresRequest& gres,
                                       const Partition* partition) const {
    std::optional<Memory> memory = request_.memory;
    if (!memory)
        if (const auto per_gres = gres.memory(nodes)) return *per_gres;
    if (!memory && partition) memory = partition->default_memory;
    if (!memory) memory = cluster_.default_memory;
    // Nothing said, and --mem=0, mean all of the node.
    if (!memory || memory->mib == 0) return (partition ? partition->node_memory_mib : 0) * nodes;
    return memory->mib * (memory->per_cpu ? cpus : nodes);
}

model::ResolvedJob count_job(const JobRequest& request, const model::AccountView& view,
                             const model::Cluster& cluster, Release release) {
    model::ResolvedJob job;
    job.tres = JobCounter(request, view, cluster, release).at_submission();
    job.time_limit = request.time_limit;
    if (!job.time_limit && !view.partitions.empty())
        job.time_limit = view.partitions.front().partition->default_time;
    if (request.array)
        job.array_tasks = count_array_tasks(*request.array, cluster.max_array_size).value_or(1);
    return job;
}

} // namespace qg::gate
