// SPDX-License-Identifier: GPL-2.0-or-later
//
// DetachedThread: a thread inside a daemon that must be able to go on without it. What the thread does may
// hang (a dead file server, an RPC that nobody answers); its owner asks it to end and waits only so long.
//
//   DetachedThread thread;
//   thread.start("qosgate-policy", [shared](DetachedThread::Link& owner) {
//       do { shared->look(); } while (owner.wait_for(400ms));
//   });
//   thread.stop(200ms);                       // false: it hangs, and ends by itself when it can
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace qg {

/// Owns the right to end one thread. The thread has all signals blocked: the host's are not for it.
/// Ownership: the body owns all it touches (a shared_ptr), since it may outlive this object.
/// Threads: wake() and stop() from any; start() once.
class DetachedThread {
  public:
    class State;

    /// What the body sees of its owner.
    class Link {
      public:
        explicit Link(State& state) noexcept : state_(state) {}

        /// Sleeps until the time is over or wake() is called. Returns false when the thread shall end.
        bool wait_for(std::chrono::milliseconds time);

      private:
        State& state_;
    };

    DetachedThread();
    DetachedThread(const DetachedThread&) = delete;
    DetachedThread& operator=(const DetachedThread&) = delete;
    /// As stop() without patience.
    ~DetachedThread();

    /// Runs `body`, which must not throw, in a new thread of that name (at most 15 bytes).
    /// Errors: throws std::system_error where no thread can be had.
    void start(const char* name, std::function<void(Link& owner)> body);

    /// Ends the thread's sleep.
    void wake();

    /// Asks the thread to end and waits for it, but not longer than `patience`. Returns whether it has ended;
    /// one that was never started has.
    bool stop(std::chrono::milliseconds patience);

  private:
    std::shared_ptr<State> state_; ///< with the thread
};

} // namespace qg
