// SPDX-License-Identifier: GPL-2.0-or-later
//
// What sbatch, salloc and srun make of the sizes that a user names: counts that they send beside the options
// given.
#pragma once

#include "qosgate/model/job_request.hpp"

namespace qg::gate {

/// Sets the counts that the clients work out: CPUs, and no more nodes than tasks.
void derive_counts(model::JobRequest& request);

/// Whether the sizes are such as the clients send. Other programs may send any.
bool is_from_client(const model::JobRequest& request);

} // namespace qg::gate
