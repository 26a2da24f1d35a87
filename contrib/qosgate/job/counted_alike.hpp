// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether the engine counts a pending job as slurmctld does. Only then are its verdicts on the job, and on
// changes of it, slurmctld's.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/model/queued_job.hpp"

#include <cstddef>

namespace qg::cli {

/// Whether the TRES that squeue shows are what the engine counts for the job in that partition. Of a job that
/// gets whole nodes, or CPUs for each GPU, squeue shows what it asks for until it starts: that is compared
/// then. `asked` is `job`, resolved. `compares_nodes`: squeue shows fewer nodes than a job gets whose tasks
/// do not fit on them. Cost: one count of the job.
bool is_counted_alike(const gate::ResolvedRequest& asked, const model::QueuedJob& job, std::size_t partition,
                      bool compares_nodes = true);

} // namespace qg::cli
