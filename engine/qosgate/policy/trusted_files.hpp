// SPDX-License-Identifier: GPL-2.0-or-later
//
// trusted_files: files that only root or the daemon's own user can have written or put in their place. Each
// folder and link on the way is looked at, from "/" on: once all of them are trusted, nobody else can change
// what a path means between the look and the reading.
#pragma once

#include "qosgate/base/result.hpp"

#include <filesystem>
#include <string>

#include <sys/stat.h>
#include <sys/types.h>

namespace qg::policy {

/// A path without symbolic links, and what is there.
struct RealPath {
    std::filesystem::path path;
    struct stat info {};
};

/// "<path>: cannot be read: <reason>". Errors: none.
Error system_error(const std::filesystem::path& path, int number);

/// Refuses what somebody else could have written: owned by neither root nor `trusted_user`, or writable by
/// group or others. Errors: permission_denied, naming path, owner or mode, and the cure.
Result<void> check_trusted(const std::filesystem::path& path, const struct stat& info, uid_t trusted_user);

/// Follows a path, link by link. Every folder on the way and every link must be trusted; a folder
/// with the sticky bit, as /tmp, may be writable, since others cannot take away there what is trusted.
/// Errors: as check_trusted, naming the component; unavailable where the system refuses. Cost: blocking.
Result<RealPath> resolve_trusted(const std::filesystem::path& path, uid_t trusted_user);

/// The content of a regular file; nothing else is ever opened. `name` is how messages call it.
/// Errors: as check_trusted and, for the folder that it lies in, even with the sticky bit; invalid_input for
/// what is no regular file or larger than `max_bytes`. Cost: blocking.
Result<std::string> read_trusted_file(const std::filesystem::path& name, uid_t trusted_user,
                                      std::size_t max_bytes);

/// The same for a file of the daemon's own state, which is trusted as much as the folder it keeps that in: no
/// link at the end, and the way is not looked at.
Result<std::string> read_state_file(const std::filesystem::path& file, uid_t trusted_user,
                                    std::size_t max_bytes);

} // namespace qg::policy
