// SPDX-License-Identifier: GPL-2.0-or-later
//
// The nearest request that the limits would accept: as little changed as possible, in the words of the
// command that was used. It stands beside the counting of requests, because a proposal is checked by counting
// it.
#pragma once

#include "qosgate/limits/submit.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"

#include <optional>
#include <string>
#include <vector>

namespace qg::gate {

/// What a proposal has to reach.
enum class Goal : std::uint8_t {
    accepted,  ///< the submit stage lets it pass
    can_start, ///< and no limit holds it for good
};

/// Options such as "--gres=gpu:2 --time=08:00:00" with which the job reaches the goal, checked against the
/// engine. Nothing if none was found, or if the job is there already. Threads: pure.
std::optional<std::string> find_nearest(const model::JobRequest& request, const model::AccountView& view,
                                        const model::Cluster& cluster, limits::Release release,
                                        limits::Strictness strictness, Goal goal = Goal::accepted);

} // namespace qg::gate
