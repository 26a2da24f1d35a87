// SPDX-License-Identifier: GPL-2.0-or-later
//
// trusted_files: files that only root or the daemon's own user can have written or replaced. Each directory
// and link on the path is checked, from "/" on: if all of them are trusted, nobody else can change the
// meaning of the path between the check and the reading.
#pragma once

#include "qosgate/base/result.hpp"

#include <filesystem>
#include <string>

#include <sys/stat.h>
#include <sys/types.h>

namespace qg::policy {

/// A path without symbolic links, and the type of its target.
struct RealPath {
    std::filesystem::path path;
    struct stat info {};
};

/// "<path>: cannot be read: <reason>". Errors: none.
Error system_error(const std::filesystem::path& path, int number);

/// The error for what is no regular file, with a cure for a directory.
Error not_regular_error(const std::filesystem::path& path, bool is_directory);

/// Refuses a file that somebody else could have written: its owner is neither root nor `trusted_user`, or
/// group or others can write it. Errors: permission_denied, naming path, owner or mode, and the cure.
Result<void> check_trusted(const std::filesystem::path& path, const struct stat& info, uid_t trusted_user);

/// Follows a path, link by link. Every directory and link on the path must be trusted. A directory with the
/// sticky bit, like /tmp, may be writable, because others cannot remove trusted files there. Errors: as
/// check_trusted, naming the component; unavailable if the system refuses. Cost: blocking.
Result<RealPath> resolve_trusted(const std::filesystem::path& path, uid_t trusted_user);

/// The content of a regular file; nothing else is ever opened. `name` is its name in messages. Errors: as
/// check_trusted, also for its directory, even with the sticky bit; invalid_input if it is not a regular file
/// or larger than `max_bytes`. Cost: blocking.
Result<std::string> read_trusted_file(const std::filesystem::path& name, uid_t trusted_user,
                                      std::size_t max_bytes);

/// The content of a regular file, whoever can write it, and whatever becomes of it meanwhile. Errors:
/// unavailable if the system refuses, invalid_input if it is no regular file or larger than `max_bytes`.
/// Cost: blocking.
Result<std::string> read_any_file(const std::filesystem::path& name, std::size_t max_bytes);

/// The same for a file of the daemon's own state, which is trusted as much as its directory: the file must
/// not be a link, and the path is not checked.
Result<std::string> read_state_file(const std::filesystem::path& file, uid_t trusted_user,
                                    std::size_t max_bytes);

} // namespace qg::policy
