// SPDX-License-Identifier: GPL-2.0-or-later
//
// Deadline: an end to library calls that have none. libslurm waits up to 15 minutes for an answer of slurmdbd
// and cannot be cancelled; but its wait ends when the socket does. So a watching thread shuts down, once the
// time is over, the sockets that the call may wait on (the connection's own and those opened during the
// call), and the call fails as if the daemon had hung up. slurmdbd sees the connection end and rolls back.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace qg::slurmdb {

/// Stream sockets of this process by descriptor, each with its inode, which is never reused while it is open.
using SocketSet = std::map<int, unsigned long>;

/// The connected stream sockets (not Unix ones) that this process has open now.
SocketSet open_sockets();

/// What is in `now` but not in `before`.
SocketSet new_sockets(const SocketSet& before, const SocketSet& now);

/// Ends the calls made during its life once `limit` has passed.
/// Threads: it owns one; while it lives no other thread may open network sockets, for it would end those too.
class Deadline {
  public:
    /// `own`: the sockets of the connection on which the calls are made.
    explicit Deadline(std::chrono::milliseconds limit, SocketSet own = {});
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;
    ~Deadline();

    /// Whether the time was over before the call was done.
    [[nodiscard]] bool expired() const;

  private:
    void watch(std::chrono::milliseconds limit);

    void end_calls() const;

    SocketSet own_;
    SocketSet before_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool is_done_ = false;
    bool is_expired_ = false;
    std::thread watcher_;
};

} // namespace qg::slurmdb
