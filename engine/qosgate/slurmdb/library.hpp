// SPDX-License-Identifier: GPL-2.0-or-later
//
// Library: Slurm's client library, started. For programs, never for plugins.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"

#include <memory>

namespace qg::slurmdb {

/// There may be one per process.
class Library {
  public:
    /// Tries the library's start in a child process (the library ends the process on a bad configuration),
    /// and then starts it. Errors: unavailable, with what the library says. Cost: one fork.
    static Result<std::unique_ptr<Library>> start(const SlurmConf& conf);

    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library();

  private:
    Library() = default;
};

} // namespace qg::slurmdb
