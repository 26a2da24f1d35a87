// SPDX-License-Identifier: GPL-2.0-or-later
//
// Carries out changes without losing another administrator's. slurmdbd computes new values from the state at
// its transaction's first read, even if it then waits for another transaction, and so undoes that
// transaction's change. Therefore: (1) write, which takes the database's locks on the records; (2) read on a
// second connection what is committed by now; (3) if the changes were not made from that state, roll back and
// begin again. After the commit the records are read once more.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurmdb/connection.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace qg::slurmdb {

/// How far a commit is.
enum class CommitStep : std::uint8_t {
    undone,     ///< nothing is stored, and nothing will be if the program ends now
    asked,      ///< slurmdbd was asked to store it, and has not answered
    half,       ///< the first of two transactions is stored, and no more will be if the program ends now
    asked_rest, ///< slurmdbd was asked to store the second one, and has not answered
    stored,     ///< it is stored
};

/// Called at the beginning of each step.
using CommitWatch = std::function<void(CommitStep)>;

/// What one transaction is to change. All calls are made on the thread and connection of commit_changes().
class Changes {
  public:
    Changes() = default;
    Changes(const Changes&) = delete;
    Changes& operator=(const Changes&) = delete;
    virtual ~Changes() = default;

    /// Reads the records and decides what to write; called again if others were faster. False: nothing.
    virtual Result<bool> prepare() = 0;

    /// Writes it, and reads it back within the transaction.
    virtual Result<void> write() = 0;

    /// Whether what is committed by now, as seen on `other`, is what prepare() has read.
    virtual Result<bool> has_same_base(Connection& other) = 0;

    /// What follows in a second transaction.
    struct Rest {
        Changes* changes = nullptr; ///< null: nothing; belongs to the first changes
        /// Whether something is not stored until then. False: all is, and only slurmctld is to hear of it.
        bool is_half = false;
        /// What is stored and what is not while `changes` are not, and what to do: a clause for messages.
        std::string state = {};
        std::string unknown = {}; ///< the same if it is unknown whether `changes` are stored; empty: `state`
    };

    /// After the commit: what slurmdbd takes only for QOSs that are committed.
    virtual Rest rest() { return {}; }

    /// After the last commit: what is no longer stored, one sentence each. Only the first changes are asked.
    virtual Result<std::vector<std::string>> find_overtaken() { return std::vector<std::string>(); }
};

/// Carries out the changes, and then their rest(), in one transaction each and with the same care. False:
/// there was nothing to change.
/// Errors: those of `changes`; conflict: others changed the same records again and again (nothing was
/// changed), or changed them right after the commit (the message has the present values). After an error
/// nothing is stored, or the message says that it is, which part of it is, or that this is unknown.
Result<bool> commit_changes(Connection& connection, Changes& changes, const CommitWatch& watch);

} // namespace qg::slurmdb
