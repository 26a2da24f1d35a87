// SPDX-License-Identifier: GPL-2.0-or-later
//
// Values of a job that depend on a partition that is hidden from the reader: DefaultTime, a time limit set by
// its QOS, memory, MinNodes, billing weights. Comparing such a value with a limit would reveal it.
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/resolved_job.hpp"

namespace qg::gate {

/// Marks values that must not be told: counts that would differ if the job's hidden partitions had no
/// settings, and the time limit of a job that names none. Marks all counts if the request is_too_long_for()
/// this. Cost: nothing without hidden partitions; else two counts for each partition.
void mark_hidden_values(model::ResolvedJob& job, const model::JobRequest& request,
                        const model::AccountView& view, const model::Cluster& cluster,
                        limits::Release release);

} // namespace qg::gate
