// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a plan changes, for people, programs and checks.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/spec/ownership.hpp"
#include "qosgate/spec/plan.hpp"

#include <string>
#include <vector>

namespace qg::spec {

/// The state after the plan. What `plan` does not touch is equal; the associations are sorted from the top of
/// the tree.
LiveState apply_to(const Plan& plan, const LiveState& live);

/// The record with its description as people read it: without the mark.
model::QosRecord without_mark(model::QosRecord record);

/// The description that `text` becomes where `old` stood: who edits a description by hand leaves its mark
/// alone.
std::string keep_mark(const std::string& old, std::string text);

/// Errors: invalid_input if a description that somebody writes by hand ends with a mark.
Result<void> expect_no_mark(std::string_view description);

/// Whether only the mark of ownership differs.
bool is_mark_only(const PlannedUpdate& update);

/// The fields that differ, in words; the mark is left out.
std::vector<model::FieldDifference> differences(const PlannedUpdate& update);

/// A field that gets another owner.
struct OwnerChange {
    std::string field;  ///< "MaxWall"; "access"
    std::string before; ///< empty: nobody managed it, so it is adopted
    std::string after;  ///< empty: it is released
    friend bool operator==(const OwnerChange&, const OwnerChange&) = default;
};

/// What changes in the mark, in the order of the schema; "access" comes last.
std::vector<OwnerChange> owner_changes(const PlannedUpdate& update);

/// "adopts MaxWall, Priority; takes GrpTRES from ops; releases Flags"; empty if no owner changes.
std::string describe_owner_changes(const PlannedUpdate& update);

/// Who gets or loses a QOS, and whose default it becomes or no longer is: "account 'physics'", sorted by
/// association.
struct AccessSummary {
    std::string qos;
    std::vector<model::AssociationName> granted = {};
    std::vector<model::AssociationName> revoked = {};
    std::vector<model::AssociationName> default_for = {};
    std::vector<model::AssociationName> cleared_for =
        {}; ///< their own default was this, and they inherit now
    friend bool operator==(const AccessSummary&, const AccessSummary&) = default;
};

/// The plan's changes of access, by name of the QOS; without those that list_changes() has.
std::vector<AccessSummary> summarize_access(const Plan& plan);

/// What an association stores about its QOSs, when that is replaced as a whole.
struct ListChange {
    model::AssociationName name;
    model::OwnAccess before;
    model::OwnAccess after;
};

/// Those of the plan, sorted by association.
std::vector<ListChange> list_changes(const Plan& plan);

/// "own list of account sub: a, b; before: none, but the list of the account above with c and without d"
std::string describe(const ListChange& change);

/// "accounts a, b; users ana in physics, bob in chem (partition gpu)"; beyond a dozen of a kind, the number.
std::string list_associations(std::span<const model::AssociationName> names);

} // namespace qg::spec
