// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads the live state that a spec is compared with, and carries out a plan: all of it in one transaction, or
// nothing. Only if a QOS that the plan creates becomes a default, there are two, because slurmdbd takes only
// a committed QOS as a default: first new and changed QOSs and what is granted, then default QOSs, what is
// revoked and what is removed. If it ends in between, the next apply of the files does the rest.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurmdb/commit.hpp"
#include "qosgate/slurmdb/connection.hpp"
#include "qosgate/spec/plan.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace qg::admin {

/// The cluster whose associations are read and changed: ClusterName of slurm.conf, in lower case as slurmdbd
/// has it.
std::string cluster_of(const slurmdb::Connection& connection);

/// Reads QOSs, associations, and what the cluster and its partitions have. Errors: as Connection::ask(). If
/// slurmctld does not answer, `capacity` is empty: a share in the spec is a problem then.
Result<spec::LiveState> read_live(slurmdb::Connection& connection);

/// Called before each step: what is done now ("adds 200 QOSs"), and how many of all are done.
using ApplyProgress = std::function<void(std::string_view what, std::size_t done, std::size_t all)>;

/// Called when everything is written, right before the commit; again if others were faster and the plan is
/// written once more. An error prevents the commit.
using BeforeCommit = std::function<Result<void>()>;

/// Carries out the plan, whoever uses the QOSs that it deletes: uses.hpp. It re-reads first, and refuses if
/// what the plan touches is no longer as it was. Afterwards it reads back and compares. Errors: conflict (the
/// base moved, with what; nothing was changed), those of QosStore::write() and AssociationStore::write();
/// after an error nothing is stored, or the message says that only the first of two transactions is, that all
/// is, or that this is unknown.
Result<void> apply(slurmdb::Connection& connection, const spec::Plan& plan, const slurmdb::CommitWatch& watch,
                   const ApplyProgress& progress, const BeforeCommit& before_commit = {});

} // namespace qg::admin
