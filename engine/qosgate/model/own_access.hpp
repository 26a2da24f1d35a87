// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmdbd makes of grants and revocations, and which QOSs follow from what it stores
// (slurm/README.md 4.5). Of one association; the trees in slurmdb and spec know what is above it.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/association_record.hpp"

namespace qg::model {

/// The entries of `a` that `b` does not have.
NameSet difference(const NameSet& a, const NameSet& b);

/// What the record stores.
OwnAccess own_access(const AssociationRecord& record);

/// Makes the record store this, and nothing else.
void set_own_access(AssociationRecord& record, OwnAccess own);

/// What an association that stores `own` may use, below one that may use `above`.
NameSet usable(const OwnAccess& own, const NameSet& above);

/// What is stored after grants. What it may use already changes nothing.
OwnAccess with_grants(OwnAccess own, const NameSet& granted, const NameSet& above);

/// What is stored after revocations; what it may not use changes nothing. A grant to the association alone
/// leaves nothing behind. A list that becomes empty would count as none, so all of `above` is revoked, too.
OwnAccess with_revocations(OwnAccess own, const NameSet& revoked, const NameSet& above);

/// What is stored after QOSs were deleted. For a list that becomes empty the same holds.
OwnAccess without_deleted(OwnAccess own, const NameSet& deleted, const NameSet& above);

/// Whether the change takes the QOS from its association.
bool takes_away(const AccessChange& change, const std::string& qos);

/// Whether slurmdbd can store the change. Errors: invalid_input (a list of its own and differences at once, a
/// QOS that is added and removed, something granted or revoked besides).
Result<void> expect_storable(const AccessChange& change);

} // namespace qg::model
