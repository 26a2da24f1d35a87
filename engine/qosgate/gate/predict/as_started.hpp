// SPDX-License-Identifier: GPL-2.0-or-later
//
// The one reading of a request that limits and rules share: as slurmctld reads it when it starts the job
// (limits/README.md 6.3).
#pragma once

#include "qosgate/model/whole_nodes_by.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace qg::gate {

/// The counts of which slurmctld makes 1 if they are 0.
inline constexpr std::optional<std::uint32_t> model::JobRequest::*raised_counts[] = {
    &model::JobRequest::min_nodes, &model::JobRequest::tasks};

/// The request with counts of 0 raised to 1, without a maximum of 0 nodes, and with --exclusive where another
/// option stands for it; null if it is written so, as is usual. Threads: pure.
[[nodiscard]] inline std::unique_ptr<model::JobRequest> as_started(const model::JobRequest& request,
                                                                   const model::Cluster& cluster) {
    std::unique_ptr<model::JobRequest> started;
    const auto change = [&]() -> model::JobRequest& {
        if (!started) started = std::make_unique<model::JobRequest>(request);
        return *started;
    };
    for (const auto count : raised_counts)
        if (request.*count == 0u) [[unlikely]]
            change().*count = 1;
    if (request.max_nodes == 0u) [[unlikely]]
        change().max_nodes.reset();
    if (!request.exclusive && model::whole_nodes_asked_by(request, cluster) != model::WholeNodesBy::nothing)
        [[unlikely]]
        change().exclusive = true;
    return started;
}

} // namespace qg::gate
