// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/count_job.hpp"

#include "qosgate/gate/billing.hpp"
#include "qosgate/gate/index_list.hpp"
#include "qosgate/gate/tres_request.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using limits::Release;
namespace rules = limits::rules;
using model::JobRequest;
using model::Memory;
using model::Partition;
using model::TresCounts;
using model::TresKind;

const Partition* partition_at(const model::AccountView& view, std::size_t index) {
    return index < view.partitions.size() ? view.partitions[index].partition.get() : nullptr;
}

std::uint64_t least_partition_nodes(const model::AccountView& view) {
    if (view.partitions.empty()) return 0;
    const auto least =
        std::min_element(view.partitions.begin(), view.partitions.end(), [](const auto& a, const auto& b) {
            return a.partition->min_nodes < b.partition->min_nodes;
        });
    return least->partition->min_nodes;
}

} // namespace

JobCounter::JobCounter(const JobRequest& request, const model::AccountView& view,
                       const model::Cluster& cluster, Release release)
    : JobCounter(request, view, cluster, release, size_of(request, release)) {}

JobCounter::JobCounter(const JobCounter& other, const model::AccountView& view)
    : JobCounter(*other.request_, view, *other.cluster_, other.release_, other.sent_) {}

JobCounter::JobCounter(const JobRequest& request, const model::AccountView& view,
                       const model::Cluster& cluster, Release release, const JobSize& sent)
    : request_(&request), cluster_(&cluster), release_(release), sent_(sent),
      raised_(raised_to_partitions(sent_, view)), size_(raised_), gres_(request, size_, release),
      counted_(release.follows(rules::counts_size_after_gres) ? size_ : raised_) {}

void JobCounter::count_submission(const model::AccountView& view, model::ResolvedJob& job) const {
    job.tres =
        count(view, 0, counted_.nodes.value_or(1), size_.nodes.value_or(1), counted_.cpus.value_or(1), gres_);
    job.time_limit = request_->time_limit;
    if (!job.time_limit && !view.partitions.empty())
        job.time_limit = view.partitions.front().partition->default_time;
    if (request_->array)
        job.array_tasks = count_array_tasks(*request_->array, cluster_->max_array_size).value_or(0);
}

std::optional<TresCounts> JobCounter::at_attempt(const model::AccountView& view, std::size_t partition,
                                                 std::optional<std::uint64_t> most_nodes) const {
    auto counts = count_attempt(view, partition, nodes_at_attempt(view, partition, most_nodes), 0);
    if (request_->exclusive) take_whole_nodes(counts, view, partition);
    return counts;
}

std::optional<TresCounts> JobCounter::at_least(const model::AccountView& view,
                                               const TresCounts& submitted) const {
    const std::uint64_t nodes = nodes_for_tasks();
    const std::uint64_t of_tasks = request_->overcommit ? 0
                                                        : std::uint64_t{request_->tasks.value_or(0)} *
                                                              request_->cpus_per_task.value_or(1);
    const std::uint64_t sent = counted_.cpus.value_or(1);
    auto counts = count_attempt(view, 0, nodes, std::max({sent, of_tasks, request_->least_cpus_on(nodes)}));
    if (counts)
        for (std::size_t tres = 0; tres < counts->size(); ++tres)
            (*counts)[tres] = std::max((*counts)[tres], model::count_at(submitted, tres));
    return counts;
}

std::uint64_t JobCounter::least_cpus_of_nodes(const model::AccountView& view, std::size_t index) const {
    const Partition* partition = partition_at(view, index);
    if (!request_->exclusive || !partition) return 0;
    return size_.nodes.value_or(1) * partition->least_node_cpus;
}

/// Raises the CPUs to those of as many nodes as the job has at least, where that is more.
[[gnu::cold]] void JobCounter::take_whole_nodes(std::optional<TresCounts>& counts,
                                                const model::AccountView& view, std::size_t index) const {
    const auto cpu = view.tres->find(TresKind::cpu);
    const std::uint64_t least = least_cpus_of_nodes(view, index);
    if (!cpu || least == 0) return;
    if (!counts)
        counts = count(view, index, counted_.nodes.value_or(1), size_.nodes.value_or(1),
                       counted_.cpus.value_or(1), gres_);
    if ((*counts)[*cpu] >= least) return;
    (*counts)[*cpu] = least;
    set_billing(*counts, view, index);
}

/// The counts on so many nodes, with at least so many CPUs; nothing where that is as submitted.
std::optional<TresCounts> JobCounter::count_attempt(const model::AccountView& view, std::size_t partition,
                                                    std::uint64_t nodes, std::uint64_t least_cpus) const {
    if (gres_.asks()) {
        JobSize size = size_;
        size.nodes = nodes;
        if (request_->tasks_per_node && !has_counted_tasks()) size.tasks = nodes * *request_->tasks_per_node;
        if (size != raised_) {
            const GresRequest gres(*request_, size, release_);
            return count(view, partition, nodes, nodes, std::max(least_cpus, cpus_at_attempt(nodes, gres)),
                         gres);
        }
    }
    const std::uint64_t cpus = std::max(least_cpus, cpus_at_attempt(nodes, gres_));
    const bool is_as_submitted =
        partition == 0 && nodes == counted_.nodes && nodes == size_.nodes && cpus == counted_.cpus;
    if (is_as_submitted) return std::nullopt;
    return count(view, partition, nodes, nodes, cpus, gres_);
}

JobSize JobCounter::size_with(std::optional<std::uint64_t> nodes) const {
    JobSize size = sent_;
    if (nodes) size.nodes = nodes;
    if (!gres_.asks()) return size;
    if (size == raised_) return size_;
    const GresRequest gres(*request_, size, release_);
    return size;
}

/// Of several partitions the one that asks for the fewest nodes raises a job's count.
JobSize JobCounter::raised_to_partitions(JobSize size, const model::AccountView& view) const {
    const bool is_exempt =
        release_.follows(rules::honours_partition_min_nodes) && job_qos_flags(view).partition_min_nodes;
    const std::uint64_t least = is_exempt ? 0 : least_partition_nodes(view);
    if (!size.nodes)
        size.nodes = std::max<std::uint64_t>(least, 1);
    else if (*size.nodes < least && size.max_nodes.value_or(least) >= least)
        size.nodes = least;
    if (!size.cpus) size.cpus = size.nodes;
    return size;
}

/// The selection takes no fewer nodes than the tasks fill.
std::uint64_t JobCounter::nodes_for_tasks() const {
    const std::uint64_t nodes = size_.nodes.value_or(1);
    const std::uint64_t per_node = request_->tasks_per_node.value_or(0);
    return per_node == 0 ? nodes : std::max(nodes, (size_.tasks.value_or(0) + per_node - 1) / per_node);
}

std::uint64_t JobCounter::nodes_at_attempt(const model::AccountView& view, std::size_t index,
                                           std::optional<std::uint64_t> most_nodes) const {
    const Partition* partition = partition_at(view, index);
    const model::QosFlags flags = job_qos_flags(view);
    std::uint64_t nodes = nodes_for_tasks();
    if (partition && !flags.partition_min_nodes) nodes = std::max<std::uint64_t>(nodes, partition->min_nodes);
    if (!size_.max_nodes || gres_.is_per_job()) return nodes;
    // Where the job gives a range, the selection aims at its upper end, with a task for each node.
    std::uint64_t most = *size_.max_nodes;
    const bool needs_tasks =
        !release_.follows(rules::gives_nodes_without_tasks) || request_->tasks_per_node.value_or(0) == 0;
    if (needs_tasks) most = std::min(most, size_.tasks.value_or(most));
    if (partition && partition->max_nodes && !flags.partition_max_nodes)
        most = std::min<std::uint64_t>(most, *partition->max_nodes);
    if (partition && partition->total_nodes != 0)
        most = std::min<std::uint64_t>(most, partition->total_nodes);
    if (most_nodes) most = std::min(most, *most_nodes);
    return std::max(nodes, most);
}

bool JobCounter::has_counted_tasks() const {
    return release_.follows(rules::allocates_by_tasks) && request_->tasks;
}

/// Every node gets its tasks, and every resource its CPUs. A single task gets no company. Tasks that share
/// CPUs get those of one on every node that has any, and none for resources before these count as size.
std::uint64_t JobCounter::cpus_at_attempt(std::uint64_t nodes, const GresRequest& gres) const {
    const std::uint64_t per_task = request_->cpus_per_task.value_or(1);
    if (request_->overcommit) {
        const std::uint64_t sharing =
            has_counted_tasks() ? std::min<std::uint64_t>(*request_->tasks, nodes) : nodes;
        return std::max(sharing * per_task,
                        release_.follows(rules::counts_size_after_gres) ? gres.cpus() : 0);
    }
    if (has_counted_tasks()) return std::max(*request_->tasks * per_task, gres.cpus());
    const bool is_alone = size_.tasks.value_or(0) <= 1;
    const std::uint64_t tasks = is_alone ? 1 : request_->tasks_per_node.value_or(1);
    return std::max(
        {size_.cpus.value_or(1), gres.cpus(), nodes * tasks * per_task, request_->least_cpus_on(nodes)});
}

TresCounts JobCounter::count(const model::AccountView& view, std::size_t index, std::uint64_t nodes,
                             std::uint64_t memory_nodes, std::uint64_t cpus, const GresRequest& gres) const {
    const Partition* partition = partition_at(view, index);
    TresCounts counts(view.tres->size());
    const auto set = [&](TresKind tres, std::uint64_t value) {
        if (const auto at = view.tres->find(tres)) counts[*at] = value;
    };
    gres.count(*view.tres, counts);
    count_licenses(*view.tres, counts);
    set(TresKind::node, nodes);
    set(TresKind::cpu, cpus);
    set(TresKind::mem, count_memory(cpus, memory_nodes, gres, partition));
    set_billing(counts, view, index);
    return counts;
}

void JobCounter::set_billing(TresCounts& counts, const model::AccountView& view, std::size_t index) const {
    const auto billing = view.tres->find(TresKind::billing);
    if (!billing) return;
    const Partition* partition = partition_at(view, index);
    counts[*billing] = billing_of(
        counts, *view.tres, partition ? std::string_view(partition->billing_weights) : "", cluster_->billing);
}

/// A license named twice counts with the sum.
void JobCounter::count_licenses(const model::TresCatalogue& catalogue, TresCounts& counts) const {
    if (!request_->licenses) return;
    for (const TresItem& item : parse_licenses(*request_->licenses))
        if (const auto index = find_tres(catalogue, item)) counts[*index] += item.count;
}

std::uint64_t JobCounter::count_memory(std::uint64_t cpus, std::uint64_t nodes, const GresRequest& gres,
                                       const Partition* partition) const {
    std::optional<Memory> memory = request_->memory;
    if (!memory)
        if (const auto per_gres = gres.memory(nodes)) return *per_gres;
    if (!memory && partition) memory = partition->default_memory;
    if (!memory) memory = cluster_->default_memory;
    // Nothing said, and --mem=0, mean all of the node.
    if (!memory || memory->mib == 0) return (partition ? partition->node_memory_mib : 0) * nodes;
    return memory->mib * (memory->per_cpu ? cpus : nodes);
}

model::ResolvedJob count_job(const JobRequest& request, const model::AccountView& view,
                             const model::Cluster& cluster, Release release) {
    model::ResolvedJob job;
    JobCounter(request, view, cluster, release).count_submission(view, job);
    return job;
}

} // namespace qg::gate
