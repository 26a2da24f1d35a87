// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/connection.hpp"

#include "qosgate/slurmdb/errors.hpp"

namespace qg::slurmdb {

Result<std::unique_ptr<Connection>> Connection::open(const Session& session) {
    constexpr std::string_view what = "connect";
    const SocketSet before = open_sockets();
    const Deadline deadline(session.time_limit(), {}, session.late_notice(what, late::busy));
    std::uint16_t flags = 0; // read and written by the library
    errno = 0;
    void* handle = slurmdb_connection_get(&flags);
    const int error_number = errno;
    if (deadline.expired())
        return describe_timeout(session.conf(), what, session.time_limit().count(), late::busy);
    // A handle proves nothing: the library makes one even if nobody listens. The socket shows whether there
    // is a connection.
    SocketSet sockets = new_sockets(before, open_sockets());
    if (handle == nullptr || sockets.empty()) {
        // A dead handle is not closed: closing one leaks memory or worse (slurm/README.md 4.2), and the
        // program ends anyway.
        return describe_failure(session.conf(), what, error_number);
    }
    return std::unique_ptr<Connection>(new Connection(session, handle, std::move(sockets)));
}

Connection::Connection(const Session& session, void* handle, SocketSet sockets)
    : session_(session), handle_(handle), sockets_(std::move(sockets)) {}

Connection::~Connection() {
    // On a broken connection, close would open a new one to say goodbye.
    if (!is_same_socket()) return;
    const Deadline deadline(session_.time_limit(), sockets_);
    slurmdb_connection_close(&handle_);
}

bool Connection::is_same_socket() const {
    const SocketSet now = open_sockets();
    for (const auto& [descriptor, inode] : sockets_) {
        const auto same = now.find(descriptor);
        if (same == now.end() || same->second != inode) return false;
    }
    return true;
}

Error Connection::failure(std::string_view what, int error_number, std::string_view late) const {
    if (!late.empty()) return describe_timeout(session_.conf(), what, session_.time_limit().count(), late);
    return describe_failure(session_.conf(), what, error_number);
}

Transaction::Transaction(Connection& connection) : connection_(connection) {
    roll_back();
}

Transaction::~Transaction() {
    if (!is_finished_ && connection_.is_same_socket()) roll_back();
}

void Transaction::roll_back() {
    // If this fails, the connection and its uncommitted writes are lost; the next call reports that.
    static_cast<void>(connection_.tell(
        "roll back", [](void* handle) { return slurmdb_connection_commit(handle, /*commit=*/false); }));
}

Result<void> Transaction::commit() {
    if (!connection_.is_same_socket())
        return Error{ErrorCode::unavailable,
                     connection_.session().conf().slurmdbd() + ": the connection broke before the end"};
    is_finished_ = true;
    const auto done = connection_.tell(
        "commit", [](void* handle) { return slurmdb_connection_commit(handle, /*commit=*/true); },
        late::commit);
    if (!done)
        return Error{done.error().code, done.error().message +
                                            "; whether the changes were stored is unknown; check what is "
                                            "stored before you try again"};
    return {};
}

} // namespace qg::slurmdb
