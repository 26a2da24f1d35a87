// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/counted_alike.hpp"

#include "job/holders.hpp"

#include "qosgate/model/whole_nodes_by.hpp"

#include <optional>

namespace qg::cli {
namespace {

bool are_shown(const model::TresCounts& counts, const model::TresCatalogue& tres, const model::QueuedJob& job,
               bool compares_nodes) {
    for (std::size_t at = 0; at < tres.size(); ++at) {
        const bool is_compared = tres.kind(at) != model::TresKind::energy &&
                                 (compares_nodes || tres.kind(at) != model::TresKind::node);
        if (is_compared && !amounts_in(job.tres, tres.name(at)).contains(model::count_at(counts, at)))
            return false;
    }
    return true;
}

} // namespace

bool is_counted_alike(const gate::ResolvedRequest& asked, const model::QueuedJob& job, std::size_t partition,
                      bool compares_nodes) {
    const model::AccountView& view = asked.view();
    if (partition >= view.partitions.size()) return false;
    const auto counts = asked.counter.at_attempt(view, partition, std::nullopt).value_or(asked.job.tres);
    if (are_shown(counts, *view.tres, job, compares_nodes)) return true;
    const model::Partition* in = view.partitions[partition].partition.get();
    // GPUs may come from several nodes, of which squeue shows the fewest.
    if (asked.request.cpus_per_tres)
        return are_shown(asked.job.tres, *view.tres, job, /*compares_nodes=*/false);
    return model::takes_whole_nodes(asked.request, in, asked.context.cluster) &&
           are_shown(asked.job.tres, *view.tres, job, compares_nodes);
}

} // namespace qg::cli
