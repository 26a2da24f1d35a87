// SPDX-License-Identifier: GPL-2.0-or-later
//
// KnownCluster: the cluster as far as it is known when a job is decided about, and the time.
#pragma once

#include "qosgate/model/cluster.hpp"

#include <ctime>
#include <vector>

namespace qg::quota {
class UserGroups;
}

namespace qg::policy {
class BudgetClock;
struct FieldWriter;
} // namespace qg::policy

namespace qg::gate {

/// Times by the controller's clock; 0: not known.
struct DecisionTimes {
    std::time_t now = 0;             ///< of the decision
    std::time_t cluster_read_at = 0; ///< when the cluster was last known to be as it is described
};

/// The cluster as far as it is known. Ownership: borrows.
struct KnownCluster {
    // Not explicit: a plain pointer means that the cluster is known and has not changed.
    KnownCluster(const model::Cluster* known, bool may_differ = false,
                 bool may_have_more_reservations = false, DecisionTimes decision_times = {},
                 const quota::UserGroups* groups_of_users = nullptr) noexcept
        : cluster(known), may_have_changed(may_differ), may_have_new_reservations(may_have_more_reservations),
          times(decision_times), groups(groups_of_users) {}

    /// The cluster as it was read for this decision: nothing is known to have changed since.
    static KnownCluster as_read(const model::Cluster* read, DecisionTimes decision_times,
                                const quota::UserGroups* groups_of_users = nullptr) noexcept {
        return {read, /*may_differ=*/false, /*may_have_more_reservations=*/false, decision_times,
                groups_of_users};
    }

    const model::Cluster* cluster;   ///< null: not known yet
    bool may_have_changed;           ///< slurmctld may have changed partitions since
    bool may_have_new_reservations;  ///< slurmctld may have added reservations since
    DecisionTimes times;             ///< only rules read them
    const quota::UserGroups* groups; ///< likewise; null: groups are not known
    /// Runs since the site's script began, or since the first of several runs of the rules over one change:
    /// all of them share the job's time. Null: it begins with the rules.
    const policy::BudgetClock* script_clock = nullptr;
    /// The fields of the job that this script wrote; null: none. See blame_site().
    const std::vector<policy::FieldWriter>* script_writes = nullptr;
};

} // namespace qg::gate
