// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/resolve.hpp"

namespace qg::gate {
namespace {

/// From here on --qos may name several.
constexpr limits::Release takes_qos_lists(24, 11, 0);

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
    lookup.takes_qos_lists = release >= takes_qos_lists;
    lookup.requester = requester;
    lookup.partitions = partitions.found;
    return lookup;
}

} // namespace

Resolved::Resolved(const model::JobRequest& request, const model::Cluster* cluster,
                   const quota::QuotaProvider& provider, limits::Release release,
                   std::optional<std::uint32_t> requester)
    : partitions(find_partitions(request, cluster ? *cluster : no_cluster())),
      known(provider.check(make_lookup(request, partitions, release, requester))),
      counter(request, view(), cluster ? *cluster : no_cluster(), release),
      job(counter.at_submission(view())) {}

const model::AccountView& Resolved::nothing_known() {
    static const model::AccountView nothing = [] {
        model::AccountView view;
        view.tres = model::TresCatalogue::built_in();
        return view;
    }();
    return nothing;
}

} // namespace qg::gate
