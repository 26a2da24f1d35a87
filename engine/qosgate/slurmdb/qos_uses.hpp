// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who uses a QOS: asked before one is removed.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurmdb/connection.hpp"
#include "qosgate/slurmdb/qos_store.hpp"

#include <span>
#include <string>
#include <vector>

namespace qg::slurmdb {

/// One kind of use of one QOS.
struct QosUse {
    std::string qos;
    std::string what;                 ///< "associations", "jobs", ...
    std::vector<std::string> by_whom; ///< all of them, in words
    /// Why slurmdbd must not remove the QOS while it is used in this way, and the cure; empty: it can be
    /// forced.
    std::string bar;
};

/// "QOS debug is used by jobs (12: 4; 7; 9; ...)", and what bars it.
std::string describe(const QosUse& use);

/// The uses that were found, and what could not be asked.
struct QosUses {
    std::vector<QosUse> found;
    std::vector<std::string> unknown; ///< "jobs and partitions: slurmctld: Connection refused"
};

/// Looks for uses of the QOSs named: associations of all clusters, other QOSs' Preempt, and the jobs and
/// partitions of the cluster that slurm.conf names. The QOSs named do not count as users of each other.
/// `all` is what QosStore::read_all() gave. A slurmctld that does not answer is no error: it is in `unknown`.
/// Errors: as Connection::ask().
Result<QosUses> find_uses(Connection& connection, std::span<const StoredQos> all,
                          std::span<const std::string> names);

} // namespace qg::slurmdb
