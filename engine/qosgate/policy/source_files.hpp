// SPDX-License-Identifier: GPL-2.0-or-later
//
// source_files: the files of a policy directory, and their identity by content. They are read only if nobody
// except root and the daemon's own user can have written them.
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

/// All files of a policy.
struct SourceFolder {
    bool exists = false;
    std::vector<SourceFile> files; ///< the *.lua files, in byte order of their names
    [[nodiscard]] const SourceFile* find(std::string_view name) const noexcept;
};

inline constexpr std::string_view site_file_name = "site.lua";
inline constexpr std::size_t max_file_bytes = std::size_t{256} << 10u;
inline constexpr std::size_t max_files = 256;

/// Whether a file of this name belongs to a policy: "*.lua", and not hidden.
bool is_source_name(std::string_view name) noexcept;

/// Reads every "*.lua" of the directory except hidden ones. A directory that does not exist gives `exists ==
/// false`. Errors: permission_denied if the directory, a file, or a directory or link on the path to them
/// belongs to anybody except root and `trusted_user`, or others can write it (naming it, its mode and the
/// cure); invalid_input if it is not a regular file or too large; unavailable if the system refuses. Cost:
/// blocking reads.
Result<SourceFolder> read_source_folder(const std::filesystem::path& folder, uid_t trusted_user);

/// Identity by content: names and texts, nothing else (FNV-1a, 64 bits). 0 for a directory that does not
/// exist.
std::uint64_t hash_of(const SourceFolder& folder) noexcept;

/// A number that changes when a file of the directory changes, appears or disappears. It is made from sizes,
/// times, inodes and modes, without opening a file. Never fails: an error is part of the number.
std::uint64_t stat_signature(const std::filesystem::path& folder) noexcept;

/// The same for one file; 0 if there is none or it cannot be checked. A chmod, a link or a restored copy
/// changes it, too, so the caller must read the file to know whether its content changed.
std::uint64_t file_signature(const std::filesystem::path& file) noexcept;

} // namespace qg::policy
