// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partition_list.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <numeric>

namespace qg::gate {

PartitionList find_partitions(const model::JobRequest& request, const model::Cluster& cluster) {
    PartitionList list;
    if (!request.partition) {
        if (auto partition = cluster.partitions.default_partition())
            list.partitions.push_back(std::move(partition));
        return list;
    }
    text::for_each_part(*request.partition, ',', [&](std::string_view name) {
        if (name.empty()) return;
        auto partition = cluster.partitions.find(name);
        if (!partition)
            list.unknown.emplace_back(name);
        else if (std::find(list.partitions.begin(), list.partitions.end(), partition) ==
                 list.partitions.end())
            list.partitions.push_back(std::move(partition));
    });
    return list;
}

std::vector<std::size_t> by_tier(const std::vector<model::PartitionChoice>& partitions) {
    std::vector<std::size_t> order(partitions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() < 2) return order;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return partitions[a].partition->priority_tier > partitions[b].partition->priority_tier;
    });
    return order;
}

} // namespace qg::gate
