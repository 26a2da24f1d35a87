// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/partition.hpp"

namespace qg::model {

PartitionTable::PartitionTable(std::vector<std::shared_ptr<const Partition>> partitions,
                               std::uint64_t generation)
    : all_(std::move(partitions)), generation_(generation) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
        by_name_.emplace(all_[i]->name, i);
        if (all_[i]->is_default) default_ = all_[i];
    }
}

std::shared_ptr<const Partition> PartitionTable::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : all_[found->second];
}

} // namespace qg::model
