// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/size/whole_cores.hpp"

#include "qosgate/base/saturate.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using model::JobDetail;
using model::JobRequest;
using model::Partition;
using model::Processors;

/// A count of options such as --threads-per-core; 0: not given.
std::uint64_t count_of(const JobRequest& request, JobDetail detail) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(request.details.get(detail).number, 0));
}

/// How a job uses the cores of nodes that have so many threads on each.
struct CoreUse {
    CoreUse(const JobRequest& request, const model::Cluster& cluster, std::uint64_t threads, Extent extent)
        : per_task(request.cpus_of_task()), of_core(threads), used(threads) {
        const std::uint64_t max_used = count_of(request, JobDetail::threads_per_core);
        tasks_of_core = count_of(request, JobDetail::tasks_per_core);
        // Without other options about processors slurmctld ignores CR_ONE_TASK_PER_CORE here.
        if (tasks_of_core == 0 && cluster.gives_cores_to_tasks && extent == Extent::most) tasks_of_core = 1;
        if (tasks_of_core != 0) used = std::min(used, tasks_of_core * per_task);
        if (max_used != 0) used = std::min(used, max_used);
    }

    std::uint64_t per_task;          ///< CPUs
    std::uint64_t of_core;           ///< CPUs
    std::uint64_t used;              ///< of these
    std::uint64_t tasks_of_core = 0; ///< --ntasks-per-core; 0: any
};

/// Whether each node must have more CPUs than one of the job's tasks takes.
bool asks_beyond_a_task(const JobRequest& request, std::uint64_t nodes) {
    const auto is_more = [](std::optional<std::uint32_t> count, std::uint64_t than) {
        return count.value_or(0) > than;
    };
    return is_more(request.min_cpus_per_node, request.cpus_of_task()) || is_more(request.min_cpus, nodes) ||
           is_more(request.max_cpus, nodes) || cpus_of_shape(request) > 1 || request.cpus_per_tres;
}

/// The CPUs that each node has for tasks that share them: those of one task. slurmctld puts a second one on
/// the threads of its core, if there are more tasks than nodes and the node must have CPUs for it. [L22]
std::uint64_t shared_cpus(const JobRequest& request, TaskCount tasks, std::uint64_t threads,
                          std::uint64_t nodes) {
    const std::uint64_t per_task = request.cpus_of_task();
    const bool has_more = tasks == TaskCount::open || request.tasks.value_or(UINT32_MAX) > nodes;
    const bool has_second = has_more && per_task < threads && asks_beyond_a_task(request, nodes);
    return has_second ? 2 * per_task : per_task;
}

/// The cores that hold the CPUs, if each node uses the threads of its last core.
std::uint64_t least_cores(const CoreUse& use, std::uint64_t cpus, std::uint64_t nodes) {
    std::uint64_t cores = std::max(nodes, divide_up(cpus, use.used));
    if (use.tasks_of_core == 1 && use.per_task > use.used)
        cores = std::max(cores, saturated_product(cpus / use.per_task, divide_up(use.per_task, use.used)));
    return cores;
}

/// The same, if each node may leave threads of its last core idle. `on_each`: the CPUs for which each node
/// has whole cores, of --mincpus or of tasks that share CPUs.
std::uint64_t most_cores(const JobRequest& request, const Partition& partition, const CoreUse& use,
                         std::uint64_t cpus, std::uint64_t nodes, std::uint64_t on_each) {
    std::uint64_t cores = least_cores(use, cpus, nodes);
    if (nodes != 1) cores = std::max(cores, saturated_product(nodes, divide_up(on_each, use.used)));
    if (use.tasks_of_core == 1 && use.per_task > use.used)
        cores = std::max(cores,
                         saturated_product(divide_up(cpus, use.per_task), divide_up(use.per_task, use.used)));
    // slurmctld fills the cores of a node before it goes on, if tasks fit there and nothing bounds them, but
    // not if it keeps CPUs for the nodes of a range, nor if GPUs bring CPUs to each node.
    const bool has_range = request.max_nodes && request.max_nodes != request.min_nodes;
    const bool fills_cores =
        !has_range && use.used % use.per_task == 0 && request.tasks_per_node.value_or(0) == 0 &&
        request.tasks_per_socket.value_or(0) == 0 && !request.tres_per_task && !request.cpus_per_tres &&
        !partition.max_cpus_per_node && count_of(request, JobDetail::plane) == 0;
    const bool has_one_task = request.overcommit && cpus <= saturated_product(nodes, on_each);
    if (nodes == 1 || use.used == 1 || fills_cores || has_one_task) return cores;
    const std::uint64_t most = saturated_sum(cpus, saturated_product(nodes, use.used - 1)) / use.used;
    const std::uint64_t on_node = request.tasks_per_node.value_or(0) * use.per_task;
    if (cpus > saturated_product(nodes, on_node)) return std::max(cores, most);
    return std::max(cores, std::min(most, saturated_product(nodes, divide_up(on_node, use.used))));
}

/// The cores of a node that a job has at most because its GPUs are bound to sockets: one for each socket, or
/// more if it says how its tasks are spread.
std::uint64_t cores_for_sockets(const JobRequest& request, const Processors& processors, const CoreUse& use) {
    const std::uint64_t sockets = std::max(processors.max_sockets, 1u);
    const std::uint64_t of_socket = divide_up(processors.max_cpus_per_socket, use.of_core);
    if (use.tasks_of_core != 0) return sockets * std::max<std::uint64_t>(of_socket, 1);
    const std::uint64_t tasks = request.tasks_per_socket.value_or(0);
    return sockets * std::max<std::uint64_t>(divide_up(tasks * use.per_task, use.used), 1);
}

std::uint64_t least_of_sockets(const Processors& processors, std::uint64_t cpus, std::uint64_t nodes) {
    if (processors.min_cpus_per_socket == 0) return cpus;
    const std::uint64_t sockets = std::max(nodes, divide_up(cpus, processors.max_cpus_per_socket));
    return std::max(cpus, sockets * processors.min_cpus_per_socket);
}

/// Tasks are dealt out to sockets in turn, so each core may be on another.
std::uint64_t most_of_sockets(const Partition& partition, std::uint64_t cpus, std::uint64_t cores,
                              std::uint64_t nodes) {
    const Processors& processors = partition.processors;
    const std::uint64_t sockets =
        std::min(cores, saturated_product(nodes, std::max(processors.max_sockets, 1u)));
    std::uint64_t of_node = 0; // of nodes that differ, one may have more sockets, and another larger ones
    for (const model::NodeKind& kind : partition.node_kinds)
        of_node = std::max(of_node, kind.cpus);
    if (of_node == 0) of_node = UINT32_MAX;
    return std::max(cpus, std::min(saturated_product(sockets, processors.max_cpus_per_socket),
                                   saturated_product(nodes, of_node)));
}

} // namespace

bool binds_gres(const JobRequest& request) {
    return request.details.get(JobDetail::enforce_binding).number != 0;
}

model::NodeShape asked_shape(const JobRequest& request) {
    const auto count = [&](JobDetail detail) {
        return static_cast<std::uint32_t>(count_of(request, detail));
    };
    return {request.sockets_per_node.value_or(0), count(JobDetail::cores_per_socket),
            count(JobDetail::threads_per_core)};
}

std::uint64_t cpus_of_shape(const JobRequest& request) {
    const auto [sockets, cores, threads] = asked_shape(request);
    std::uint64_t cpus = 1;
    for (const std::uint32_t count : {sockets, cores, threads})
        cpus = saturated_product(cpus, std::max(count, 1u));
    return cpus;
}

std::uint64_t used_threads(const JobRequest& request, const model::Cluster& cluster,
                           std::uint32_t threads_per_core) {
    return CoreUse(request, cluster, threads_per_core, Extent::least).used;
}

std::uint64_t cpus_with_memory(const JobRequest& request, std::uint64_t cpus,
                               std::uint32_t threads_per_core) {
    const std::uint64_t used = count_of(request, JobDetail::threads_per_core);
    return used != 0 && used < threads_per_core ? cpus / threads_per_core * used : cpus;
}

GivenCpus whole_cores(const JobRequest& request, const Partition& partition, const model::Cluster& cluster,
                      std::uint64_t cpus, std::uint64_t nodes, Extent extent, TaskCount tasks) {
    const Processors& processors = partition.processors;
    const bool is_least = extent == Extent::least;
    const model::AllocatedUnit unit = model::selection_in(&partition, cluster).unit;
    const bool by_cores = gives_whole_cores(&partition, cluster);
    const bool binds = !is_least && binds_gres(request);
    const std::uint32_t threads =
        is_least ? processors.min_threads_per_core : processors.max_threads_per_core;
    std::uint64_t on_each = request.min_cpus_on(1);
    if (!is_least && request.overcommit) {
        on_each = shared_cpus(request, tasks, threads, nodes);
        cpus = std::max(cpus, saturated_product(nodes, on_each));
    }
    if (!by_cores && !binds) return {cpus, cpus};
    const CoreUse use(request, cluster, threads, extent);
    std::uint64_t cores =
        is_least ? least_cores(use, cpus, nodes) : most_cores(request, partition, use, cpus, nodes, on_each);
    if (binds) {
        const std::uint64_t each = cores_for_sockets(request, processors, use);
        cores = nodes == 1 ? std::max(cores, each) : saturated_sum(cores, saturated_product(nodes, each - 1));
    }
    // Of nodes whose cores have fewer threads a job may have as many CPUs as it asks for.
    std::uint64_t given = std::max(cpus, saturated_product(cores, by_cores ? use.of_core : use.used));
    if (!is_least) {
        const std::uint64_t of_node =
            saturated_product(processors.max_sockets, processors.max_cpus_per_socket);
        if (of_node != 0) given = std::max(cpus, std::min(given, saturated_product(nodes, of_node)));
    }
    if (unit == model::AllocatedUnit::socket)
        given = is_least ? least_of_sockets(processors, given, nodes)
                         : most_of_sockets(partition, given, cores, nodes);
    return {given, by_cores ? cpus_with_memory(request, given, threads) : given};
}

} // namespace qg::gate
