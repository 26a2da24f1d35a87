// SPDX-License-Identifier: GPL-2.0-or-later
//
// The features of nodes that a job asks for (--constraint).
#pragma once

#include "qosgate/model/partition.hpp"

#include <cstdint>
#include <string_view>

namespace qg::gate {

/// Whether a text is at most eight names joined by '&', or by '|'. One node's features cannot answer any
/// other constraint (counts, brackets).
[[nodiscard]] bool is_plain_constraint(std::string_view asked);

/// Whether such a node has the features asked for; false if the text is not a plain constraint.
[[nodiscard]] bool has_features(const model::NodeKind& kind, std::string_view asked);

/// The most nodes that the counts of a constraint ask for ("a*3", "[a*2&b*2]"), which slurmctld adds to a
/// job; 0: it has no counts. Of alternatives it is the largest; of alternatives beside other counts, the sum
/// of all; of more than 64 counts, more than any cluster has. Cost: linear, with few steps for each count.
[[nodiscard]] std::uint64_t nodes_of_features(std::string_view asked) noexcept;

} // namespace qg::gate
