// SPDX-License-Identifier: GPL-2.0-or-later
//
// Client: what an administrator's program needs to manage QOSs and who may use them.
//
//   auto client = admin::Client::open(std::chrono::seconds(60));
//   admin::QosManager qos(**client);
//   admin::AssociationManager access(**client);
//   auto slow = qos.list({.patterns = {"night*"}, .limit = 10});
//   if (auto done = qos.remove({"old"}); !done) std::cerr << done.error().message;
//
// Every call that changes something is one transaction, which is read back; several changes at once are a
// spec::Plan and admin::apply(). Errors are qg::Error: a code to branch on, and a text that says what was
// tried, where, why it failed and what to do.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/tres.hpp"
#include "qosgate/slurmdb/connection.hpp"
#include "qosgate/slurmdb/qos_store.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace qg::admin {

/// An open session with slurmdbd. There may be one per process, and none in slurmctld.
/// Threads: one at a time, with the managers that use it; while a call runs no other thread may open sockets
/// (slurmdb/deadline.hpp).
class Client {
  public:
    /// `time_limit` bounds each call to a daemon; `report` hears of answers that are late.
    /// Errors: those of Session::open(), Connection::open() and QosStore::open().
    static Result<std::unique_ptr<Client>> open(std::chrono::seconds time_limit,
                                                slurmdb::LateReport report = {});

    /// Whether the connection is still the one that was opened. A call that failed with `unavailable` may
    /// have lost it.
    [[nodiscard]] bool is_connected() const { return connection_->is_same_socket(); }

    /// Opens a new connection in the place of the old one, and reads the TRES again. Nothing does this by
    /// itself: after a lost connection it must be looked at first what is stored. Errors: as open(); the old
    /// connection is kept then.
    Result<void> reconnect();

    /// ClusterName of slurm.conf, as slurmdbd spells it: the cluster whose associations are managed.
    [[nodiscard]] std::string cluster() const;

    /// The TRES that slurmdbd tracks.
    [[nodiscard]] const model::TresCatalogue& tres() const noexcept { return store_.catalogue(); }

    [[nodiscard]] slurmdb::Connection& connection() noexcept { return *connection_; }
    [[nodiscard]] slurmdb::QosStore& store() noexcept { return store_; }

  private:
    Client(std::unique_ptr<slurmdb::Session> session, std::unique_ptr<slurmdb::Connection> connection,
           slurmdb::QosStore store);

    std::unique_ptr<slurmdb::Session> session_;
    std::unique_ptr<slurmdb::Connection> connection_; // ends before the session
    slurmdb::QosStore store_;
};

} // namespace qg::admin
