// SPDX-License-Identifier: GPL-2.0-or-later
//
// DetachedThread: a thread that may hang (a dead file server, an RPC without an answer) inside a daemon that
// must not hang with it. The owner asks the thread to end and waits for a limited time.
//
//   DetachedThread thread;
//   thread.start("qosgate-policy", [shared](DetachedThread::Link& owner) {
//       do { shared->check(); } while (owner.wait_for(400ms));
//   });
//   thread.stop(200ms);                       // false: it hangs, and ends by itself when it can
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace qg {

/// Owns the right to end one thread. The thread blocks all signals: they are meant for the host.
/// Ownership: the body owns everything that it uses (a shared_ptr), because it may outlive this object.
/// Threads: wake() and stop() from any; start() once.
class DetachedThread {
  public:
    class State;

    /// The body's connection to its owner.
    class Link {
      public:
        explicit Link(State& state) noexcept : state_(state) {}

        /// Sleeps until the time is over or wake() is called. Returns false if the thread must end.
        bool wait_for(std::chrono::milliseconds time);

      private:
        State& state_;
    };

    DetachedThread();
    DetachedThread(const DetachedThread&) = delete;
    DetachedThread& operator=(const DetachedThread&) = delete;
    /// Like stop(), but does not wait.
    ~DetachedThread();

    /// Runs `body`, which must not throw, in a new thread of that name (at most 15 bytes).
    /// Errors: throws std::system_error if no thread can be created.
    void start(const char* name, std::function<void(Link& owner)> body);

    /// Ends the thread's sleep.
    void wake();

    /// Asks the thread to end and waits for it, but not longer than `patience`. Returns whether it has ended;
    /// true if it was never started.
    bool stop(std::chrono::milliseconds patience);

  private:
    std::shared_ptr<State> state_; ///< with the thread
};

} // namespace qg
