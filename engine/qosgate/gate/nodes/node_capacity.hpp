// SPDX-License-Identifier: GPL-2.0-or-later
//
// What nodes of different sizes hold together.
#pragma once

#include "qosgate/gate/nodes/node_demand.hpp"
#include "qosgate/model/partition.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace qg::gate {

/// Whether to take the nodes that hold most first or last.
enum class NodeOrder : std::uint8_t { largest_first, smallest_first };

/// A number of nodes that each hold the same amount.
struct AlikeNodes {
    std::uint64_t count = 0;
    std::uint64_t amount = 0;
};

/// The maximum that `max_nodes` of the nodes hold together.
std::uint64_t capacity_of(std::vector<AlikeNodes> nodes, std::uint64_t max_nodes);

/// The minimum that so many of the nodes hold together; if there are fewer, what all hold.
std::uint64_t min_of(std::vector<AlikeNodes> nodes, std::uint64_t count);

/// How many of the nodes, taken in this order, hold `wanted`; empty if all together do not.
std::optional<std::uint64_t> nodes_for(std::vector<AlikeNodes> nodes, std::uint64_t wanted, NodeOrder order);

/// Some of the nodes of one kind. Borrows the kind.
struct NodesOfKind {
    const model::NodeKind* kind = nullptr;
    std::uint64_t count = 0;
};

/// The nodes of these kinds, each of which holds `amount(kind)`.
template <typename Amount>
std::vector<AlikeNodes> measure(std::span<const model::NodeKind> kinds, Amount amount) {
    std::vector<AlikeNodes> nodes;
    nodes.reserve(kinds.size());
    for (const model::NodeKind& kind : kinds)
        nodes.push_back({kind.count, amount(kind)});
    return nodes;
}
template <typename Amount>
std::vector<AlikeNodes> measure(std::span<const NodesOfKind> some, Amount amount) {
    std::vector<AlikeNodes> nodes;
    nodes.reserve(some.size());
    for (const auto& [kind, count] : some)
        nodes.push_back({count, amount(*kind)});
    return nodes;
}

} // namespace qg::gate
