// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where commands keep what has to be known later, on this machine.
#pragma once

#include "qosgate/base/result.hpp"

#include <filesystem>
#include <string_view>

namespace qg::cli {

/// /var/lib/qosgate for root, $XDG_STATE_HOME/qosgate or ~/.local/state/qosgate for others.
/// Errors: unavailable if there is no home directory.
Result<std::filesystem::path> default_state_directory();

/// Whether it is that of root, which the systemd units use.
bool is_state_directory_of_root(const std::filesystem::path& directory);

/// Makes the directory and those above it, with mode 0700. Errors: unavailable; permission_denied for a
/// directory that another user owns or may write into.
Result<void> make_state_directory(const std::filesystem::path& directory);

/// While it lives, no other process has the lock of this name in the directory. Threads: any.
class StateLock {
  public:
    /// Waits for another process to end. Errors: unavailable.
    static Result<StateLock> take(const std::filesystem::path& directory, std::string_view name);

    StateLock(StateLock&& other) noexcept;
    StateLock& operator=(StateLock&&) = delete;
    StateLock(const StateLock&) = delete;
    StateLock& operator=(const StateLock&) = delete;
    ~StateLock();

  private:
    explicit StateLock(int file) : file_(file) {}
    int file_;
};

} // namespace qg::cli
