// SPDX-License-Identifier: GPL-2.0-or-later
//
// Carries out a QosPlan without losing another administrator's change. slurmdbd computes new values from the
// state at its transaction's first read, even if it then waits for another transaction, and so undoes that
// transaction's change. Therefore: (1) write, which takes the database's locks on the records; (2) read on a
// second connection what is committed by now; (3) if the plan was not made from that state, roll back and
// make a new plan. After the commit the records are read once more.
#pragma once

#include "qosgate/slurmdb/qos_store.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace qg::slurmdb {

/// Makes a plan from all QOSs; called again if others were faster.
using Planner = std::function<Result<QosPlan>(std::span<const StoredQos>)>;

/// How far a commit is.
enum class CommitStep : std::uint8_t {
    undone, ///< nothing is stored, and nothing will be if the program ends now
    asked,  ///< slurmdbd was asked to store it, and has not answered
    stored, ///< it is stored
};

/// Called at the beginning of each step.
using CommitWatch = std::function<void(CommitStep)>;

/// Carries out the plan that `plan_from` makes, and returns it as it was carried out.
/// Errors: those of the planner and of QosStore::write(); conflict: others changed the same records again and
/// again (nothing was changed), or changed them right after the commit (the message has the present values).
Result<QosPlan> commit_plan(Connection& connection, QosStore& store, const Planner& plan_from,
                            const CommitWatch& watch);

} // namespace qg::slurmdb
