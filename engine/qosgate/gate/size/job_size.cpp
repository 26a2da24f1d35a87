// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/size/job_size.hpp"

#include "qosgate/gate/size/ranges.hpp"
#include "qosgate/model/looked_up_names.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using limits::Release;
namespace rules = limits::rules;
using model::JobRequest;

std::optional<std::uint64_t> count_asked_nodes(const JobRequest& request, std::uint64_t listed,
                                               Release release) {
    std::optional<std::uint64_t> nodes = request.min_nodes;
    if (!nodes && model::has_empty_node_list(request)) nodes = 0;
    if (request.required_nodes) {
        if (!nodes)
            nodes = listed;
        else if (!release.follows(rules::ignores_long_node_list))
            nodes = std::max(*nodes, listed);
    }
    if (!nodes && release.follows(rules::defaults_nodes_early)) nodes = 1;
    return nodes;
}

std::optional<std::uint64_t> count_tasks(const JobRequest& request, std::optional<std::uint64_t> nodes,
                                         Release release) {
    if (request.tasks) return *request.tasks;
    if (!nodes) return std::nullopt;
    if (release.follows(rules::defaults_nodes_early) && request.tasks_per_tres)
        return *request.tasks_per_tres * *nodes;
    if (request.tasks_per_node) return *request.tasks_per_node * *nodes;
    return std::nullopt;
}

std::optional<std::uint64_t> count_cpus(const JobRequest& request, const JobSize& size, Release release) {
    const bool is_missing = !request.min_cpus && release.follows(rules::counts_missing_cpus);
    const bool is_too_small = request.min_cpus && size.tasks && *size.tasks > *request.min_cpus;
    if (request.overcommit || request.has_counted_cpus || (!is_missing && !is_too_small))
        return request.min_cpus;
    return size.tasks.value_or(size.nodes.value_or(1)) * request.cpus_of_task();
}

} // namespace

JobSize size_of(const JobRequest& request, Release release) {
    std::uint64_t listed = request.required_nodes ? count_nodes(*request.required_nodes) : 0;
    if (request.listed_nodes) listed = *request.listed_nodes;
    JobSize size;
    size.nodes = count_asked_nodes(request, listed, release);
    size.max_nodes = request.max_nodes;
    size.tasks = count_tasks(request, size.nodes, release);
    size.cpus = count_cpus(request, size, release);
    if (size.cpus && !release.follows(rules::ignores_long_node_list))
        size.cpus = std::max(*size.cpus, listed);
    return size;
}

} // namespace qg::gate
