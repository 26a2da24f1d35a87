// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/qos_commit.hpp"

#include "qosgate/base/text.hpp"

namespace qg::slurmdb {
namespace {

/// The maximum number of attempts to make a plan.
constexpr int max_attempts = 8;

/// What is committed now, by anybody.
Result<std::vector<StoredQos>> read_committed(const Session& session, const QosStore& store) {
    auto connection = Connection::open(session);
    if (!connection) return connection.error();
    return store.on(**connection).read_all();
}

/// Whether the committed values are still stored. slurmdbd itself reads the database after a commit, and this
/// is the first read of the next transaction. So that transaction is ended first.
Result<void> expect_not_overtaken(Connection& connection, QosStore& store, const QosPlan& plan) {
    const Transaction fresh(connection);
    const auto now = store.read_all();
    if (!now) return now.error().in("stored, but not read again");
    const auto lost = find_overtaken(plan, *now);
    if (lost.empty()) return {};
    return Error{ErrorCode::conflict,
                 text::format("stored, but somebody else changed it right afterwards: {}; look and try again",
                              text::join(lost, "; "))};
}

} // namespace

Result<QosPlan> commit_plan(Connection& connection, QosStore& store, const Planner& plan_from,
                            const CommitWatch& watch) {
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
        watch(CommitStep::undone);
        Transaction transaction(connection);
        const auto all = store.read_all();
        if (!all) return all.error();
        auto plan = plan_from(*all);
        if (!plan || !plan->changes_anything()) return plan;

        const auto written = store.write(*plan, *all, WriteMode::write);
        // Without the locks, reading the committed state would prove nothing.
        const bool may_be_others = written || written.error().code == ErrorCode::conflict;
        if (!may_be_others) return written.error();
        const auto committed = read_committed(connection.session(), store);
        if (!committed) return committed.error();
        if (!has_same_base(*plan, *all, *committed)) continue;
        if (!written) return written.error();

        watch(CommitStep::asked);
        if (const auto done = transaction.commit(); !done) return done.error();
        watch(CommitStep::stored);
        if (const auto done = expect_not_overtaken(connection, store, *plan); !done) return done.error();
        return plan;
    }
    return Error{ErrorCode::conflict,
                 text::format("others changed the same QOSs {} times while this was tried; nothing was "
                              "changed, try again later",
                              max_attempts)};
}

} // namespace qg::slurmdb
