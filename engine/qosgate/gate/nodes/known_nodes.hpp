// SPDX-License-Identifier: GPL-2.0-or-later
//
// The nodes that a request names: --nodelist, --exclude, --reservation.
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::gate {

/// The nodes that a list names.
struct KnownNodes {
    std::vector<std::uint32_t> indices; ///< sorted, each once
    std::optional<std::string> unknown; ///< the first name that no node has
    bool is_whole = true;               ///< all names were looked up
};

/// What the reservations of a job give it. It gets nodes of one of them.
struct ReservedNodes {
    std::vector<model::NodeRange> ranges; ///< sorted, each node once; empty: not known which, or many
    std::uint64_t cpus = 0;               ///< of the largest

    /// Those that the partition has. Cost: linear in the ranges of both.
    [[nodiscard]] std::vector<model::NodeRange> in(const model::Partition& partition) const;
};

/// The nodes that a job must have, those that it must not, and those outside of which it gets none.
struct NamedNodes {
    KnownNodes required;
    KnownNodes excluded;
    std::optional<ReservedNodes> reserved = {}; ///< empty: any node, or not known

    /// Whether the job's reservations may give it the node.
    [[nodiscard]] bool may_have(std::uint32_t node) const noexcept;
    [[nodiscard]] bool knows_reserved() const noexcept { return reserved && !reserved->ranges.empty(); }
};

/// Looks up the nodes that a request names, and those between them if its list stands for these, too. Without
/// known nodes it finds none, and no unknown name.
/// Cost: a binary search for each of the first 128 names of both lists.
NamedNodes look_up_named_nodes(const model::JobRequest& request,
                               const std::optional<model::KnownNames>& known);

/// How many nodes a list of a contiguous job stands for: those that it names and all between them. Empty: not
/// more than it names, or it names an unknown node. Of a list of thousands of names, and if the nodes are not
/// known, those of the largest partition. Cost: a binary search for each name.
std::optional<std::uint32_t> count_with_gaps(std::string_view list, const model::Cluster& cluster);

/// What these reservations give a job, if each of them is bound to known nodes. Empty: it may get others.
/// Cost: sorts their ranges, which have a few thousand nodes at most.
std::optional<ReservedNodes> look_up_reserved(std::span<const model::Reservation* const> reservations);

} // namespace qg::gate
