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

/// A way of using a QOS.
struct QosUseKind {
    std::string_view name;      ///< for programs: "job"
    std::string_view text;      ///< for people, with the user's name in place of {}: "job {} asks for it"
    bool can_be_forced = true;  ///< whether the QOS may be deleted although it is used in this way
    std::string_view outcome;   ///< what happens then; where it may not, why not
    std::string_view cure = {}; ///< how to end such a use, with places {by} and {qos} for the names
};

/// All users of one QOS in one way.
struct QosUse {
    std::string qos;
    const QosUseKind* kind; ///< lives as long as the program
    std::vector<std::string> by_whom;
};

/// The uses that were found, and what could not be asked.
struct QosUses {
    std::vector<QosUse> found;
    std::string slurmctld_failure; ///< not empty: why jobs and partitions are unknown
};

/// Looks for uses of the QOSs named: associations of all clusters, other QOSs' Preempt, and the jobs and
/// partitions of the cluster that slurm.conf names. The QOSs named do not count as users of each other.
/// `all` is what QosStore::read_all() gave. A slurmctld that does not answer is no error: it is in the
/// result.
/// Errors: as Connection::ask().
Result<QosUses> find_uses(Connection& connection, std::span<const StoredQos> all,
                          std::span<const std::string> names);

} // namespace qg::slurmdb
