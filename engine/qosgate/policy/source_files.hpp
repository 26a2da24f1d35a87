// SPDX-License-Identifier: GPL-2.0-or-later
//
// source_files: the files of a policy directory (rules, settings, modules in `lib`, tables in `data`, a
// script for job_submit/lua with its files in `compat`, and tests in `tests`), and their identity by content.
// They are read only if nobody except root and the daemon's own user can have written them.
#pragma once

#include "qosgate/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace qg::policy {

/// One file as it was read.
struct SourceFile {
    std::string name; ///< "10-debug.lua", "lib/limits.lua"; of files elsewhere their path
    std::string text;
};

/// What a file of a policy is for.
enum class SourceKind : std::uint8_t { settings, rule, module, data, compat };

/// The kind of a file by its name in a SourceDirectory.
SourceKind kind_of(std::string_view name) noexcept;

/// A directory that holds files of a policy.
struct SourcePart {
    std::string_view directory; ///< below the policy's directory; empty: that directory itself
    bool (*takes)(std::string_view name) noexcept; ///< whether a file of this name belongs to the policy
    std::size_t max_files;
    std::size_t max_file_bytes;
    std::size_t max_bytes; ///< of all files

    [[nodiscard]] std::filesystem::path in(const std::filesystem::path& policy) const {
        return directory.empty() ? policy : policy / directory;
    }
    /// The name of a file in it: "lib/limits.lua".
    [[nodiscard]] std::string name_of(std::string_view file) const;
    /// What to say of a directory with more than max_bytes.
    [[nodiscard]] std::string describe_excess(const std::filesystem::path& path) const;
};

/// The parts of a policy. The policy's directory comes first; the others may be missing.
std::span<const SourcePart> source_parts() noexcept;

/// The directory of the policy's tests, which may be missing. Tests are no part of the policy: they do not
/// count for its identity, and no copy of them is kept.
const SourcePart& test_part() noexcept;

/// All files of a policy.
struct SourceDirectory {
    bool exists = false;
    std::vector<SourceFile> files;      ///< part by part, in byte order of their names
    std::vector<SourceFile> tests = {}; ///< in byte order of their names
    [[nodiscard]] const SourceFile* find(std::string_view name) const noexcept;
};

inline constexpr std::string_view site_file_name = "site.lua";
inline constexpr std::size_t max_file_bytes = std::size_t{256} << 10u;
inline constexpr std::size_t max_files = 256;
inline constexpr std::string_view module_directory_name = "lib";
inline constexpr std::size_t max_modules = 64;
inline constexpr std::string_view data_directory_name = "data";
inline constexpr std::size_t max_data_files = 64;
inline constexpr std::size_t max_data_file_bytes = std::size_t{4} << 20u;
inline constexpr std::size_t max_data_bytes = std::size_t{16} << 20u;
inline constexpr std::string_view compat_directory_name = "compat";
inline constexpr std::size_t max_compat_files = 64;
inline constexpr std::size_t max_compat_file_bytes = std::size_t{4} << 20u;
inline constexpr std::size_t max_compat_bytes = std::size_t{16} << 20u;
inline constexpr std::string_view tests_directory_name = "tests";
inline constexpr std::size_t max_test_files = 256;
inline constexpr std::size_t max_test_file_bytes = std::size_t{4} << 20u;
inline constexpr std::size_t max_test_bytes = std::size_t{16} << 20u;

/// Whether a file of this name is Lua source: "*.lua", and not hidden.
bool is_source_name(std::string_view name) noexcept;

/// Whether a file of this name may be read by a script for job_submit/lua: any that is not hidden and no
/// backup ("x~").
bool is_compat_name(std::string_view name) noexcept;

/// Whether a file of this name holds a table: "*.json" or "*.csv", and not hidden.
bool is_data_name(std::string_view name) noexcept;

/// Whether a file of this name belongs to the tests: "*.lua" has tests, "*.json" is a capture that they name.
bool is_test_name(std::string_view name) noexcept;

/// Reads every file of all parts, the files that `compat_files` of site.lua names (site_files.hpp), and the
/// tests. A directory that does not exist gives `exists == false`. A directory that is replaced or changed
/// meanwhile is read again, so that its old and new files are not mixed; the third read counts in any case.
/// Errors: permission_denied if a directory, a file, or a directory or link on the path to them belongs to
/// anybody except root and `trusted_user`, or others can write it (naming it, its mode and the cure);
/// invalid_input if it is not a regular file or too large, or if there are too many; unavailable if the
/// system refuses. Cost: blocking reads.
Result<SourceDirectory> read_source_directory(const std::filesystem::path& directory, uid_t trusted_user);

/// Identity by content: names and texts, nothing else (FNV-1a, 64 bits).
std::uint64_t hash_of(std::span<const SourceFile> files) noexcept;

/// The identity of the policy in a directory, without its tests; 0 for a directory that does not exist.
std::uint64_t hash_of(const SourceDirectory& directory) noexcept;

/// A number that changes when a file of the directory, or of the other paths, changes, appears or disappears.
/// It is made from sizes, times, inodes and modes, without opening a file. Never fails: an error is part of
/// the number.
std::uint64_t stat_signature(const std::filesystem::path& directory,
                             std::span<const std::string> other_paths = {}) noexcept;

/// The same for one file; 0 if there is none or it cannot be checked. A chmod, a link or a restored copy
/// changes it, too, so the caller must read the file to know whether its content changed.
std::uint64_t file_signature(const std::filesystem::path& file) noexcept;

} // namespace qg::policy
