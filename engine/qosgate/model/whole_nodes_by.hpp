// SPDX-License-Identifier: GPL-2.0-or-later
//
// The one decision whether a job gets whole nodes only, and why (limits/README.md 6.3).
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/partition.hpp"

#include <cstdint>

namespace qg::model {

/// What makes slurmctld give a job whole nodes only.
enum class WholeNodesBy : std::uint8_t {
    nothing,
    exclusive,    ///< --exclusive
    core_spec,    ///< --core-spec, any number
    thread_spec,  ///< --thread-spec, any number
    partition,    ///< OverSubscribe=EXCLUSIVE
    select_linear ///< SelectType=select/linear
};

/// What of the request itself does. Threads: pure.
[[nodiscard]] inline WholeNodesBy whole_nodes_asked_by(const JobRequest& request,
                                                       const Cluster& cluster) noexcept {
    if (cluster.allows_spec_resources) [[unlikely]] {
        const auto sets = [&request](JobDetail detail) {
            return request.details.get(detail).kind != DetailValue::Kind::unset;
        };
        if (sets(JobDetail::core_spec)) return WholeNodesBy::core_spec;
        if (sets(JobDetail::thread_spec)) return WholeNodesBy::thread_spec;
    }
    return request.exclusive ? WholeNodesBy::exclusive : WholeNodesBy::nothing;
}

/// What does in one partition; `partition` may be null (none). Threads: pure.
[[nodiscard]] inline WholeNodesBy whole_nodes_by(const JobRequest& request, const Partition* partition,
                                                 const Cluster& cluster) noexcept {
    if (const WholeNodesBy asked = whole_nodes_asked_by(request, cluster); asked != WholeNodesBy::nothing)
        return asked;
    if (partition != nullptr && partition->gives_whole_nodes) return WholeNodesBy::partition;
    return cluster.gives_whole_nodes ? WholeNodesBy::select_linear : WholeNodesBy::nothing;
}

[[nodiscard]] inline bool takes_whole_nodes(const JobRequest& request, const Partition* partition,
                                            const Cluster& cluster) noexcept {
    return whole_nodes_by(request, partition, cluster) != WholeNodesBy::nothing;
}

} // namespace qg::model
