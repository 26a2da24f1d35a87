// SPDX-License-Identifier: GPL-2.0-or-later
//
// How many nodes a job gets. slurmctld selects the nodes after it has checked limits. So a job may be too
// large for limits and nodes together, and it may get more than was counted.
#pragma once

#include "qosgate/gate/predict/forecast.hpp"

#include <optional>

namespace qg::gate {

/// A request with the nodes that it needs.
struct Placed {
    model::JobRequest request;
    bool has_grown = false; ///< it now counts more nodes than were sent
};

/// The request with the largest number of nodes that the selection may choose. If one node is not enough, the
/// smallest nodes are filled first. If a partition's kinds of nodes are not known, its nodes count as alike.
/// The result is the maximum over the partitions that can hold the job. Empty if none can, or if limits count
/// all memory of nodes that differ in memory. Unknown properties of a partition do not exclude the job,
/// except features and models that it asks for.
/// Cost: linear in the request's entries. Threads: pure.
std::optional<Placed> place(const ResolvedRequest& asked);

/// Whether the user can probably use the job's partitions. Nobody knows here who is in a group of
/// AllowGroups.
[[nodiscard]] bool are_open_to_user(const ResolvedRequest& resolved);

/// Whether a request is accepted and could start if no other job ran, both as it is counted and on the nodes
/// that it may get. Removes the current usage from the view. Threads: those of the provider.
bool is_surely_taken(ResolvedRequest& asked, limits::Strictness strictness);

} // namespace qg::gate
