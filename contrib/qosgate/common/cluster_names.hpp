// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names that the cluster of this host has, to be compared with those in rules.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/written_names.hpp"

#include <optional>

namespace qg::cli {

/// Empty: this host is of no cluster, it has no slurm.conf. A kind of names of which slurmctld does not show
/// all to this user is not known. It starts Slurm's library. Errors: unavailable, if no slurmctld answers or
/// slurm.conf cannot be used. Cost: eight RPCs; each waits up to MessageTimeout.
Result<std::optional<policy::ClusterNames>> read_cluster_names();

} // namespace qg::cli
