// SPDX-License-Identifier: GPL-2.0-or-later
//
// On how many nodes a job ends. slurmctld chooses them after it has looked at limits, so that a job may be
// too large for limits and nodes at once, and may come to more than was counted.
#pragma once

#include "qosgate/gate/nearest.hpp"

#include <optional>

namespace qg::gate {

/// A request on nodes.
struct Placed {
    model::JobRequest request;
    bool has_grown = false; ///< it counts as more than it was sent with
};

/// `request` with at least as many nodes as it fills, where nodes are as those of its partitions are on
/// average; a job for one node may have the largest. Of several partitions that could hold it the one with
/// the smallest nodes counts. Resources per socket count for all sockets that a node has: how many a job gets
/// is up to the selection. Nothing where no partition could hold it. What is not known of a partition is not
/// missing there.
/// Cost: linear in what it names. Threads: pure.
std::optional<Placed> place(const model::JobRequest& request, const Resolved& resolved,
                            const model::Cluster& cluster, limits::Release release);

/// Whether a request is accepted and can start, both as it is counted and on the nodes that it fills.
/// Threads: those of the provider.
bool is_surely_taken(const model::JobRequest& request, const Case& at, limits::Strictness strictness);

} // namespace qg::gate
