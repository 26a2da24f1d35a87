// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/fits_nodes.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using model::JobRequest;
using model::Partition;
using model::TresKind;

bool fits_tasks(const JobRequest& request) {
    if (!request.tasks || !request.tasks_per_node || !request.max_nodes) return true;
    return *request.tasks <= std::uint64_t{*request.max_nodes} * *request.tasks_per_node;
}

bool fits_partition(const Partition& partition, const JobRequest& request, const model::ResolvedJob& job,
                    const model::TresCatalogue& tres) {
    const auto totals = model::parse_tres_list(tres, partition.tres);
    if (partition.total_nodes == 0 || !totals) return true;
    const std::uint64_t nodes =
        std::min(request.max_nodes.value_or(partition.total_nodes), partition.total_nodes);
    return std::ranges::all_of(*totals, [&](const auto& total) {
        const auto index = tres.find(total.first);
        if (!index || !total.second) return true;
        const TresKind kind = tres.kind(*index);
        const bool belongs_to_nodes =
            kind == TresKind::cpu || kind == TresKind::mem || kind == TresKind::gres;
        const std::uint64_t on_nodes = *total.second * nodes / partition.total_nodes;
        return !belongs_to_nodes || model::count_at(job.tres, *index) <= on_nodes;
    });
}

} // namespace

bool fits_nodes(const JobRequest& request, const Resolved& resolved) {
    const model::AccountView& view = resolved.view();
    return fits_tasks(request) &&
           (view.partitions.empty() ||
            std::ranges::any_of(view.partitions, [&](const model::PartitionChoice& choice) {
                return fits_partition(*choice.partition, request, resolved.job, *view.tres);
            }));
}

} // namespace qg::gate
