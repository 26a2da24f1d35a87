// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld gives for a number of CPUs where it allocates whole cores or sockets (limits/README.md 6.3).
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/partition.hpp"

#include <cstdint>

namespace qg::gate {

/// Which count of a job is wanted, as the nodes that it gets decide: the one that it certainly has, or the
/// largest that it may have.
enum class Extent : std::uint8_t { least, most };

/// Whether the number of a job's tasks is the one that its request has, or open: slurmctld has 0.
enum class TaskCount : std::uint8_t { as_asked, open };

/// The CPUs of a job.
struct GivenCpus {
    std::uint64_t cpus = 0;
    std::uint64_t with_memory = 0; ///< those of them for which memory per CPU counts
};

/// Whether a job in this partition, which may be null, may get more CPUs than it asks for because they are
/// those of whole cores or sockets.
[[nodiscard]] inline bool gives_whole_cores(const model::Partition* partition,
                                            const model::Cluster& cluster) noexcept {
    const model::AllocatedUnit unit = model::selection_in(partition, cluster).unit;
    return unit != model::AllocatedUnit::cpu && partition != nullptr &&
           (partition->processors.max_threads_per_core > 1 || unit == model::AllocatedUnit::socket);
}

/// Whether tasks that share CPUs may get further threads of their cores: slurmctld gives them for
/// --threads-per-core, for --mincpus and the like, also where it allocates CPUs.
[[nodiscard]] inline bool may_share_cores(const model::JobRequest& request,
                                          const model::Partition* partition) noexcept {
    return request.overcommit && partition != nullptr && partition->processors.max_threads_per_core > 1;
}

/// The CPUs of the cores or sockets on so many nodes that hold `cpus` CPUs. If gives_whole_cores() is false,
/// only --gres-flags=enforce-binding and may_share_cores() add any, to the most. `nodes` is at least 1.
/// Threads: pure.
[[nodiscard]] GivenCpus whole_cores(const model::JobRequest& request, const model::Partition& partition,
                                    const model::Cluster& cluster, std::uint64_t cpus, std::uint64_t nodes,
                                    Extent extent, TaskCount tasks = TaskCount::as_asked);

/// The CPUs for which memory per CPU counts if a job gets `cpus` CPUs of whole nodes that have so many
/// threads per core: with --threads-per-core those that it uses.
[[nodiscard]] std::uint64_t cpus_with_memory(const model::JobRequest& request, std::uint64_t cpus,
                                             std::uint32_t threads_per_core);

/// The sockets, cores and threads that each node of the job must have.
[[nodiscard]] model::NodeShape asked_shape(const model::JobRequest& request);

/// The CPUs of the sockets, cores and threads of a node that the job asks for (-B).
[[nodiscard]] std::uint64_t cpus_of_shape(const model::JobRequest& request);

/// The CPUs of a core with so many threads on which the job's tasks run.
[[nodiscard]] std::uint64_t used_threads(const model::JobRequest& request, const model::Cluster& cluster,
                                         std::uint32_t threads_per_core);

/// Whether each GPU of the job needs cores of its socket (--gres-flags=enforce-binding).
[[nodiscard]] bool binds_gres(const model::JobRequest& request);

} // namespace qg::gate
