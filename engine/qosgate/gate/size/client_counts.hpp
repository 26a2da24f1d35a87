// SPDX-License-Identifier: GPL-2.0-or-later
//
// What sbatch, salloc and srun make of the sizes that a user names: counts that they send beside the options
// given.
#pragma once

#include "qosgate/model/job_request.hpp"

namespace qg::gate {

/// Sets the counts that the clients compute: the CPUs, and a maximum of nodes not above the tasks.
void derive_counts(model::JobRequest& request);

/// Makes of a request as its options say it what a client sends: it counts the nodes that are named, the
/// tasks of a fixed number of nodes if the client does (limits/README.md 6.1), and what follows from these.
void complete_options(model::JobRequest& request, bool counts_tasks);

/// Whether the clients could have sent these sizes. Other programs may send any.
bool is_from_client(const model::JobRequest& request);

} // namespace qg::gate
