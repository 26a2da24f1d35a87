// SPDX-License-Identifier: GPL-2.0-or-later
//
// FailureLog: what slurmctld's log says of attempts that fail.
#pragma once

#include "host/host_log.hpp"

#include <string>

namespace qg::plugin {

/// Counts failures in a row. The second one is logged, and the end of a logged failure. The first one is only
/// worth another attempt, soon: while slurmctld reads slurm.conf again, it can fail to authenticate a request
/// (slurm/README.md 3.4).
/// Threads: not thread-safe.
class FailureLog {
  public:
    /// `subject` begins each line; it must outlive the object.
    explicit FailureLog(const char* subject) noexcept : subject_(subject) {}

    [[nodiscard]] bool is_failing() const noexcept { return failures_ > 0; }
    [[nodiscard]] bool has_failed_once() const noexcept { return failures_ == 1; }

    void failed(const std::string& message) {
        if (failures_ == 1) log_error((subject_ + (": " + message) + "; trying again").c_str());
        if (failures_ < 2) ++failures_;
    }
    void succeeded() {
        if (failures_ == 2) log_info((subject_ + std::string(": available again")).c_str());
        failures_ = 0;
    }

  private:
    const char* subject_;
    int failures_ = 0; ///< at most 2
};

} // namespace qg::plugin
