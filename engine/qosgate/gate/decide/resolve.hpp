// SPDX-License-Identifier: GPL-2.0-or-later
//
// Collects everything that the decision about a request needs: its partitions, what the provider knows about
// its user, account and QOSs, and its counts.
#pragma once

#include "qosgate/gate/size/counted_request.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace qg::gate {

/// Whether the view must be complete, or may lack limits that certainly leave room
/// (AccountView::is_within_limits).
enum class ViewExtent : std::uint8_t { whole, short_within_limits };

/// How a request is resolved.
struct ResolveOptions {
    std::optional<std::uint32_t> requester = {}; ///< who changes the job; empty: a submission
    bool keeps_qos = false;                      ///< see quota::Lookup
    ViewExtent extent = ViewExtent::whole;
    bool names_partitions = true;                 ///< the job gets its partitions now; else it has had them
    std::optional<model::Qos>* own_qos = nullptr; ///< see quota::Lookup
};

/// A request with everything that the decision about it needs. Without a view, the counts are there as far as
/// possible. Ownership: borrows the request and the context's parts. Threads: those of the provider.
struct ResolvedRequest : CountedRequest {
    /// Use resolve().
    ResolvedRequest(const model::JobRequest& asked, const ClusterContext& cluster,
                    const ResolveOptions& options);

    Result<model::AccountView> known; ///< the view, or the error

    /// The view; an empty one after an error.
    [[nodiscard]] const model::AccountView& view() const noexcept;

    /// Whether the cluster has no accounts and QOSs at all.
    [[nodiscard]] bool has_no_accounts() const {
        return !known && known.error().code == ErrorCode::not_found;
    }
};

/// Resolves a request.
inline ResolvedRequest resolve(const model::JobRequest& request, const ClusterContext& context,
                               const ResolveOptions& options = {}) {
    return ResolvedRequest(request, context, options);
}

/// Resolves a job that rules have changed. `is_change`: the job exists already.
ResolvedRequest resolve_again(const model::JobRequest& request, const ClusterContext& context,
                              bool is_change);

/// Whether all partitions of a job are known. After a change, an unknown name may be a new partition.
bool knows_partitions_of(const ResolvedRequest& resolved);

/// Whether the job names a partition that certainly does not exist, or an empty text. slurmctld refuses it
/// unless rules give it another one.
bool names_no_partition(const ResolvedRequest& resolved);

/// The same job with another of its QOSs; `qos` is an index into its view.
ResolvedRequest with_qos(const ResolvedRequest& resolved, std::size_t qos);

/// The length of the texts that are read again in each attempt to start the job.
std::size_t bytes_of_resources(const model::JobRequest& request);

/// Whether it is too expensive to read these texts for so many attempts. Real requests have far shorter ones.
inline bool is_too_long_for(std::size_t ways, const model::JobRequest& request) {
    constexpr std::size_t max_read = 16 * 1024;
    return ways > 1 && ways * bytes_of_resources(request) > max_read;
}

} // namespace qg::gate
