// SPDX-License-Identifier: GPL-2.0-or-later
//
// The request as slurmctld changes it when it tries to start the job in one partition: with the defaults of
// that partition, and with CPUs for memory (limits/README.md 6.3, 8.5).
#pragma once

#include "qosgate/gate/nodes/node_demand.hpp"
#include "qosgate/gate/size/whole_cores.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/partition.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace qg::gate {

/// What each GPU of a job brings along unless the job says otherwise: DefCpuPerGPU and DefMemPerGPU of the
/// partition, or else of the cluster.
struct GpuDefaults {
    std::optional<std::uint64_t> cpus;
    std::optional<std::uint64_t> mib;

    [[nodiscard]] bool are_set() const noexcept { return cpus || mib; }
};
[[nodiscard]] inline GpuDefaults gpu_defaults(const model::Partition& partition,
                                              const model::Cluster& cluster) noexcept {
    return {partition.cpus_per_gpu ? partition.cpus_per_gpu : cluster.cpus_per_gpu,
            partition.memory_per_gpu_mib ? partition.memory_per_gpu_mib : cluster.memory_per_gpu_mib};
}

/// Whether this text for each GPU, of an existing job, may be the default of a partition in which slurmctld
/// has tried it: it writes "gpu:4" then, and the clients "gres:gpu:4".
[[nodiscard]] inline bool may_show_default(const model::JobRequest& request,
                                           const std::optional<std::string>& per_gpu) noexcept {
    return request.has_counted_cpus && per_gpu && per_gpu->starts_with("gpu:");
}

/// Whether in_partition() may change the request. `asks_for_gres`: the request mentions any.
[[nodiscard]] inline bool may_differ_in(const model::JobRequest& request, bool asks_for_gres,
                                        const model::Partition& partition,
                                        const model::Cluster& cluster) noexcept {
    return partition.max_memory || cluster.max_memory || request.has_default_memory ||
           gets_no_memory(request, default_memory_of(&partition, cluster)) ||
           (asks_for_gres && gpu_defaults(partition, cluster).are_set());
}

/// The changed request; empty: it stays as it is. With Extent::most, what an existing job shows counts as a
/// default where it may be one. Threads: pure.
[[nodiscard, gnu::cold]] std::optional<model::JobRequest> in_partition(const model::JobRequest& request,
                                                                       const model::Partition& partition,
                                                                       const model::Cluster& cluster,
                                                                       Extent extent);

} // namespace qg::gate
