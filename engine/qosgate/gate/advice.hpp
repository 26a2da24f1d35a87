// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld refuses, or lets wait, beside accounts and limits, said in words that its own codes have
// not: a partition that is down or closed, a name that is misspelt, a node that is not large enough. The
// forecast and the verdict are not touched by it.
#pragma once

#include "qosgate/model/account_view.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"

#include <string>
#include <vector>

namespace qg::gate {

/// The lines for the user; empty where all is well. `view` has the job's partitions.
/// Names may have come up since the cluster was looked at, so it is said what is known, not what there is.
/// Cost: nothing for a job that names nothing of this kind; else linear in what it names.
std::vector<std::string> advice_lines(const model::JobRequest& request, const model::AccountView& view,
                                      const model::Cluster& cluster);

} // namespace qg::gate
