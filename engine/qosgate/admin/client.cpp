// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/admin/client.hpp"

#include "qosgate/admin/apply.hpp"

namespace qg::admin {

Result<std::unique_ptr<Client>> Client::open(std::chrono::seconds time_limit, slurmdb::LateReport report) {
    auto session = slurmdb::Session::open(time_limit, std::move(report));
    if (!session) return session.error();
    auto connection = slurmdb::Connection::open(**session);
    if (!connection) return connection.error();
    auto store = slurmdb::QosStore::open(**connection);
    if (!store) return store.error();
    return std::unique_ptr<Client>(
        new Client(std::move(*session), std::move(*connection), std::move(*store)));
}

Client::Client(std::unique_ptr<slurmdb::Session> session, std::unique_ptr<slurmdb::Connection> connection,
               slurmdb::QosStore store)
    : session_(std::move(session)), connection_(std::move(connection)), store_(std::move(store)) {}

Result<void> Client::reconnect() {
    auto connection = slurmdb::Connection::open(*session_);
    if (!connection) return connection.error();
    auto store = slurmdb::QosStore::open(**connection);
    if (!store) return store.error();
    connection_ = std::move(*connection);
    store_ = std::move(*store);
    return {};
}

std::string Client::cluster() const {
    return cluster_of(*connection_);
}

} // namespace qg::admin
