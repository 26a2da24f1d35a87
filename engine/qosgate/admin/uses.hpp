// SPDX-License-Identifier: GPL-2.0-or-later
//
// What still uses the QOSs that a plan deletes: checked before the plan is carried out.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurmdb/qos_uses.hpp"
#include "qosgate/spec/plan.hpp"

namespace qg::admin {

/// The uses without those that the plan ends: it takes a deleted QOS out of Preempt of others and out of the
/// lists of its own cluster's associations, and a default QOS ends where the plan sets another one or clears
/// it. Associations of other clusters, jobs and partitions stay.
slurmdb::QosUses without_ended(slurmdb::QosUses uses, const spec::Plan& plan);

/// The uses of the QOSs that the plan deletes, as far as it does not end them. QOSs that do not exist any
/// more have none; apply() tells of them. Errors: as Connection::ask().
Result<slurmdb::QosUses> find_lasting_uses(slurmdb::Connection& connection, slurmdb::QosStore& store,
                                           const spec::Plan& plan);

/// Errors: conflict, with each use; unavailable if slurmctld, which knows jobs and partitions, does not
/// answer.
Result<void> expect_no_use(const slurmdb::QosUses& uses);

} // namespace qg::admin
