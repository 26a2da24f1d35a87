// SPDX-License-Identifier: GPL-2.0-or-later
//
// source_files: the files of a policy folder, read only if nobody but root and the daemon's own user can have
// written them, and their identity by content.
#pragma once

#include "qosgate/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace qg::policy {

/// One file as it was read.
struct SourceFile {
    std::string name; ///< "10-debug.lua"
    std::string text;
};

/// All that makes a policy.
struct SourceFolder {
    bool exists = false;
    std::vector<SourceFile> files; ///< the *.lua files, in byte order of their names
    [[nodiscard]] const SourceFile* find(std::string_view name) const noexcept;
};

inline constexpr std::string_view site_file_name = "site.lua";
inline constexpr std::size_t max_file_bytes = std::size_t{256} << 10u;
inline constexpr std::size_t max_files = 256;

/// Reads every "*.lua" of the folder but hidden ones. A folder that does not exist gives `exists == false`.
/// Errors: permission_denied where the folder, a file, or anything on the way to them, links included,
/// belongs to somebody else than root and `trusted_user`, or can be written by others (naming it, its mode
/// and the cure); invalid_input for what is no regular file or too large; unavailable where the system
/// refuses. Cost: blocking reads.
Result<SourceFolder> read_source_folder(const std::filesystem::path& folder, uid_t trusted_user);

/// Content identity: names and texts, nothing else (FNV-1a, 64 bits). 0 for a folder that does not exist.
std::uint64_t hash_of(const SourceFolder& folder) noexcept;

/// A number that changes when a file of the folder changes, appears or goes, made from sizes, times, inodes
/// and modes without opening a file. Never fails: what cannot be looked at is part of the number.
std::uint64_t stat_signature(const std::filesystem::path& folder) noexcept;

/// The same of one file; 0 where there is none or it cannot be looked at. A chmod, a link or a copy back
/// changes it, too: that another number means another content is for the reader to find out.
std::uint64_t file_signature(const std::filesystem::path& file) noexcept;

} // namespace qg::policy
