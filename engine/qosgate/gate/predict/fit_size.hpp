// SPDX-License-Identifier: GPL-2.0-or-later
//
// Changes the size of a request (nodes, tasks, CPUs) in ways that a user could with options of sbatch. The
// result is a request that the clients could send. Each function returns whether it could; if not, the
// request is unchanged.
#pragma once

#include "qosgate/model/job_request.hpp"

#include <cstdint>

namespace qg::gate {

/// What a request counts, and what it shall count.
struct Amount {
    std::uint64_t asked = 0;
    std::uint64_t target = 0;
};

/// CPUs: reduces the tasks first, then the CPUs per task.
bool fit_cpus(model::JobRequest& request, Amount cpus);

/// Spreads the tasks over more nodes, at most `max_nodes`, with at most `cpus_per_node` CPUs on each if
/// possible. Fails for a single task, and if the nodes would not be more.
bool spread_tasks(model::JobRequest& request, std::uint64_t cpus_per_node, std::uint64_t max_nodes);

/// At most so many nodes. Tasks that do not fit into `cpus_per_node` (0: not known) are dropped.
bool fit_nodes(model::JobRequest& request, std::uint64_t max, std::uint64_t cpus_per_node);

/// At least so many nodes.
bool raise_nodes(model::JobRequest& request, std::uint64_t min);

} // namespace qg::gate
