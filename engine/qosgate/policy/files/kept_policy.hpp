// SPDX-License-Identifier: GPL-2.0-or-later
//
// kept_policy: a copy of the policy in force, kept across restarts of the daemon. It is in slurmctld's state
// directory, so that a backup controller finds it too, and is trusted as much as slurmctld's state.
//
// The file: a line "qosgate_policy 1 <hash of all that follows>", a line "folder <0 or 1> files <count>",
// per file a line "<bytes of name> <bytes of text>", the name, the text and a newline; and at the end a line
// "stamp <number>", which distinguishes two writings of the same content. If there was a directory of which
// nothing ever loaded, a line "never loaded" stands instead of folder and files: releases that do not know it
// take the copy for a damaged one, which means the same. In clusters with several controllers a line "host
// <name>" follows the stamp; releases that do not know it take such a copy for a damaged one.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/source_files.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace qg::policy {

/// The kept files, and the stamp of the writing.
struct KeptPolicy {
    SourceDirectory sources;
    std::uint64_t stamp = 0;   ///< a later writing has a larger stamp; 0: written without one
    bool never_loaded = false; ///< there are rules, but which is not known; `sources` is empty
    std::string host = {};     ///< of the controller that wrote it; empty: not told
};

/// The file's whole content. A host that cannot be the name of one is left out.
std::string to_kept_text(const KeptPolicy& kept);

/// Reads the file's content. Errors: invalid_input for any text that to_kept_text() did not make; the line of
/// the stamp may be missing.
Result<KeptPolicy> parse_kept_text(std::string_view text);

/// Replaces the copy atomically, with mode 0600. Another process may read or write it meanwhile. Errors:
/// unavailable if the system refuses. Cost: blocking, with fsync.
Result<void> write_kept(const std::filesystem::path& file, const KeptPolicy& kept);

/// The copy; empty if there is none. Errors: permission_denied if anybody except root and `trusted_user`
/// could have written it; invalid_input for a damaged copy; unavailable if the system refuses. Cost:
/// blocking.
Result<std::optional<KeptPolicy>> read_kept(const std::filesystem::path& file, uid_t trusted_user);

} // namespace qg::policy
