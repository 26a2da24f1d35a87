// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partition_list.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>

namespace qg::gate {

PartitionList find_partitions(const model::JobRequest& request, const model::Cluster& cluster) {
    PartitionList list;
    if (!request.partition) {
        if (auto partition = cluster.partitions.default_partition())
            list.partitions.push_back(std::move(partition));
        return list;
    }
    for (std::string_view name : text::split(*request.partition, ',')) {
        auto partition = cluster.partitions.find(name);
        if (!partition)
            list.unknown.emplace_back(name);
        else if (std::find(list.partitions.begin(), list.partitions.end(), partition) ==
                 list.partitions.end())
            list.partitions.push_back(std::move(partition));
    }
    std::stable_sort(list.partitions.begin(), list.partitions.end(),
                     [](const auto& a, const auto& b) { return a->priority_tier > b->priority_tier; });
    return list;
}

} // namespace qg::gate
