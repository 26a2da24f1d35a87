// SPDX-License-Identifier: GPL-2.0-or-later
//
// Library: Slurm's client library, started. For programs, never for plugins.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"

namespace qg::slurmdb {

struct Library {
    /// Starts the library for the rest of the process, once for each slurm.conf: what is changed in the file
    /// later is not seen. First tries the start in a child process, because the library ends the process on
    /// a bad configuration. Errors: unavailable, with what the library says. Cost: one fork, the first time.
    /// Threads: safe.
    static Result<void> start(const SlurmConf& conf);
};

} // namespace qg::slurmdb
