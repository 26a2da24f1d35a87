// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/partition.hpp"

#include <algorithm>

namespace qg::model {

bool has_node(std::span<const NodeRange> ranges, std::uint32_t index) noexcept {
    const auto after = std::ranges::upper_bound(ranges, index, {}, &NodeRange::first);
    return after != ranges.begin() && index <= (after - 1)->last;
}

PartitionTable::PartitionTable(std::vector<std::shared_ptr<const Partition>> partitions)
    : all_(std::move(partitions)) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
        by_name_.emplace(all_[i]->name, i);
        if (all_[i]->is_default) default_ = all_[i];
        if (!all_[i]->takes_jobs && !all_[i]->alternate.empty()) has_alternates_ = true;
    }
}

const std::shared_ptr<const Partition>& PartitionTable::find(std::string_view name) const {
    static const std::shared_ptr<const Partition> none;
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? none : all_[found->second];
}

} // namespace qg::model
