// SPDX-License-Identifier: GPL-2.0-or-later
//
// Carrying out a QosPlan so that no other administrator's change is lost. slurmdbd computes what it stores
// from what its transaction saw first, even where it then waits for another transaction to end, and so undoes
// that one's change. Therefore: write, which takes the database's locks on the records; look, on a second
// connection, what others have committed by then; and where that is not what the plan was made from, roll
// back and make the plan anew. After the commit the records are read once more.
#pragma once

#include "qosgate/slurmdb/qos_store.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace qg::slurmdb {

/// Makes a plan from all QOSs; called again where others were faster.
using Planner = std::function<Result<QosPlan>(std::span<const StoredQos>)>;

/// How far a commit is.
enum class CommitStep : std::uint8_t {
    undone, ///< nothing is stored, and nothing will be if the program ends now
    asked,  ///< slurmdbd was asked to store it, and has not answered
    stored, ///< it is stored
};

/// Learns of each step when it begins.
using CommitWatch = std::function<void(CommitStep)>;

/// Carries out the plan that `plan_from` makes, and returns it as it was carried out.
/// Errors: those of the planner and of QosStore::write(); conflict: others changed the same records again and
/// again (nothing was changed), or changed them right after the commit (the message has the values that stand
/// now).
Result<QosPlan> commit_plan(Connection& connection, QosStore& store, const Planner& plan_from,
                            const CommitWatch& watch);

} // namespace qg::slurmdb
