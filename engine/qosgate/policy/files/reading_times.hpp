// SPDX-License-Identifier: GPL-2.0-or-later
//
// ReadingTimes: when a directory of rules is read again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace qg::policy {

/// Decides when the directory's files are read: not while they are being written, and not while nothing
/// changes.
/// Threads: not thread-safe.
class ReadingTimes {
  public:
    /// Checks the directory. Cost: blocking; opens no file.
    bool is_time_to_read(const std::filesystem::path& directory);
    /// Called with each read: the paths outside of the directory that are checked with it from now on.
    void settle(std::vector<std::string> other_paths) {
        unsettled_checks_ = 0;
        if (other_paths == other_paths_) return;
        other_paths_ = std::move(other_paths);
        quiet_checks_ = 0;
    }

  private:
    std::vector<std::string> other_paths_;
    std::uint64_t signature_ = 0;
    unsigned unsettled_checks_ = 0; ///< checks in a row that found the directory changing
    unsigned quiet_checks_ = 0;
};

} // namespace qg::policy
