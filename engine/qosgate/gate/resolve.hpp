// SPDX-License-Identifier: GPL-2.0-or-later
//
// From a request to everything that decides about it: its partitions, what the provider knows of its user,
// account and QOSs, and what it comes to.
#pragma once

#include "qosgate/gate/count_job.hpp"
#include "qosgate/quota/provider.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qg::gate {

/// A request with everything that decides about it.
/// Ownership: borrows the request and the cluster.
struct Resolved {
    std::vector<std::string> unknown_partitions; ///< names that no partition has
    model::AccountView view;
    std::optional<JobCounter> counter; ///< always set by resolve()
    model::ResolvedJob job;
    std::string problem; ///< why there is no view; empty: there is one
};

/// Resolves a request. `cluster` may be null (not known yet). Without a view the rest is filled in as far as
/// it goes. `requester` changes the job; nothing: it is submitted.
Resolved resolve(const model::JobRequest& request, const model::Cluster* cluster,
                 const quota::QuotaProvider& provider, limits::Release release,
                 std::optional<std::uint32_t> requester = std::nullopt);

} // namespace qg::gate
