// SPDX-License-Identifier: GPL-2.0-or-later
//
// replace_file: replaces a file atomically. Readers see the old content or the new content, never a part.
#pragma once

#include "qosgate/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include <sys/types.h>

namespace qg {

/// Whether new content must survive a crash of the machine.
enum class Durability : std::uint8_t {
    on_disk, ///< content and name are on the disk when the call returns
    cached,  ///< the system decides when to write it
};

/// Replaces `file` by `content`, completely or not at all, with exactly this mode. A symbolic link is
/// replaced by a regular file. Other processes, also on other machines, may replace it at the same time: the
/// new content has a name of its own until it is complete.
/// Errors: unavailable, "<file>: cannot be written: <reason>"; the old content stays.
/// Cost: blocking. Threads: any.
Result<void> replace_file(const std::filesystem::path& file, std::string_view content, mode_t mode,
                          Durability durability);

/// An incomplete file must be older than this before it is removed: another process may still be writing it.
inline constexpr std::chrono::seconds leftover_age{60};

/// Removes the incomplete files that killed processes left beside this file: regular files of the effective
/// user, with a name that replace_file() makes, older than leftover_age. Never fails: a file that cannot be
/// removed stays. Cost: blocking; reads the whole directory. Threads: any.
void remove_leftovers(const std::filesystem::path& file) noexcept;

} // namespace qg
