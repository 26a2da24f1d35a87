// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/partition.hpp"

namespace qg::model {

PartitionTable::PartitionTable(std::vector<std::shared_ptr<const Partition>> partitions,
                               std::uint64_t generation)
    : all_(std::move(partitions)), generation_(generation) {
    for (const auto& partition : all_) {
        by_name_.emplace(partition->name, partition);
        if (partition->is_default) default_ = partition;
    }
}

std::shared_ptr<const Partition> PartitionTable::find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
}

} // namespace qg::model
