// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sets the past usage of QOSs to zero: what GrpTRESMins and GrpWall count. slurmctld keeps it, not slurmdbd,
// so each cluster is told by itself, and there is no transaction.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurmdb/connection.hpp"
#include "qosgate/slurmdb/qos_plan.hpp"

#include <span>
#include <string>

namespace qg::slurmdb {

/// Tells the slurmctld of the cluster that slurm.conf names, or with `check_only` only finds out whether that
/// could be done. Returns the name of the cluster.
/// Errors: permission_denied, unavailable, unsupported (releases that have another message for it).
Result<std::string> reset_usage(Connection& connection, std::span<const StoredQos* const> qos,
                                bool check_only);

} // namespace qg::slurmdb
