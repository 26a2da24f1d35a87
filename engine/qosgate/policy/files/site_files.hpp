// SPDX-License-Identifier: GPL-2.0-or-later
//
// site_files: the files outside of a policy's directory that its script for job_submit/lua may read, as
// `site { compat_files = { … } }` names them. They are a part of the policy like its own files: read together
// with them, from owners that are trusted, and kept with them. Their names are their paths.
#pragma once

#include "qosgate/base/fnv.hpp"
#include "qosgate/base/result.hpp"
#include "qosgate/policy/source_files.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace qg::policy {

inline constexpr std::size_t max_site_files = 64;
inline constexpr std::size_t max_site_file_bytes = std::size_t{4} << 20u;
inline constexpr std::size_t max_site_bytes = std::size_t{16} << 20u;

/// A path without "//", "." and "..", and without a slash at its end. It is only text: links are not
/// followed.
std::string normal_path(std::string_view path);

/// The paths that site.lua among these files names; none if it does not load.
std::vector<std::string> site_paths(const SourceDirectory& sources);
/// The same for a directory. Cost: reads site.lua.
std::vector<std::string> site_paths(const std::filesystem::path& directory, uid_t trusted_user);

/// Adds the files of these paths. A path may be a file, or a directory, of which all files are read that are
/// not hidden and no backups ("x~"), also those of its subdirectories; a path that does not exist adds
/// nothing. The policy's own directory `policy` is left out. Errors: as read_source_directory; if
/// `trusted_user` is empty, owners and modes are not checked. Cost: blocking reads.
Result<void> read_site_files(std::span<const std::string> paths, const std::filesystem::path& policy,
                             std::optional<uid_t> trusted_user, std::vector<SourceFile>& files);

/// Adds what stat() tells of these files. Never fails.
void add_site_files(Fnv& signature, std::span<const std::string> paths) noexcept;

} // namespace qg::policy
