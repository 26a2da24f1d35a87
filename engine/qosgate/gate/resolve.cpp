// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/resolve.hpp"

#include "qosgate/quota/privacy.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using model::TresCounts;

const model::Cluster& no_cluster() {
    static const model::Cluster none;
    return none;
}

quota::Lookup make_lookup(const model::JobRequest& request, const PartitionList& partitions,
                          limits::Release release, std::optional<std::uint32_t> requester) {
    quota::Lookup lookup;
    lookup.user_id = request.user_id;
    if (request.account) lookup.account = *request.account;
    if (request.qos) lookup.qos = *request.qos;
    lookup.has_reservation = request.reservation.has_value();
    lookup.takes_qos_lists = release.follows(limits::rules::takes_qos_lists);
    lookup.requester = requester;
    lookup.reader = requester.value_or(request.submit_uid);
    lookup.names_others = !partitions.unknown.empty() || request.reservation.has_value();
    lookup.partitions = partitions.found;
    return lookup;
}

/// Widens bounds to counts.
void widen(TresCounts& least, TresCounts& most, const TresCounts& counts) {
    for (std::size_t tres = 0; tres < counts.size(); ++tres) {
        least[tres] = std::min(least[tres], counts[tres]);
        most[tres] = std::max(most[tres], counts[tres]);
    }
}

} // namespace

std::size_t bytes_of_resources(const model::JobRequest& request) {
    using model::JobRequest;
    std::size_t bytes = 0;
    for (const auto text : {&JobRequest::licenses, &JobRequest::tres_per_job, &JobRequest::tres_per_node,
                            &JobRequest::tres_per_socket, &JobRequest::tres_per_task,
                            &JobRequest::memory_per_tres, &JobRequest::cpus_per_tres})
        if (request.*text) bytes += (request.*text)->size();
    return bytes;
}

/// Counts the job at its submission and in every attempt to start it.
class Resolved::Counting final : public quota::JobCounting {
  public:
    Counting(Resolved& resolved, const model::JobRequest& request, const model::Cluster& cluster,
             limits::Release release)
        : resolved_(resolved), request_(request), cluster_(cluster), release_(release) {}

    model::Demand demand(const model::AccountView& view) override {
        resolved_.count(request_, view, cluster_, release_);
        const model::ResolvedJob& job = resolved_.job;
        model::Demand demand{job.tres, job.tres, job.time_limit, job.array_tasks};
        for (std::size_t i = 0; i < std::max<std::size_t>(view.partitions.size(), 1); ++i) {
            const auto counts = resolved_.counter->at_attempt(view, i, std::nullopt);
            if (!counts) continue;
            if (least_.empty()) least_ = most_ = job.tres;
            widen(least_, most_, *counts);
            demand.least = least_;
            demand.most = most_;
        }
        return demand;
    }

  private:
    Resolved& resolved_;
    const model::JobRequest& request_;
    const model::Cluster& cluster_;
    limits::Release release_;
    TresCounts least_; ///< empty where all attempts ask for what the submission does
    TresCounts most_;
};

Resolved::Resolved(const model::JobRequest& request, const model::Cluster* known_cluster,
                   const quota::QuotaProvider& provider, limits::Release release,
                   std::optional<std::uint32_t> requester, ViewKind kind)
    : partitions(find_partitions(request, known_cluster ? *known_cluster : no_cluster())),
      known(look_up(request, known_cluster ? *known_cluster : no_cluster(), provider, release, requester,
                    kind)) {
    if (!counter) count(request, view(), known_cluster ? *known_cluster : no_cluster(), release);
}

Result<model::AccountView> Resolved::look_up(const model::JobRequest& request, const model::Cluster& cluster,
                                             const quota::QuotaProvider& provider, limits::Release release,
                                             std::optional<std::uint32_t> requester, ViewKind kind) {
    quota::Lookup lookup = make_lookup(request, partitions, release, requester);
    Counting counting(*this, request, cluster, release);
    const bool is_too_long = is_too_long_for(partitions.found.size(), bytes_of_resources(request));
    if (kind == ViewKind::may_leave_room && !is_too_long) lookup.counting = &counting;
    auto view = provider.check(lookup);
    if (view) view->usage_lasts = cluster.usage_lasts;
    return view;
}

void Resolved::count(const model::JobRequest& request, const model::AccountView& view,
                     const model::Cluster& cluster, limits::Release release) {
    counter.emplace(request, view, cluster, release);
    counter->count_submission(view, job);
}

const model::AccountView& Resolved::nothing_known() {
    static const model::AccountView nothing = [] {
        model::AccountView view;
        view.tres = model::TresCatalogue::built_in();
        view.hidden = quota::all_private;
        return view;
    }();
    return nothing;
}

} // namespace qg::gate
