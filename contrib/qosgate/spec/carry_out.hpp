// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shows a plan, asks, keeps the way back, and carries it out.
#pragma once

#include "qos/qos_connection.hpp"

#include "qosgate/spec/plan.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace qg::cli {

/// The exit status where the answer was no.
inline constexpr int exit_declined = 1;

/// Options of the commands that carry out a plan.
struct CarryOutOptions {
    bool yes = false;
    bool dry_run = false;
    std::string history;      ///< a directory; empty: the default
    std::string move_jobs_to; ///< the QOS for pending jobs of deleted ones; empty: jobs are not moved
    bool keeps_entry = false; ///< in the history, also of a plan that changes no record
    std::size_t undoes = 0;   ///< the entry of the history that the plan undoes; 0: it is no rollback
    std::function<Result<void>()> before_commit = {}; ///< an error prevents the commit
    std::function<void()> if_undone = {};             ///< after before_commit(), if nothing is stored
};

/// Adds --yes, --dry-run, --move-jobs-to and --history.
void add_carry_out_options(Command command, CarryOutOptions& options);

/// The exit statuses in the help of such a command.
std::string carry_out_help();

/// Asks, unless --yes says so; nothing but a clear yes counts. Errors: invalid_input if nobody can be asked.
Result<bool> is_agreed(const CarryOutOptions& options, Output& output);

/// Shows the plan, asks on a terminal, and carries it out. Returns
/// the exit status: 0, or 1 if the answer was no. Errors: invalid_input without --yes where nobody can be
/// asked; conflict if a QOS that is to be deleted is in use, or the base moved; those of admin::apply().
/// After an error nothing is stored, or the message says that it is, or that this is unknown.
Result<int> show_and_carry_out(const spec::Plan& plan, const spec::LiveState& live,
                               const CarryOutOptions& options, QosConnection& access, Output& output);

/// Keeps the way back, and carries the plan out, without a word to people but progress. Returns the number in
/// the history. Jobs are moved right before the commit, and back if that fails; after an error the message
/// says which way they went. Errors: as above; those of slurmdb::move_jobs().
Result<std::size_t> keep_and_carry_out(const spec::Plan& plan, const spec::LiveState& live,
                                       const CarryOutOptions& options, slurmdb::Connection& connection,
                                       const slurmdb::CommitWatch& watch, Output& output);

/// Of a plan that changes no record: makes the temporary access permanent that its files name, and keeps the
/// way back. Returns the number in the history; empty: there was nothing to do. Errors: those of the history.
Result<std::optional<std::size_t>> keep_and_make_permanent(const spec::Plan& plan,
                                                           const spec::LiveState& live,
                                                           const CarryOutOptions& options, Output& output);

/// Whether an apply would be refused. Errors: unsupported if this release of Slurm does not know a flag or
/// mode of the plan; conflict if something uses a QOS that the plan deletes, apart from what the plan ends
/// and from jobs that are to be moved, with the commands that end it; unavailable if slurmctld, which knows
/// it, does not answer.
Result<void> expect_possible(const spec::Plan& plan, const CarryOutOptions& options, QosConnection& access);

} // namespace qg::cli
