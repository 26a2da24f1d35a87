// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/commit.hpp"

#include "qosgate/base/text.hpp"

#include <string_view>
#include <variant>

namespace qg::slurmdb {
namespace {

/// The maximum number of attempts to make the changes.
constexpr int max_attempts = 8;

/// Whether others committed nothing meanwhile that the changes touch.
Result<bool> has_same_base(const Session& session, Changes& changes) {
    auto second = Connection::open(session);
    if (!second) return second.error();
    return changes.has_same_base(**second);
}

/// The steps of one transaction.
struct Steps {
    CommitStep begun;
    CommitStep asked;
};

/// Why nothing of one transaction is stored, or why that is unknown.
struct Failure {
    Error error;
    bool shows_outcome = true; ///< whether the message does, or needs not, because nothing was written yet
    bool is_unknown = false;
};

/// Makes the changes in one transaction. True: they were made. False: there was nothing to change.
std::variant<bool, Failure> make(Connection& connection, Changes& changes, const Steps& steps,
                                 const CommitWatch& watch) {
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
        watch(steps.begun);
        Transaction transaction(connection);
        const auto is_needed = changes.prepare();
        if (!is_needed) return Failure{is_needed.error()};
        if (!*is_needed) return false;

        const auto written = changes.write();
        // Without the locks, reading the committed state would prove nothing.
        const bool may_be_others = written || written.error().code == ErrorCode::conflict;
        if (!may_be_others) return Failure{written.error(), false};
        const auto is_same = has_same_base(connection.session(), changes);
        if (!is_same) return Failure{is_same.error(), false};
        if (!*is_same) continue;
        if (!written) return Failure{written.error(), false};

        watch(steps.asked);
        const bool is_connected = connection.is_same_socket();
        if (const auto done = transaction.commit(); !done)
            return Failure{done.error(), is_connected, is_connected};
        return true;
    }
    return Failure{{ErrorCode::conflict,
                    text::format("others changed the same records {} times while this was tried; try again "
                                 "later",
                                 max_attempts)},
                   false};
}

/// Of the first transaction.
Error nothing_changed(const Failure& failure) {
    if (failure.shows_outcome) return failure.error;
    return {failure.error.code, text::format("{}; nothing was changed", failure.error.message)};
}

/// Of the second transaction.
Error half_changed(const Changes::Rest& rest, const Failure& failure) {
    const bool is_unknown = failure.is_unknown && !rest.unknown.empty();
    return {failure.error.code,
            text::format("{}. The cause: {}", is_unknown ? rest.unknown : rest.state, failure.error.message)};
}

/// Whether the committed values are still stored. slurmdbd itself reads the database after a commit, and this
/// is the first read of the next transaction. So that transaction is ended first.
Result<void> expect_not_overtaken(Connection& connection, Changes& changes) {
    const Transaction fresh(connection);
    const auto lost = changes.find_overtaken();
    if (!lost)
        return Error{lost.error().code, text::format("stored, but not read again: {}", lost.error().message)};
    if (lost->empty()) return {};
    return Error{
        ErrorCode::conflict,
        text::format("stored, but somebody else changed it right afterwards: {}; check what is stored "
                     "before you try again",
                     text::join(*lost, "; "))};
}

} // namespace

Result<bool> commit_changes(Connection& connection, Changes& changes, const CommitWatch& watch) {
    const auto made = make(connection, changes, {CommitStep::undone, CommitStep::asked}, watch);
    if (const auto* failure = std::get_if<Failure>(&made)) return nothing_changed(*failure);
    if (!std::get<bool>(made)) return false;

    const Changes::Rest rest = changes.rest();
    if (rest.changes != nullptr) {
        const CommitWatch silent = [](CommitStep) {};
        const auto rest_made = make(connection, *rest.changes, {CommitStep::half, CommitStep::asked_rest},
                                    rest.is_half ? watch : silent);
        const auto* failure = std::get_if<Failure>(&rest_made);
        if (failure == nullptr || !rest.is_half) watch(CommitStep::stored);
        if (failure != nullptr) return half_changed(rest, *failure);
    } else {
        watch(CommitStep::stored);
    }
    if (const auto done = expect_not_overtaken(connection, changes); !done) return done.error();
    return true;
}

} // namespace qg::slurmdb
