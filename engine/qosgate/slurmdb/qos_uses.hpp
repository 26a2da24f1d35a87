// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who uses a QOS; checked before a QOS is deleted.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/association_record.hpp"
#include "qosgate/slurmdb/connection.hpp"
#include "qosgate/slurmdb/qos_store.hpp"

#include <span>
#include <string>
#include <vector>

namespace qg::slurmdb {

/// A way of using a QOS.
struct QosUseKind {
    std::string_view name;     ///< for programs: "job"
    std::string_view text;     ///< for people, with the user's name in place of {}: "job {} asks for it"
    bool can_be_forced = true; ///< whether --force may delete a QOS that is used in this way
    std::string_view outcome;  ///< what happens then; if it may not, why not
    /// The command that ends such a use, with places {by} (names joined by commas) and {qos}. Of uses by
    /// associations: the change alone, what stands after sacctmgr's "set".
    std::string_view cure = {};
};

/// All uses of one QOS in one way.
struct QosUse {
    std::string qos;
    const QosUseKind* kind; ///< lives as long as the program
    std::vector<std::string> used_by;
    /// The associations that have it themselves; others have it from the account above. Accounts first.
    std::vector<model::AssociationName> holders = {};
};

/// "job 12 asks for it": a use by one of those that use it.
std::string describe_use(const QosUse& use, std::string_view used_by);

/// The uses that were found, and what could not be checked.
struct QosUses {
    std::vector<QosUse> found;
    std::string slurmctld_failure; ///< not empty: why jobs and partitions are unknown
};

/// Looks for uses of the QOSs named: associations of all clusters, other QOSs' Preempt, and the jobs and
/// partitions of the cluster that slurm.conf names. The named QOSs do not count as users of each other. `all`
/// is the result of QosStore::read_all(). If slurmctld does not answer, this is not an error; the result says
/// so.
/// Errors: as Connection::ask().
Result<QosUses> find_uses(Connection& connection, std::span<const StoredQos> all,
                          std::span<const std::string> names);

} // namespace qg::slurmdb
