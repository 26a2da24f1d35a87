// SPDX-License-Identifier: GPL-2.0-or-later
//
// Changes the size of a request (nodes, tasks, CPUs) as its user could with sbatch's options. Each function
// leaves a request that the clients send so, and tells whether it could; where it could not, the request is
// as it was.
#pragma once

#include "qosgate/model/job_request.hpp"

#include <cstdint>

namespace qg::gate {

/// An amount that a request comes to, and what it shall come to.
struct Amount {
    std::uint64_t asked = 0;
    std::uint64_t target = 0;
};

/// CPUs: fewer tasks first, then fewer CPUs for each.
bool fit_cpus(model::JobRequest& request, Amount cpus);

/// At most so many nodes. A task more than `cpus_per_node` take is left out (0: not known).
bool fit_nodes(model::JobRequest& request, std::uint64_t most, std::uint64_t cpus_per_node);

/// At least so many nodes.
bool raise_nodes(model::JobRequest& request, std::uint64_t least);

} // namespace qg::gate
