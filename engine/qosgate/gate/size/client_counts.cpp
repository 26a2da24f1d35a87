// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/size/client_counts.hpp"

#include "qosgate/gate/nodes/host_names.hpp"
#include "qosgate/gate/size/job_size.hpp"
#include "qosgate/model/looked_up_names.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace qg::gate {

using model::JobRequest;

namespace {

/// The tasks for which the commands ask for CPUs, whether they send their number or leave that to slurmctld.
std::uint32_t count_tasks(const JobRequest& request, std::uint32_t nodes, bool is_range) {
    if (request.tasks) return *request.tasks;
    if (is_range) return 1;
    const std::uint64_t tasks =
        std::uint64_t{nodes} * std::max<std::uint64_t>(request.tasks_per_node.value_or(1), 1);
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(tasks, std::numeric_limits<std::uint32_t>::max()));
}

} // namespace

void derive_counts(JobRequest& request) {
    const std::uint32_t nodes = std::max(request.min_nodes.value_or(1), 1u);
    if (request.tasks && request.max_nodes)
        request.max_nodes = std::max(std::min(*request.max_nodes, *request.tasks), nodes);
    const bool is_range = request.max_nodes && request.max_nodes != request.min_nodes;
    const std::uint32_t tasks = count_tasks(request, nodes, is_range);
    request.min_cpus = request.overcommit ? nodes : to_count(tasks * request.cpus_of_task());
}

void complete_options(JobRequest& request, bool counts_tasks) {
    constexpr std::size_t max_named = 65536;
    if (request.required_nodes) {
        const auto named = first_hosts(*request.required_nodes, max_named).names.size();
        if (named != 0) // else it is not readable, and counts for nothing
            request.min_nodes = std::max(request.min_nodes.value_or(0), static_cast<std::uint32_t>(named));
    }
    if (model::has_empty_node_list(request) && !request.min_nodes) request.min_nodes = 0;
    const bool is_range = request.max_nodes && request.max_nodes != request.min_nodes;
    if (counts_tasks && request.tasks_per_node && !request.tasks && !is_range)
        request.tasks = request.min_nodes.value_or(1) * *request.tasks_per_node;
    if (request.cpus_per_task)
        request.min_cpus_per_node = std::max(request.min_cpus_per_node.value_or(0), *request.cpus_per_task);
    if (request.min_nodes && request.tasks && *request.tasks < *request.min_nodes)
        request.min_nodes = request.max_nodes = request.tasks;
    derive_counts(request);
}

bool is_from_client(const JobRequest& request) {
    JobRequest derived = request;
    derive_counts(derived);
    return derived.min_cpus == request.min_cpus && derived.max_nodes == request.max_nodes;
}

} // namespace qg::gate
