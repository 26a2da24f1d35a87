// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nodes/node_capacity.hpp"

#include <algorithm>

namespace qg::gate {

namespace {

/// What the first nodes hold together.
std::uint64_t sum_of(const std::vector<AlikeNodes>& nodes, std::uint64_t max_nodes) {
    std::uint64_t sum = 0;
    for (const auto& [count, amount] : nodes) {
        const std::uint64_t taken = std::min(count, max_nodes);
        if (taken != 0 && amount > (any_number - sum) / taken) return any_number;
        sum += taken * amount;
        max_nodes -= taken;
    }
    return sum;
}

} // namespace

std::uint64_t capacity_of(std::vector<AlikeNodes> nodes, std::uint64_t max_nodes) {
    std::ranges::sort(nodes, std::ranges::greater(), &AlikeNodes::amount);
    return sum_of(nodes, max_nodes);
}

std::uint64_t min_of(std::vector<AlikeNodes> nodes, std::uint64_t count) {
    std::ranges::sort(nodes, {}, &AlikeNodes::amount);
    return sum_of(nodes, count);
}

std::optional<std::uint64_t> nodes_for(std::vector<AlikeNodes> nodes, std::uint64_t wanted, NodeOrder order) {
    std::ranges::sort(nodes, {}, &AlikeNodes::amount);
    if (order == NodeOrder::largest_first) std::ranges::reverse(nodes);
    std::uint64_t taken = 0;
    for (const auto& [count, amount] : nodes) {
        if (wanted == 0) break;
        if (amount == 0 || count == 0) continue;
        const std::uint64_t needed = std::min(count, wanted / amount + (wanted % amount != 0 ? 1 : 0));
        wanted -= amount > wanted / needed ? wanted : needed * amount;
        taken += needed;
    }
    return wanted == 0 ? std::optional(taken) : std::nullopt;
}

} // namespace qg::gate
