// SPDX-License-Identifier: GPL-2.0-or-later
//
// kept_policy: the copy of the policy in force that outlives the daemon. It lies where slurmctld keeps its
// own state, so that a backup controller finds it too, and is trusted as much as that state.
//
// The file: a line "qosgate_policy 1 <hash of all that follows>", a line "folder <0 or 1> files <count>",
// per file a line "<bytes of name> <bytes of text>", the name, the text and a newline; and at the end a line
// "stamp <number>", which tells one writing from the next where the content is the same.
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

/// What was kept, and which writing it was.
struct KeptPolicy {
    SourceFolder sources;
    std::uint64_t stamp = 0; ///< the later writing has the larger one; 0: written without one
};

/// The file's whole content.
std::string to_kept_text(const KeptPolicy& kept);

/// What was kept again. Errors: invalid_input for anything but what to_kept_text() made, with or without the
/// line of the stamp.
Result<KeptPolicy> parse_kept_text(std::string_view text);

/// Puts the copy in the place of the one before, whole or not at all, with mode 0600. Another process may
/// read or write it meanwhile. Errors: unavailable where the system refuses. Cost: blocking, with fsync.
Result<void> write_kept(const std::filesystem::path& file, const KeptPolicy& kept);

/// The copy; nothing where there is none.
/// Errors: permission_denied where somebody else than root and `trusted_user` could have written it;
/// invalid_input for a damaged one; unavailable where the system refuses. Cost: blocking.
Result<std::optional<KeptPolicy>> read_kept(const std::filesystem::path& file, uid_t trusted_user);

} // namespace qg::policy
