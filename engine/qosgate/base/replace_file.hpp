// SPDX-License-Identifier: GPL-2.0-or-later
//
// replace_file: writes a file so that its readers see the old content or the new one, and nothing between.
#pragma once

#include "qosgate/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include <sys/types.h>

namespace qg {

/// Whether a new content must outlive a crash of the machine.
enum class Durability : std::uint8_t {
    on_disk, ///< it is on the disk, with its name, once the call is back
    cached,  ///< the system writes it when it likes
};

/// Puts `content` in the place of `file`, whole or not at all, with exactly this mode. Where there was a link
/// there is the file itself afterwards. Others may replace it at the same time, also from other machines: the
/// new content stands under a name of its own until it is complete.
/// Errors: unavailable, "<file>: cannot be written: <reason>"; the old content stays.
/// Cost: blocking. Threads: any.
Result<void> replace_file(const std::filesystem::path& file, std::string_view content, mode_t mode,
                          Durability durability);

/// How old a content that nobody completed must be before it is taken away: others may be writing theirs.
inline constexpr std::chrono::seconds leftover_age{60};

/// Takes away what calls of replace_file() for this file left beside it when their process was killed:
/// regular files of the effective user's, with such a name, and older than leftover_age. Never fails: what
/// cannot be taken away stays. Cost: blocking; looks at the whole folder. Threads: any.
void remove_leftovers(const std::filesystem::path& file) noexcept;

} // namespace qg
