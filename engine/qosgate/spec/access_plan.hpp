// SPDX-License-Identifier: GPL-2.0-or-later
//
// plan_access: which associations change so that those may use the QOSs whom the files name.
#pragma once

#include "qosgate/model/association_record.hpp"
#include "qosgate/spec/desired.hpp"
#include "qosgate/spec/plan.hpp"

#include <span>
#include <string>
#include <vector>

namespace qg::spec {

/// Changes by name of the association, their base, and why there must be none.
struct AccessPlan {
    std::vector<model::AccessChange> changes;
    std::vector<model::AssociationRecord> base;
    std::vector<model::AccessChange> named; ///< see Plan::named
    std::vector<Problem> problems;
    std::vector<std::string> warnings;
    std::vector<std::string> unreached; ///< see Planned
    bool lacks_permission = false;      ///< see Planned
};

/// `wanted` all have access; `removed` are QOSs that the same plan removes.
///
/// Accounts come before what is below them: who gets a QOS from above needs no grant. With
/// DesiredAccess::is_complete, an association whose own list has the QOS loses it, unless it is named or
/// below a named account. A default QOS that is not named as default stays; a user's own gives way where they
/// may not use it any more, with a warning.
///
/// `has_all`: whether `wanted` has all that the files name, or some of it belongs to others; then it is not
/// known which default QOSs would be unusable.
AccessPlan plan_access(std::span<const DesiredQos* const> wanted, bool has_all, const LiveState& live,
                       const model::NameSet& removed);

} // namespace qg::spec
