// SPDX-License-Identifier: GPL-2.0-or-later
//
// The features of nodes that a job asks for (--constraint).
#pragma once

#include "qosgate/model/partition.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qg::gate {

/// What a constraint asks for, as slurmctld reads it.
enum class ConstraintKind : std::uint8_t {
    by_node,      ///< something of each node: "a&b", "(a|b)&c"
    alternatives, ///< the same of all nodes: "[a|b]"
    counts,       ///< numbers of nodes: "a*3", "[a*2&b*2]"
    unread,       ///< anything else, or more than eight names
};
[[nodiscard]] ConstraintKind kind_of_constraint(std::string_view asked);

/// Whether such a node has the features asked for; false if these are not asked of each node.
[[nodiscard]] bool has_features(const model::NodeKind& kind, std::string_view asked);

/// One constraint of each node for each alternative: "a&c" and "b&c" of "[a|b]&c". That constraint alone
/// if it has no alternatives.
[[nodiscard]] std::vector<std::string> alternatives_of(std::string_view asked);

/// A feature that a number of nodes must have.
struct FeatureCount {
    std::string_view name;
    std::uint64_t nodes = 0;
};

/// The counts of a constraint; empty if it is of another kind. They borrow from it.
[[nodiscard]] std::vector<FeatureCount> counts_of(std::string_view asked);

/// The most nodes that the counts of a constraint ask for ("a*3", "[a*2&b*2]"), which slurmctld adds to a
/// job; 0: it has no counts. Of alternatives it is the largest; of alternatives beside other counts, the sum
/// of all; of more than 64 counts, more than any cluster has. Cost: linear, with few steps for each count.
[[nodiscard]] std::uint64_t nodes_of_features(std::string_view asked) noexcept;

} // namespace qg::gate
