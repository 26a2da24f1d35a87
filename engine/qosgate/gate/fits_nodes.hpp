// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a job's nodes can hold it, as far as is known. slurmctld finds out only after it has looked at
// limits, so that a job may be too large for limits and nodes at once.
#pragma once

#include "qosgate/gate/resolve.hpp"
#include "qosgate/model/job_request.hpp"

namespace qg::gate {

/// Whether some partition of the job has as many CPUs and generic resources on as many nodes as the job may
/// have, nodes taken as alike. What is not known of a partition is not missing there. Threads: pure.
bool fits_nodes(const model::JobRequest& request, const Resolved& resolved);

} // namespace qg::gate
