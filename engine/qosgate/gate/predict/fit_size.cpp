// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/predict/fit_size.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/gate/answer/request_options.hpp"
#include "qosgate/gate/answer/submit_line.hpp"
#include "qosgate/gate/nodes/host_names.hpp"
#include "qosgate/gate/size/client_counts.hpp"
#include "qosgate/gate/size/job_size.hpp"
#include "qosgate/model/tres_request.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using model::JobRequest;

/// Whether the user gave no --mincpus: the clients also send --cpus-per-task as --mincpus.
bool has_implied_mincpus(const JobRequest& request) {
    return request.min_cpus_on(1) <= request.cpus_of_task() && !find_option(request.submit_line, "--mincpus");
}

/// Whether the nodes and tasks are free to change: they follow from nothing else, and nothing else follows
/// from them.
bool is_free(const JobRequest& request) {
    return !request.tasks_per_tres && has_implied_mincpus(request) && is_from_client(request);
}

/// Whether the job still gets all nodes of its --nodelist, and needs no others for more tasks.
bool keeps_named_nodes(const JobRequest& changed, const JobRequest& request) {
    constexpr std::size_t max_named = 1000;
    if (!request.required_nodes) return true;
    const std::uint32_t min = changed.min_nodes.value_or(1);
    const std::size_t named = first_hosts(*request.required_nodes, max_named).names.size();
    return named != 0 && named != max_named && named <= min && min <= request.min_nodes.value_or(1) &&
           changed.tasks.value_or(min) >= min && changed.tasks.value_or(0) <= request.tasks.value_or(min);
}

void set_nodes(JobRequest& request, std::uint64_t nodes) {
    request.min_nodes = request.max_nodes = to_count(nodes);
}

bool is_range(const JobRequest& request) {
    return request.max_nodes && request.max_nodes != request.min_nodes;
}

/// The sizes, with defaults for those that the user left out.
struct Size {
    explicit Size(const JobRequest& request)
        : nodes(std::max<std::uint64_t>(request.min_nodes.value_or(1), 1)),
          per_node(request.tasks_per_node.value_or(0)), per_task(request.cpus_of_task()),
          tasks(request.tasks.value_or(count_tasks(request))) {}

    std::uint64_t nodes;
    std::uint64_t per_node; ///< tasks; 0: not said
    std::uint64_t per_task; ///< CPUs
    std::uint64_t tasks;

  private:
    std::uint32_t count_tasks(const JobRequest& request) const {
        if (per_node != 0) return to_count(nodes * per_node);
        return is_range(request) ? 1 : to_count(nodes);
    }
};

/// Reduces the job to one task with this number of CPUs.
bool shrink_to_one_task(JobRequest& request, std::uint64_t cpus) {
    if (!request.cpus_per_task) return false;
    request.cpus_per_task = to_count(cpus);
    if (request.tasks) request.tasks = 1;
    if (request.tasks_per_node) request.tasks_per_node = 1;
    if (request.min_nodes.value_or(1) > 1 || is_range(request)) set_nodes(request, 1);
    return true;
}

/// A job with a number of tasks per node: fewer tasks on each or fewer nodes, whichever leaves more tasks.
bool fit_tasks_per_node(JobRequest& request, const Size& size, std::uint64_t tasks) {
    const std::uint64_t fewer_each = tasks / size.nodes;
    const std::uint64_t fewer_nodes = tasks / size.per_node;
    if (fewer_each != 0 && fewer_each * size.nodes >= fewer_nodes * size.per_node) {
        request.tasks_per_node = to_count(fewer_each);
        if (is_range(request)) set_nodes(request, size.nodes);
        request.tasks = to_count(std::min(size.tasks, fewer_each * size.nodes));
        return true;
    }
    if (fewer_nodes == 0) request.tasks_per_node = to_count(tasks);
    set_nodes(request, std::max<std::uint64_t>(fewer_nodes, 1));
    request.tasks =
        to_count(std::min(size.tasks, *request.min_nodes * std::uint64_t{*request.tasks_per_node}));
    return true;
}

/// A job with nodes but no tasks has one task per node: fewer nodes or fewer CPUs, whichever leaves more.
bool fit_nodes_of_one_task(JobRequest& request, const Size& size, std::uint64_t cpus) {
    const std::uint64_t per_task = cpus / size.nodes;
    const std::uint64_t nodes = cpus / size.per_task;
    if (request.cpus_per_task && per_task != 0 && per_task * size.nodes >= nodes * size.per_task)
        request.cpus_per_task = to_count(per_task);
    else if (nodes != 0)
        set_nodes(request, nodes);
    else
        return shrink_to_one_task(request, cpus);
    return true;
}

bool shrink_cpus(JobRequest& request, const Size& size, std::uint64_t cpus) {
    const std::uint64_t tasks = cpus / size.per_task;
    if (request.overcommit) {
        if (tasks == 0 || tasks >= size.nodes) return false;
        set_nodes(request, tasks);
        return true;
    }
    if (size.per_node != 0 && request.min_nodes && tasks != 0)
        return fit_tasks_per_node(request, size, tasks);
    if (request.min_nodes && !request.tasks && !is_range(request))
        return fit_nodes_of_one_task(request, size, cpus);
    if (tasks == 0) return shrink_to_one_task(request, cpus);
    request.tasks = to_count(tasks);
    if (size.nodes > tasks) set_nodes(request, tasks);
    return true;
}

/// Reduces CPUs that no task needs: those of GPUs, or of optional nodes.
bool shrink_extra_cpus(JobRequest& request, Amount cpus) {
    if (request.cpus_per_tres) {
        auto items = model::parse_tres_request(*request.cpus_per_tres);
        if (items.size() != 1) return false;
        items.front().count = items.front().count * cpus.target / cpus.asked;
        if (items.front().count == 0) return false;
        request.cpus_per_tres = format_tres_request(items);
        return true;
    }
    if (!is_range(request)) return false;
    set_nodes(request, request.min_nodes.value_or(1));
    return true;
}

bool raise_cpus(JobRequest& request, const Size& size, std::uint64_t cpus) {
    if (size.per_node != 0 || request.overcommit || request.cpus_per_tres) return false;
    request.tasks = to_count(divide_up(cpus, size.per_task));
    return true;
}

/// Changes a copy, so that a failed change leaves the request unchanged.
template <typename Change>
bool change_size(JobRequest& request, Change change) {
    if (!is_free(request)) return false;
    JobRequest changed = request;
    if (!change(changed) || !keeps_named_nodes(changed, request)) return false;
    derive_counts(changed);
    if (changed.min_cpus_per_node == request.cpus_per_task) changed.min_cpus_per_node = changed.cpus_per_task;
    request = std::move(changed);
    return true;
}

/// Whether there is at least one GPU per node in the job's total.
bool has_gpus_for(const JobRequest& request, std::uint64_t nodes) {
    if (!request.tres_per_job) return true;
    const auto items = model::parse_tres_request(*request.tres_per_job);
    return std::all_of(items.begin(), items.end(),
                       [&](const model::TresItem& item) { return item.count >= nodes; });
}

} // namespace

bool fit_cpus(JobRequest& request, Amount cpus) {
    if (cpus.target == 0 || cpus.asked == cpus.target) return false;
    return change_size(request, [&](JobRequest& changed) {
        const Size size(changed);
        if (cpus.target > cpus.asked) return raise_cpus(changed, size, cpus.target);
        const std::uint64_t of_tasks = changed.overcommit ? size.nodes : size.tasks * size.per_task;
        return of_tasks > cpus.target ? shrink_cpus(changed, size, cpus.target)
                                      : shrink_extra_cpus(changed, cpus);
    });
}

bool spread_tasks(JobRequest& request, std::uint64_t cpus_per_node, std::uint64_t max_nodes) {
    if (request.overcommit || request.cpus_per_tres) return false;
    return change_size(request, [&](JobRequest& changed) {
        const Size size(changed);
        const std::uint64_t fitting = cpus_per_node / size.per_task;
        if (fitting == 0) return false;
        const std::uint64_t nodes = std::min(divide_up(size.tasks, fitting), max_nodes);
        if (nodes <= size.nodes) return false;
        changed.tasks = to_count(size.tasks);
        if (size.per_node > fitting) {
            changed.tasks_per_node = to_count(fitting);
            changed.tasks = to_count(std::min(size.tasks, nodes * fitting));
        }
        if (is_range(changed) && *changed.max_nodes > nodes)
            changed.min_nodes = to_count(nodes);
        else
            set_nodes(changed, nodes);
        return true;
    });
}

bool fit_nodes(JobRequest& request, std::uint64_t max, std::uint64_t cpus_per_node) {
    if (max == 0) return false;
    return change_size(request, [&](JobRequest& changed) {
        const Size size(changed);
        const bool reaches_past = is_range(changed) && changed.max_nodes.value_or(0) > max;
        if (reaches_past && size.nodes < max)
            changed.max_nodes = to_count(max);
        else
            set_nodes(changed, max);
        std::uint64_t fitting = size.per_node != 0 ? size.per_node : cpus_per_node / size.per_task;
        if (fitting == 0) fitting = size.tasks;
        if (changed.tasks && size.tasks > max * fitting) changed.tasks = to_count(max * fitting);
        return true;
    });
}

bool raise_nodes(JobRequest& request, std::uint64_t min) {
    return change_size(request, [&](JobRequest& changed) {
        if (!has_gpus_for(changed, min)) return false;
        const std::uint32_t nodes = to_count(min);
        if (!is_range(changed) || *changed.max_nodes < nodes) changed.max_nodes = nodes;
        changed.min_nodes = nodes;
        if (changed.tasks && *changed.tasks < nodes) changed.tasks = nodes;
        return true;
    });
}

} // namespace qg::gate
