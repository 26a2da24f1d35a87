// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partitions/partition_list.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace qg::gate {
namespace {

/// Drops the partitions that slurmctld drops from a list.
void leave_out_closed(std::vector<std::shared_ptr<const model::Partition>>& partitions) {
    const auto takes_jobs = [](const auto& partition) { return partition->takes_jobs; };
    if (std::ranges::any_of(partitions, takes_jobs)) std::erase_if(partitions, std::not_fn(takes_jobs));
}

} // namespace

PartitionList find_partitions(const model::JobRequest& request, const model::Cluster& cluster, bool is_new) {
    PartitionList list;
    const auto& one = request.partition ? cluster.partitions.find(*request.partition)
                                        : cluster.partitions.default_partition();
    if (one) list.found = std::vector(1, one);
    if (one || !request.partition) return list; // the usual case
    text::for_each_part(*request.partition, ',', [&](std::string_view name) {
        if (name.empty() || list.is_cut) return;
        const auto& partition = cluster.partitions.find(name);
        if (!partition)
            list.unknown.emplace_back(name);
        else if (std::find(list.found.begin(), list.found.end(), partition) != list.found.end())
            return;
        else if (list.found.size() == max_partitions)
            list.is_cut = true;
        else
            list.found.push_back(partition);
    });
    if (list.found.empty() && list.unknown.empty() && !request.partition->empty())
        list.unknown.push_back(*request.partition);
    if (is_new) leave_out_closed(list.found);
    return list;
}

PartitionOrder PartitionOrder::by_tier(const std::vector<model::PartitionChoice>& partitions) {
    const auto tier = [](const model::PartitionChoice& choice) { return choice.partition->priority_tier; };
    PartitionOrder order(partitions.size());
    if (std::ranges::is_sorted(partitions, std::ranges::greater(), tier)) return order;
    order.indices_.resize(partitions.size());
    std::iota(order.indices_.begin(), order.indices_.end(), std::size_t{0});
    std::ranges::stable_sort(order.indices_, std::ranges::greater(),
                             [&](std::size_t index) { return tier(partitions[index]); });
    return order;
}

} // namespace qg::gate
