// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/decide/hidden_values.hpp"

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/size/count_job.hpp"

#include <algorithm>
#include <memory>
#include <span>

namespace qg::gate {
namespace {

/// The parts of a view that counting a job reads, with the settings of hidden partitions removed.
model::AccountView without_hidden_settings(const model::AccountView& view) {
    model::AccountView bare;
    bare.tres = view.tres;
    bare.job_qos.flags = view.job_qos.flags;
    bare.partitions = view.partitions;
    for (model::PartitionChoice& choice : bare.partitions)
        if (choice.is_hidden) choice.partition = std::make_shared<const model::Partition>();
    return bare;
}

/// Whether the time limit of a job that names none may come from a hidden partition. The first partition
/// gives DefaultTime; if the reader can see that partition and it has one, no other partition changes it.
bool may_be_of_hidden(std::span<const model::PartitionChoice> partitions) {
    const model::PartitionChoice& first = partitions.front();
    if (!first.is_hidden && first.partition->default_time) return false;
    return std::ranges::any_of(partitions, [](const model::PartitionChoice& choice) {
        return choice.is_hidden && (choice.qos || choice.partition->default_time ||
                                    choice.partition->max_time != TimeLimit::unlimited());
    });
}

/// The counts of a job: as submitted, and in each attempt.
std::vector<model::TresCounts> count_all(const model::JobRequest& request, const model::AccountView& view,
                                         const model::Cluster& cluster, limits::Release release) {
    const JobCounter counter(request, view, cluster, release);
    model::ResolvedJob job;
    counter.count_submission(view, job);
    std::vector<model::TresCounts> all{job.tres};
    for (std::size_t i = 0; i < view.partitions.size(); ++i)
        all.push_back(counter.at_attempt(view, i, std::nullopt).value_or(job.tres));
    return all;
}

} // namespace

void mark_hidden_values(model::ResolvedJob& job, const model::JobRequest& request,
                        const model::AccountView& view, const model::Cluster& cluster,
                        limits::Release release) {
    if (std::ranges::none_of(view.partitions, &model::PartitionChoice::is_hidden)) return;
    job.is_time_hidden = !request.time_limit && may_be_of_hidden(view.partitions);
    if (is_too_long_for(view.partitions.size(), request)) {
        job.hidden_tres.assign(view.tres->size(), true);
        return;
    }
    const auto counts = count_all(request, view, cluster, release);
    const auto bare = count_all(request, without_hidden_settings(view), cluster, release);
    job.hidden_tres.assign(view.tres->size(), false);
    for (std::size_t i = 0; i < counts.size(); ++i)
        for (std::size_t tres = 0; tres < counts[i].size(); ++tres)
            if (counts[i][tres] != bare[i][tres]) job.hidden_tres[tres] = true;
}

} // namespace qg::gate
