// SPDX-License-Identifier: GPL-2.0-or-later
//
// A request with its partitions and counts, and the bounds of what it may get: what a provider asks for while
// it makes the view.
#pragma once

#include "qosgate/gate/known_cluster.hpp"
#include "qosgate/gate/partitions/partition_list.hpp"
#include "qosgate/gate/size/count_job.hpp"
#include "qosgate/quota/provider.hpp"

#include <memory>
#include <optional>

namespace qg::gate {

/// The cluster that requests are resolved against. Ownership: borrows.
struct ClusterContext {
    const model::Cluster& cluster; ///< an empty one if the cluster is not known
    const quota::QuotaProvider& provider;
    limits::Release release;
    KnownCluster known = nullptr; ///< how far `cluster` is known; for rules
};

/// A request with its partitions and its counts. Ownership: borrows the request and the context's parts.
struct CountedRequest {
    /// Completes the request and finds the partitions. `is_new`: the job gets them now.
    CountedRequest(const model::JobRequest& asked, const ClusterContext& cluster, bool is_new);

    /// Counts the request. Call it once, with the view, or with as much of it as quota::JobBounds has.
    void count(const model::AccountView& view);

    std::shared_ptr<const model::JobRequest> completed; ///< null: the request was complete
    const model::JobRequest& request;
    ClusterContext context;
    PartitionList partitions;
    JobCounter counter;     ///< knows only sent() before count()
    model::ResolvedJob job; ///< the counts; none before count()
};

/// Counts a request when a provider asks: at submission and in every attempt to start the job.
/// Ownership: borrows the request. Threads: the one of the provider's call.
class BoundsOfRequest final : public quota::JobBounds {
  public:
    explicit BoundsOfRequest(CountedRequest& request) : request_(request) {}

    std::optional<model::ResourceBounds> bounds(const model::AccountView& view) override;

    /// Whether a provider has asked.
    [[nodiscard]] bool was_asked() const noexcept { return was_asked_; }

  private:
    [[nodiscard]] bool may_take_more_nodes(const model::AccountView& view) const;
    void add_nodes(model::ResourceBounds& bounds, const model::AccountView& view);

    CountedRequest& request_;
    bool was_asked_ = false;
    model::TresCounts min_; ///< empty if all attempts ask for the same as the submission
    model::TresCounts max_;
};

} // namespace qg::gate
