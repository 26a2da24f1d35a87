// SPDX-License-Identifier: GPL-2.0-or-later
//
// From what a submitter wrote to the TRES counts and the time that the limit code sees (limits.md 3).
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/resolved_job.hpp"

namespace qg::gate {

/// Counts a request, defaults of its first partition and of the cluster filled in.
/// An array text that cannot be read counts as one task.
/// Threads: pure. Cost: a few small allocations; bounded by the length of the request's texts.
model::ResolvedJob count_job(const model::JobRequest& request, const model::AccountView& view,
                             const model::Cluster& cluster, limits::Release release);

/// Counts what an attempt to start the job in one partition asks for: that partition's defaults and billing,
/// and as many nodes as the job may have (`most_nodes` caps them, nothing: no cap).
/// Threads: pure.
model::TresCounts count_attempt(const model::JobRequest& request, const model::AccountView& view,
                                const model::Cluster& cluster, limits::Release release, std::size_t partition,
                                std::optional<std::uint64_t> most_nodes);

} // namespace qg::gate
