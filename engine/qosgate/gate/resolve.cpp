// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/resolve.hpp"

#include "qosgate/gate/partition_list.hpp"

#include <utility>

namespace qg::gate {
namespace {

/// From here on --qos may name several.
constexpr limits::Release takes_qos_lists(24, 11, 0);

quota::Lookup make_lookup(const model::JobRequest& request, PartitionList partitions, limits::Release release,
                          std::optional<std::uint32_t> requester) {
    quota::Lookup lookup;
    lookup.user_id = request.user_id;
    if (request.account) lookup.account = *request.account;
    if (request.qos) lookup.qos = *request.qos;
    lookup.has_reservation = request.reservation.has_value();
    lookup.takes_qos_lists = release >= takes_qos_lists;
    lookup.requester = requester;
    lookup.partitions = std::move(partitions.partitions);
    return lookup;
}

} // namespace

Resolved resolve(const model::JobRequest& request, const model::Cluster* cluster,
                 const quota::QuotaProvider& provider, limits::Release release,
                 std::optional<std::uint32_t> requester) {
    static const model::Cluster no_cluster;
    const model::Cluster& known = cluster ? *cluster : no_cluster;
    Resolved resolved;
    PartitionList partitions;
    if (cluster) partitions = find_partitions(request, *cluster);
    resolved.unknown_partitions = std::move(partitions.unknown);
    auto view = provider.check(make_lookup(request, std::move(partitions), release, requester));
    if (view) {
        resolved.view = *std::move(view);
    } else {
        resolved.problem = view.error().message;
        resolved.view.tres = model::TresCatalogue::built_in();
    }
    resolved.counter.emplace(request, resolved.view, known, release);
    resolved.job = resolved.counter->at_submission(resolved.view);
    return resolved;
}

} // namespace qg::gate
