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
#include <vector>

namespace qg::slurmdb {

struct UsageReset {
    std::vector<std::string> clusters; ///< that were told
    std::vector<std::string> absent;   ///< that no slurmctld has registered, or has left
};

/// Tells all clusters of slurmdbd, or with `check_only` none. Of jobs that run, it forgets what they have
/// used so far. Errors: permission_denied, unavailable, naming the cluster; clusters before it were told.
Result<UsageReset> reset_usage(Connection& connection, std::span<const StoredQos* const> qos,
                               bool check_only);

} // namespace qg::slurmdb
