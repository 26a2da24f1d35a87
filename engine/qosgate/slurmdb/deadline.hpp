// SPDX-License-Identifier: GPL-2.0-or-later
//
// Deadline: an end to library calls that have none. libslurm waits up to 15 minutes for an answer of slurmdbd
// and cannot be cancelled; but its wait ends when the socket does. So a watching thread shuts down, once the
// time is over, the sockets that the call may wait on (the connection's own and those opened during the
// call), and the call fails as if the daemon had hung up. slurmdbd sees the connection end and rolls back.
//
// The same thread says so when an answer is late, and keeps answers from being late for nothing: Slurm sends
// the length and the body of a message apart, Linux holds the body back until the length is acknowledged, and
// acknowledges it 40 ms later. So both ends would wait 40 ms for each other in each call.
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

/// What is in `now` but not in `before`.
SocketSet new_sockets(const SocketSet& before, const SocketSet& now);

/// Lets what is written to the sockets leave at once, and acknowledges at once what came.
void send_at_once(const SocketSet& sockets);

/// Called from the watching thread, once, when a call has no answer after `after`.
struct LateNotice {
    std::chrono::milliseconds after{2000};
    std::function<void()> say; ///< may be empty
};

/// Ends the calls made during its life once `limit` has passed.
/// Threads: it owns one; while it lives no other thread may open network sockets, for it would end those too.
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
