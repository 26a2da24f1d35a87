// SPDX-License-Identifier: GPL-2.0-or-later
//
// ReadingTimes: when a directory of rules is read again.
#pragma once

#include <cstdint>
#include <filesystem>

namespace qg::policy {

/// Decides when the directory's files are read: not while they are being written, and not while nothing
/// changes.
/// Threads: not thread-safe.
class ReadingTimes {
  public:
    /// Checks the directory. Cost: blocking; opens no file.
    bool is_time_to_read(const std::filesystem::path& folder);
    /// Called after a read.
    void settle() noexcept { unsettled_checks_ = 0; }

  private:
    std::uint64_t signature_ = 0;
    unsigned unsettled_checks_ = 0; ///< checks in a row that found the directory changing
    unsigned quiet_checks_ = 0;
};

} // namespace qg::policy
