// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ctrl-C while records are changed: the program ends with a true word about what was stored.
#pragma once

#include "qosgate/slurmdb/qos_commit.hpp"

namespace qg::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP (unless ignored) say on standard error what the change has come
/// to, and end the program as they would have. Once slurmdbd was asked to store the change, the first one
/// waits for its answer. Threads: one object at a time, on the main thread.
class InterruptWatch {
  public:
    InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;
    ~InterruptWatch();

    /// Notes how far the change is; may end the program where it was interrupted before.
    void note(slurmdb::CommitStep step);
};

} // namespace qg::cli
