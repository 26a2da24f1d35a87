// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ctrl-C while records are changed: the program ends and says what was stored.
#pragma once

#include "qosgate/slurmdb/qos_commit.hpp"

namespace qg::cli {

/// While it lives, and once a change is stored until the program ends, SIGINT, SIGTERM and SIGHUP (unless
/// ignored) report the state of the change on standard error, and end the program as usual: what is still to
/// be written to standard output is lost then. If slurmdbd has been asked to store the change, the first
/// signal waits for its answer, and for that to the second of two transactions. Threads: one object at a
/// time, on the main thread.
class InterruptWatch {
  public:
    InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;
    ~InterruptWatch();

    /// Records the step of the change; may end the program if it was interrupted before.
    void note(slurmdb::CommitStep step);
};

} // namespace qg::cli
