// SPDX-License-Identifier: GPL-2.0-or-later
//
// Starts threads that take no signals. Signals are meant for the program (slurmctld, or a command that Ctrl-C
// ends), not for a thread of ours.
#pragma once

#include <csignal>
#include <thread>
#include <utility>

#include <pthread.h>

namespace qg {

/// Blocks all signals of this thread for as long as it lives. A new thread inherits the mask of its creator.
class BlockedSignals {
  public:
    BlockedSignals() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;
    ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

/// Starts a thread that takes no signals.
/// Errors: std::system_error if the thread cannot be started.
template <typename Body>
std::thread start_background_thread(Body body) {
    const BlockedSignals blocked;
    return std::thread(std::move(body));
}

} // namespace qg
