// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/decide/resolve.hpp"

#include "qosgate/gate/size/count_job.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/resolved_job.hpp"
#include "qosgate/quota/privacy.hpp"

#include <algorithm>
#include <memory>
#include <span>

namespace qg::gate {
namespace {

// ---- hidden values -------------------------------------------------------------------------------------
// Values of a job that depend on a partition that is hidden from the reader: DefaultTime, a time limit set by
// its QOS, memory, MinNodes, billing weights. Comparing such a value with a limit would reveal it.

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

/// Marks values that must not be told: counts that would differ if the job's hidden partitions had no
/// settings, and the time limit of a job that names none. Marks all counts if the request is_too_long_for()
/// this. Cost: nothing without hidden partitions; else two counts for each partition.
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

// ---- resolve -------------------------------------------------------------------------------------------

const model::AccountView& nothing_known() {
    static const model::AccountView nothing = [] {
        model::AccountView view;
        view.tres = model::TresCatalogue::built_in();
        view.hidden = quota::all_private;
        return view;
    }();
    return nothing;
}

quota::Lookup make_lookup(const model::JobRequest& request, const PartitionList& partitions,
                          limits::Release release, const ResolveOptions& options) {
    quota::Lookup lookup;
    lookup.user_id = request.user_id;
    if (request.account) lookup.account = *request.account;
    if (request.qos) lookup.qos = *request.qos;
    lookup.has_reservation = request.reservation.has_value();
    lookup.takes_qos_lists = release.follows(limits::rules::takes_qos_lists);
    lookup.requester = options.requester;
    lookup.keeps_qos = options.keeps_qos;
    lookup.reader = options.requester.value_or(request.submit_uid);
    lookup.names_others = !partitions.unknown.empty() || request.reservation.has_value();
    lookup.partitions = partitions.found;
    return lookup;
}

/// Asks the provider for the view. Counts the request: while the provider makes the view, if it asks for the
/// job's bounds, or else afterwards.
Result<model::AccountView> look_up(CountedRequest& counted, const ResolveOptions& options) {
    const ClusterContext& context = counted.context;
    BoundsOfRequest bounds(counted);
    quota::Lookup lookup = make_lookup(counted.request, counted.partitions, context.release, options);
    const bool is_too_long = is_too_long_for(counted.partitions.found.size(), counted.request);
    // Whether a reservation is for the job depends on all accounts above.
    if (options.extent == ViewExtent::short_within_limits && !is_too_long && !counted.request.reservation)
        lookup.job_bounds = &bounds;
    lookup.own_qos = options.own_qos;
    auto found = context.provider.check(lookup);
    if (found) found->usage_lasts = context.cluster.usage_lasts;
    if (!bounds.was_asked()) counted.count(found ? *found : nothing_known());
    return found;
}

} // namespace

ResolvedRequest::ResolvedRequest(const model::JobRequest& asked, const ClusterContext& cluster,
                                 const ResolveOptions& options)
    : CountedRequest(asked, cluster, options.names_partitions), known(look_up(*this, options)) {
    if (!view().is_within_limits) mark_hidden_values(job, request, view(), context.cluster, context.release);
}

std::size_t bytes_of_resources(const model::JobRequest& request) {
    using model::JobRequest;
    std::size_t bytes = 0;
    for (const auto text : {&JobRequest::licenses, &JobRequest::tres_per_job, &JobRequest::tres_per_node,
                            &JobRequest::tres_per_socket, &JobRequest::tres_per_task,
                            &JobRequest::memory_per_tres, &JobRequest::cpus_per_tres})
        if (request.*text) bytes += (request.*text)->size();
    return bytes;
}

const model::AccountView& ResolvedRequest::view() const noexcept {
    return known ? *known : nothing_known();
}

ResolvedRequest resolve_again(const model::JobRequest& request, const ClusterContext& context,
                              bool is_change) {
    if (!is_change) return resolve(request, context, {.extent = ViewExtent::short_within_limits});
    ResolvedRequest resolved =
        resolve(request, context, {.requester = request.submit_uid, .names_partitions = false});
    resolved.job.is_update = true;
    resolved.job.array_tasks = 1;
    return resolved;
}

bool knows_partitions_of(const ResolvedRequest& resolved) {
    const KnownCluster& known = resolved.context.known;
    return known.cluster != nullptr && (!known.may_have_changed || resolved.partitions.unknown.empty());
}

bool names_no_partition(const ResolvedRequest& resolved) {
    if (!resolved.request.partition) return false;
    const bool lacks_one = resolved.partitions.found.empty() || !resolved.partitions.unknown.empty();
    return lacks_one && knows_partitions_of(resolved);
}

ResolvedRequest with_qos(const ResolvedRequest& resolved, std::size_t qos) {
    ResolvedRequest other = resolved;
    set_job_qos(*other.known, qos);
    other.known->job_qos.alternatives.clear();
    other.counter = JobCounter(resolved.counter, *other.known);
    return other;
}

} // namespace qg::gate
