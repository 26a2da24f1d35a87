// SPDX-License-Identifier: GPL-2.0-or-later
//
// Plan: what is to be done so that the live records become what the files say. Pure: from values to values.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/association_record.hpp"
#include "qosgate/model/qos_record.hpp"
#include "qosgate/spec/desired.hpp"
#include "qosgate/spec/problem.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::spec {

/// What exists now.
struct LiveState {
    std::string cluster;               ///< whose associations these are
    std::vector<model::QosRecord> qos; ///< sorted by name; descriptions with their ownership marks
    std::vector<model::AssociationRecord> associations;
    /// What the cluster ("") and each partition has of each TRES, for shares.
    std::map<std::string, model::TresLimits> capacity = {};
    /// PrivateData of slurmdbd.conf hides associations from the reader: there may be others than
    /// `associations`.
    bool hides_associations = false;
};

/// How errors call LiveState::hides_associations, and what to do.
inline constexpr std::string_view hidden_associations =
    "PrivateData in slurmdbd.conf hides accounts and users of others from you; root, SlurmUser, and "
    "operators "
    "and administrators of accounting see all";

/// A QOS that changes. The names are equal.
struct PlannedUpdate {
    model::QosRecord before;
    model::QosRecord after;
    friend bool operator==(const PlannedUpdate&, const PlannedUpdate&) = default;
};

/// A share and what it is now, to be shown.
struct ResolvedShare {
    std::string qos;
    std::string field; ///< "GrpTRES"
    std::string tres;
    Share share;
    std::uint64_t count = 0;
    friend bool operator==(const ResolvedShare&, const ResolvedShare&) = default;
};

/// A field of a QOS that another owner manages.
struct Conflict {
    std::string qos;
    std::string field; ///< "MaxWall"; "access"; empty: the QOS itself (its removal)
    std::string managed_by;
    std::string wanted_by;
    Position position;
    friend bool operator==(const Conflict&, const Conflict&) = default;
};

/// Changes, all of them or none.
struct Plan {
    std::string cluster;
    std::vector<model::QosRecord> created;
    std::vector<PlannedUpdate> updated; ///< only those that differ, marks of ownership included
    std::vector<model::QosRecord> removed;
    std::vector<model::AccessChange> access; ///< one per association
    /// The associations before, for each of `access`, in its order: the base that apply compares with.
    std::vector<model::AssociationRecord> access_base;
    std::vector<ResolvedShare> shares;
    std::vector<std::string> warnings;
    /// The associations that the files name, also those that do not change, with the QOSs (`granted`) that
    /// they may use for good.
    std::vector<model::AccessChange> named;

    [[nodiscard]] bool changes_anything() const {
        return !created.empty() || !updated.empty() || !removed.empty() || !access.empty();
    }
    friend bool operator==(const Plan&, const Plan&) = default;
};

struct PlanOptions {
    /// Fields that others manage become the files' owner's, and what is removed may be managed by others,
    /// too.
    bool take_over = false;
    bool prune = false; ///< remove what the files' owners created and the files no longer name
    /// QOSs that are neither changed nor removed, whatever the files say. Only Preempt loses what is removed.
    model::NameSet left_alone = {};
};

/// A plan, or why there is none: conflicts, or problems (an unknown account, user, partition of a share or
/// QOS in Preempt, each with the near miss).
struct Planned {
    Plan plan;
    std::vector<Conflict> conflicts;
    std::vector<Problem> problems; ///< by place
    /// Whether one of the problems is that the associations are hidden from the reader.
    bool lacks_permission = false;
    /// Those of the plan's warnings that are true without its changes, too: who may not use a QOS, though the
    /// account above is named.
    std::vector<std::string> unreached;
    /// How many of the problems are shares that cannot be counted, because it is not known what the cluster
    /// has.
    std::size_t uncounted_shares = 0;
};

Planned make_plan(const Desired& desired, const LiveState& live, const PlanOptions& options);

/// Of files that have problems of their own: what the cluster contradicts, by place, so that all is told at
/// once. `desired` is what could be read; `has_all_qos`: it has all QOSs that the files name.
std::vector<Problem> find_contradictions(const Desired& desired, bool has_all_qos, const LiveState& live);

/// Sorts by file, line and column; what has no place comes last.
void sort_by_place(std::vector<Problem>& problems);

} // namespace qg::spec
