// SPDX-License-Identifier: GPL-2.0-or-later
//
// BlockedSignals: threads that take no signals. A thread inherits the mask of its creator, and signals are
// meant for the program (slurmctld, or a command that Ctrl-C ends), not for a thread of ours.
//
//   const BlockedSignals blocked;
//   std::thread(work).detach();
#pragma once

#include <csignal>

#include <pthread.h>

namespace qg {

/// Blocks all signals of this thread for as long as it lives.
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

} // namespace qg
