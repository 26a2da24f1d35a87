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

/// The tasks whose CPUs slurmctld makes those of a job where MaxMemPerCPU multiplies CPUs per task; 0: it
/// makes the CPUs of a task those of each node.
[[nodiscard]] inline std::uint64_t tasks_for_memory(const model::JobRequest& request) noexcept {
    if (const std::uint64_t tasks = request.tasks.value_or(0); tasks != 0) return tasks;
    return request.min_nodes.value_or(1) * std::uint64_t{request.tasks_per_node.value_or(0)};
}

/// Whether a job asks for more CPUs than its tasks have.
[[nodiscard]] inline bool asks_beyond_tasks(const model::JobRequest& request) noexcept {
    const std::uint64_t tasks = tasks_for_memory(request);
    return tasks != 0 ? request.min_cpus.value_or(0) > tasks * request.cpus_of_task()
                      : request.min_cpus_per_node.value_or(0) > request.cpus_of_task();
}

/// Whether MaxMemPerCPU of the partition hides how many CPUs the job asks for: slurmctld replaces those of a
/// job that asks_beyond_tasks(), shows only these, and takes the others again in another partition.
[[nodiscard, gnu::cold]] bool hides_cpus(const model::JobRequest& request, const model::Partition& partition,
                                         const model::Cluster& cluster);

/// A job after a change with the values from which slurmctld may start: those before MaxMemPerCPU of a
/// partition divided its memory per CPU. `shown` is the job before the change, with the largest factor that
/// its partitions can have applied. Empty: none can have, or the change replaces the memory. Threads: pure.
[[nodiscard]] std::optional<model::JobRequest> with_undivided_memory(const model::JobRequest& after,
                                                                     const model::JobRequest& shown,
                                                                     const model::Cluster& cluster);

} // namespace qg::gate
