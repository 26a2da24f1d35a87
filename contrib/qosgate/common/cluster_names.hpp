// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names that the cluster of this host has, and those in rules, to be compared.
#pragma once

#include "policy/policy_directory.hpp"
#include "qosgate/base/result.hpp"

#include "qosgate/policy/findings.hpp"
#include "qosgate/policy/written_names.hpp"
#include "qosgate/quota/scenario.hpp"

#include <optional>

namespace qg::cli {

/// Empty: this host is of no cluster, it has no slurm.conf. A kind of names of which slurmctld does not show
/// all to this user is not known. It starts Slurm's library. Errors: unavailable, if no slurmctld answers or
/// slurm.conf cannot be used. Cost: eight RPCs; each waits up to MessageTimeout.
Result<std::optional<policy::ClusterNames>> read_cluster_names();

/// The same of what was read before.
policy::ClusterNames names_of_cluster(const quota::World& world);

/// The literal names in the rules of a directory, as its reader reads it; without findings. None if it does
/// not exist or cannot be read. Cost: blocking reads. Threads: the process must have one only.
policy::PolicyReport read_names_in_rules(const PolicyDirectory& directory);

} // namespace qg::cli
