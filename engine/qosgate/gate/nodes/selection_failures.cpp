// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nodes/selection_failures.hpp"

#include "qosgate/model/tres_request.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

namespace rules = limits::rules;
using model::JobRequest;

bool has_gres(const std::optional<std::string>& text) {
    bool found = false;
    model::for_each_gres_item(text, [&](const model::TresItem&) { found = true; });
    return found;
}

/// Whether the text asks for several models of one gres.
bool mixes_models(const std::optional<std::string>& text) {
    if (!text) return false;
    const std::vector<model::TresItem> items = model::parse_tres_request(*text);
    for (std::size_t i = 1; i < items.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (items[i].is_same_resource(items[j]) && !items[i].is_same_tres(items[j])) return true;
    return false;
}

/// Whether the tasks are too few to put tasks_per_node on each of so many nodes.
bool is_short_of_tasks(const JobRequest& request, std::uint64_t nodes) {
    return request.tasks && request.tasks_per_node && *request.tasks < *request.tasks_per_node * nodes;
}

/// Whether the job names CPUs per task, and its tasks need more of them than one on each node.
bool has_cpus_for_tasks(const JobRequest& request) {
    return request.cpus_per_task &&
           request.tasks.value_or(1) * std::uint64_t{*request.cpus_per_task} > request.min_nodes.value_or(1);
}

/// The CPUs that --cpus-per-gpu gives to the gres in `text`; 0: none.
std::uint64_t cpus_of(const std::optional<std::string>& text, const JobRequest& request) {
    constexpr std::uint64_t max = std::uint64_t{1} << 20; // larger than any cluster; avoids overflow
    std::uint64_t sum = 0;
    if (!text || !request.cpus_per_tres) return sum;
    model::for_each_tres_item(*request.cpus_per_tres, [&](const model::TresItem& cpus) {
        model::for_each_tres_item(*text, [&](const model::TresItem& item) {
            if (item.is_same_resource(cpus))
                sum = std::min(sum + std::min(item.count, max) * std::min(cpus.count, max), max * max);
        });
    });
    return sum;
}

/// Whether the tasks need more CPUs than the gres of all nodes bring. Then some releases look for more nodes
/// if the job names no maximum, and others find none if it does.
bool is_short_of_cpus(const JobRequest& request, bool gives_cpus_of_gres_only) {
    if (request.tasks.value_or(0) == 0) return false;
    const std::uint64_t needed = *request.tasks * request.cpus_of_task();
    const std::uint64_t of_job = cpus_of(request.tres_per_job, request);
    const bool is_short_of_job = of_job != 0 && needed > of_job;
    if (!gives_cpus_of_gres_only) return is_short_of_job && !request.max_nodes;
    if (!request.max_nodes) return false;
    const std::uint64_t of_node = cpus_of(request.tres_per_node, request);
    return (of_node != 0 && (needed - 1) / of_node >= *request.max_nodes) ||
           (is_short_of_job && *request.max_nodes > 1);
}

} // namespace

bool gives_cpus_to_models(const JobRequest& request) {
    return request.cpus_per_tres &&
           (mixes_models(request.tres_per_job) || mixes_models(request.tres_per_node) ||
            mixes_models(request.tres_per_socket) || mixes_models(request.tres_per_task));
}

std::optional<std::uint64_t> cpus_of_gres_on_node(const JobRequest& request, limits::Release release) {
    const std::uint64_t cpus = cpus_of(request.tres_per_node, request);
    if (cpus == 0 || !release.follows(rules::gives_cpus_of_gres_only)) return std::nullopt;
    return cpus;
}

bool may_fail_selection(const JobRequest& request, limits::Release release) {
    const bool gives_to_full_nodes = release.follows(rules::gives_gres_to_full_nodes);
    if (has_gres(request.tres_per_task) &&
        is_short_of_tasks(request, gives_to_full_nodes ? request.min_nodes.value_or(1) : 1))
        return true;
    if (gives_to_full_nodes && request.overcommit && has_gres(request.tres_per_task)) return true;
    if (release.follows(rules::loses_overcommitted_tasks) && request.overcommit &&
        has_cpus_for_tasks(request))
        return true;
    if (gives_to_full_nodes && has_gres(request.tres_per_job) &&
        is_short_of_tasks(request, request.min_nodes.value_or(1)))
        return true;
    if (is_short_of_cpus(request, release.follows(rules::gives_cpus_of_gres_only))) return true;
    return gives_cpus_to_models(request);
}

} // namespace qg::gate
