// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/size/counted_request.hpp"

#include "qosgate/gate/partitions/completed_request.hpp"
#include "qosgate/gate/predict/forecast.hpp"
#include "qosgate/model/tres_request.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using model::TresCounts;

/// Extends the bounds to include `counts`.
void widen(TresCounts& min, TresCounts& max, const TresCounts& counts) {
    for (std::size_t tres = 0; tres < counts.size(); ++tres) {
        min[tres] = std::min(min[tres], counts[tres]);
        max[tres] = std::max(max[tres], counts[tres]);
    }
}

} // namespace

CountedRequest::CountedRequest(const model::JobRequest& asked, const ClusterContext& cluster, bool is_new)
    : completed(is_new ? complete(asked, cluster.cluster) : nullptr), request(completed ? *completed : asked),
      context(cluster), partitions(find_partitions(request, cluster.cluster, is_new)),
      counter(request, cluster.cluster, cluster.release) {}

void CountedRequest::count(const model::AccountView& view) {
    counter.start(view);
    counter.count_submission(view, job);
}

std::optional<model::ResourceBounds> BoundsOfRequest::bounds(const model::AccountView& view) {
    was_asked_ = true;
    request_.count(view);
    const JobCounter& counter = request_.counter;
    const model::ResolvedJob& job = request_.job;
    if (!certainly_starts(request_.partitions, counter, job, view)) return std::nullopt;
    model::ResourceBounds bounds{job.tres, job.tres, job.time_limit, job.array_tasks};
    for (std::size_t i = 0; i < std::max<std::size_t>(view.partitions.size(), 1); ++i) {
        const auto counts = counter.at_attempt(view, i, std::nullopt);
        if (!counts) continue;
        if (min_.empty()) min_ = max_ = job.tres;
        widen(min_, max_, *counts);
        bounds.min = min_;
        bounds.max = max_;
    }
    if (may_take_more_nodes(view)) add_nodes(bounds, view);
    return bounds;
}

/// Whether the job may need more nodes than it asks for. Then it gets more, or is refused if a limit on nodes
/// forbids that.
bool BoundsOfRequest::may_take_more_nodes(const model::AccountView& view) const {
    if (request_.request.tres_per_job) return true;
    const auto cpu = view.tres->find(model::TresKind::cpu);
    const std::uint64_t asked = cpu ? model::count_at(request_.job.tres, *cpu) : 0;
    return std::ranges::any_of(view.partitions, [asked](const model::PartitionChoice& choice) {
        return choice.partition->min_node_cpus != 0 && asked > choice.partition->min_node_cpus;
    });
}

/// Each node that it gets has one of its tasks or GPUs at least.
[[gnu::cold]] void BoundsOfRequest::add_nodes(model::ResourceBounds& bounds, const model::AccountView& view) {
    const auto node = view.tres->node();
    if (!node) return;
    if (max_.empty()) min_ = max_ = request_.job.tres;
    std::uint64_t max = std::max<std::uint64_t>(max_[*node], request_.request.tasks.value_or(1));
    model::for_each_gres_item(request_.request.tres_per_job,
                              [&](const model::TresItem& item) { max = std::max(max, item.count); });
    max_[*node] = max;
    bounds.min = min_;
    bounds.max = max_;
}

} // namespace qg::gate
