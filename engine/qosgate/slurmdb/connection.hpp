// SPDX-License-Identifier: GPL-2.0-or-later
//
// Talking to slurmdbd: one session per process, connections in it, transactions on a connection.
//
//   auto session = Session::open(options);
//   auto connection = Connection::open(*session);
//   Transaction transaction(*connection);
//   ... QosStore writes ...
//   if (auto done = transaction.commit(); !done) return done.error();   // else: rolled back
//
// Threads: one thread at a time per connection; while a call runs no other thread may open sockets (see
// deadline.hpp). Not for slurmctld: there a new connection replaces the controller's own.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurmdb/deadline.hpp"
#include "qosgate/slurmdb/library.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"

#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace qg::slurmdb {

/// Gets a sentence, from another thread, when slurmdbd has not answered a call within two seconds.
using LateReport = std::function<void(const std::string& sentence)>;

/// Why an answer of slurmdbd may be late.
namespace late {
inline constexpr std::string_view busy = "it may be busy or stuck";
inline constexpr std::string_view locks = "another administrator's transaction is probably open, for example "
                                          "at a sacctmgr prompt without an answer";
inline constexpr std::string_view commit = "it sends the change to slurmctld, which may be busy";
} // namespace late

/// What a process needs to talk to slurmdbd. There may be one per process.
class Session {
  public:
    /// Finds and checks slurm.conf, and starts Slurm's library. `time_limit` bounds every later call to a
    /// daemon.
    /// Errors: unavailable (no usable slurm.conf), unsupported (no slurmdbd configured, or inside slurmctld).
    /// Cost: one fork.
    static Result<std::unique_ptr<Session>> open(std::chrono::seconds time_limit, LateReport report = {});

    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    [[nodiscard]] const SlurmConf& conf() const noexcept { return conf_; }
    [[nodiscard]] std::chrono::seconds time_limit() const noexcept { return time_limit_; }

    /// What to do if slurmdbd's answer to `what` is late.
    [[nodiscard]] LateNotice late_notice(std::string_view what, std::string_view why) const;

  private:
    Session(SlurmConf conf, std::chrono::seconds time_limit, LateReport report);

    SlurmConf conf_;
    std::chrono::seconds time_limit_;
    LateReport report_;
};

/// An open connection to slurmdbd. It turns error numbers into texts.
class Connection {
  public:
    /// Errors: unavailable, permission_denied.
    static Result<std::unique_ptr<Connection>> open(const Session& session);

    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    [[nodiscard]] const Session& session() const noexcept { return session_; }

    /// Runs one slurmdb call that returns a list, and takes ownership of the list. `call` gets Slurm's
    /// handle; `what` names the attempt ("read the QOS records"), `why` says why its answer may be late. An
    /// empty list is a success. Errors: permission_denied, conflict, unavailable; also if Slurm itself
    /// reports no error.
    template <typename Call>
    Result<slurm::OwnedList> ask(std::string_view what, Call call, std::string_view why = late::busy) {
        const Deadline deadline(session_.time_limit(), sockets_, session_.late_notice(what, why));
        errno = 0;
        slurm::OwnedList list(call(handle_));
        if (list == nullptr) return failure(what, errno, deadline.expired() ? why : "");
        return list;
    }

    /// The same for a call that returns a Slurm error code, 0 for success.
    template <typename Call>
    Result<void> tell(std::string_view what, Call call, std::string_view why = late::busy) {
        const Deadline deadline(session_.time_limit(), sockets_, session_.late_notice(what, why));
        errno = 0;
        if (const int code = call(handle_); code != SLURM_SUCCESS)
            return failure(what, code == SLURM_ERROR ? errno : code, deadline.expired() ? why : "");
        return {};
    }

    /// Whether the socket is still the one that was opened. libslurm silently reconnects after slurmdbd was
    /// lost, and uncommitted writes are lost then.
    [[nodiscard]] bool is_same_socket() const;

  private:
    Connection(const Session& session, void* handle, SocketSet sockets);

    /// `late`: why the call was given up; empty if it failed by itself.
    Error failure(std::string_view what, int error_number, std::string_view late) const;

    const Session& session_;
    void* handle_;
    SocketSet sockets_;
};

/// Either all writes on a connection between its construction and commit(), or none of them.
class Transaction {
  public:
    /// Ends any earlier transaction: a transaction sees the database as at its first read, and earlier reads
    /// on the connection count as such.
    explicit Transaction(Connection& connection);
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    /// Rolls back unless committed.
    ~Transaction();

    /// Commits the writes and lets slurmdbd send them to every slurmctld (which can take seconds).
    /// Errors: unavailable: if the connection is lost already, nothing is stored; else the message says that
    /// this is unknown.
    Result<void> commit();

  private:
    void roll_back();

    Connection& connection_;
    bool is_finished_ = false;
};

} // namespace qg::slurmdb
