// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/fits_nodes.hpp"

#include "qosgate/base/text.hpp"

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

/// How many nodes may hold the job: where it asks for something on each, no more than were counted.
std::uint64_t count_holding_nodes(const Partition& partition, const JobRequest& request,
                                  const model::ResolvedJob& job, const model::TresCatalogue& tres) {
    const bool asks_for_each = (request.memory && !request.memory->per_cpu) || request.tres_per_node;
    if (!asks_for_each || !tres.node())
        return std::min(request.max_nodes.value_or(partition.total_nodes), partition.total_nodes);
    return std::max<std::uint64_t>(model::count_at(job.tres, *tres.node()), 1);
}

bool fits_partition(const Partition& partition, const JobRequest& request, const model::ResolvedJob& job,
                    const model::TresCatalogue& tres) {
    if (partition.total_nodes == 0) return true;
    const std::uint64_t nodes = count_holding_nodes(partition, request, job, tres);
    bool fits = true;
    text::for_each_part(partition.tres, ',', [&](std::string_view part) {
        const auto equals = std::min(part.find('='), part.size());
        const auto index = tres.find(part.substr(0, equals));
        const auto total = text::parse_unsigned(part.substr(std::min(equals + 1, part.size())));
        if (!index || !total) return; // memory may have a fraction, "187.50G"
        const TresKind kind = tres.kind(*index);
        if (kind != TresKind::cpu && kind != TresKind::gres) return;
        fits = fits && model::count_at(job.tres, *index) <= *total * nodes / partition.total_nodes;
    });
    return fits;
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
