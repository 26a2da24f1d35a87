// SPDX-License-Identifier: GPL-2.0-or-later
//
// Deadline: a time limit for library calls that have none. libslurm waits up to 15 minutes for slurmdbd's
// answer and cannot be cancelled, but its wait ends when the socket is closed. So when the time is over, a
// watching thread shuts down the sockets that the call may wait on (the connection's own and those opened
// during the call). The call then fails as if the daemon had closed the connection. slurmdbd sees the
// connection end and rolls back.
//
// The same thread reports a late answer. It also prevents a needless delay: Slurm sends the length and the
// body of a message separately, Linux does not send the body until the length is acknowledged, and the other
// end acknowledges it only after 40 ms. So each call would take 80 ms longer: 40 ms for the request and 40 ms
// for the answer (seen with 22.05.8).
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace qg::slurmdb {

/// Stream sockets of this process by descriptor, each with its inode, which is never reused while it is open.
using SocketSet = std::map<int, unsigned long>;

/// The connected stream sockets (not Unix ones) that this process has open now.
SocketSet open_sockets();

/// The sockets in `now` that are not in `before`.
SocketSet new_sockets(const SocketSet& before, const SocketSet& now);

/// Sends written data at once, and acknowledges received data at once.
void send_at_once(const SocketSet& sockets);

/// Called from the watching thread, once, when a call has no answer after `after`.
struct LateNotice {
    std::chrono::milliseconds after{2000};
    std::function<void()> say; ///< may be empty
};

/// Ends the calls that are made during its life when `limit` has passed.
/// Threads: it owns one. While it lives no other thread may open network sockets, because they would be shut
/// down too.
class Deadline {
  public:
    /// `own`: the sockets of the connection on which the calls are made.
    explicit Deadline(std::chrono::milliseconds limit, SocketSet own = {}, LateNotice late = {});
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;
    ~Deadline();

    /// Whether the time was over before the call was done.
    [[nodiscard]] bool expired() const;

  private:
    void watch(std::chrono::milliseconds limit);
    bool is_done_within(std::unique_lock<std::mutex>& lock, std::chrono::milliseconds limit);
    void end_calls() const;

    SocketSet own_;
    LateNotice late_;
    SocketSet before_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool is_done_ = false;
    bool is_expired_ = false;
    std::thread watcher_;
};

} // namespace qg::slurmdb
