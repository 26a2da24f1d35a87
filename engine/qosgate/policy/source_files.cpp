// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/source_files.hpp"

#include "qosgate/base/fnv.hpp"
#include "qosgate/base/open_directory.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/files/site_files.hpp"
#include "qosgate/policy/files/trusted_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>

namespace qg::policy {
namespace {

namespace fs = std::filesystem;

constexpr std::array<SourcePart, 4> parts{{
    {"", &is_source_name, max_files, max_file_bytes, max_files* max_file_bytes},
    {module_directory_name, &is_source_name, max_modules, max_file_bytes, max_modules* max_file_bytes},
    {data_directory_name, &is_data_name, max_data_files, max_data_file_bytes, max_data_bytes},
    {compat_directory_name, &is_compat_name, max_compat_files, max_compat_file_bytes, max_compat_bytes},
}};

constexpr SourcePart tests{tests_directory_name, &is_test_name, max_test_files, max_test_file_bytes,
                           max_test_bytes};

/// How many times a directory is read that changes while it is read.
constexpr int max_reads = 3;

/// The names of the policy's files in `directory`, in byte order.
std::vector<std::string> source_names(DIR* directory, const SourcePart& part) {
    std::vector<std::string> names;
    while (const dirent* entry = readdir(directory))
        if (part.takes(entry->d_name)) names.emplace_back(entry->d_name);
    std::sort(names.begin(), names.end());
    return names;
}

/// Adds the files of one part. False: its directory does not exist.
Result<bool> read_part(const fs::path& policy, const SourcePart& part, uid_t trusted_user,
                       std::vector<SourceFile>& files) {
    const fs::path directory = part.in(policy);
    struct stat info {};
    // A dangling link counts as existing; it is an error further down.
    if (lstat(directory.c_str(), &info) != 0 && errno == ENOENT) return false;
    const auto real = resolve_trusted(directory, trusted_user);
    if (!real) return real.error();
    if (!S_ISDIR(real->info.st_mode)) return system_error(directory, ENOTDIR);
    const auto trusted = check_trusted(real->path, real->info, trusted_user);
    if (!trusted) return trusted.error();
    const OpenDirectory opened(opendir(real->path.c_str()));
    if (!opened) return system_error(directory, errno);

    const std::vector<std::string> names = source_names(opened.get(), part);
    if (names.size() > part.max_files)
        return Error{ErrorCode::invalid_input,
                     text::format("{}: holds {} files, at most {} are read", directory.string(), names.size(),
                                  part.max_files)};
    std::size_t bytes = 0;
    for (const std::string& name : names) {
        auto content = read_trusted_file(directory / name, trusted_user, part.max_file_bytes);
        if (!content) return content.error();
        bytes += content->size();
        if (bytes > part.max_bytes) return Error{ErrorCode::invalid_input, part.describe_excess(directory)};
        files.push_back({part.name_of(name), *std::move(content)});
    }
    return true;
}

Result<SourceDirectory> read_once(const fs::path& directory, uid_t trusted_user) {
    SourceDirectory found;
    for (const SourcePart& part : parts) {
        const auto exists = read_part(directory, part, trusted_user, found.files);
        if (!exists) return exists.error();
        if (!part.directory.empty()) continue;
        if (!*exists) return SourceDirectory{};
        found.exists = true;
    }
    if (const auto read = read_site_files(site_paths(found), directory, trusted_user, found.files); !read)
        return read.error();
    if (const auto exists = read_part(directory, tests, trusted_user, found.tests); !exists)
        return exists.error();
    return found;
}

void add_stat(Fnv& signature, const struct stat& info) noexcept {
    signature.add_number(info.st_dev);
    signature.add_number(info.st_ino);
    signature.add_number(info.st_mode);
    signature.add_number(info.st_uid);
    signature.add_number(static_cast<std::uint64_t>(info.st_size));
    for (const timespec& time : {info.st_mtim, info.st_ctim}) {
        signature.add_number(static_cast<std::uint64_t>(time.tv_sec));
        signature.add_number(static_cast<std::uint64_t>(time.tv_nsec));
    }
}

void add_part(Fnv& signature, const fs::path& directory, const SourcePart& part) noexcept {
    const OpenDirectory opened(opendir(directory.c_str()));
    if (!opened) return signature.add_number(static_cast<std::uint64_t>(errno));
    struct stat info {};
    const int descriptor = dirfd(opened.get());
    if (fstat(descriptor, &info) == 0) add_stat(signature, info);
    // The order of readdir does not matter: the files' numbers are added.
    std::uint64_t sum = 0;
    while (const dirent* entry = readdir(opened.get())) {
        if (!part.takes(entry->d_name)) continue;
        Fnv file;
        file.add(entry->d_name);
        for (const int flags : {AT_SYMLINK_NOFOLLOW, 0}) {
            if (fstatat(descriptor, entry->d_name, &info, flags) == 0)
                add_stat(file, info);
            else
                file.add_number(static_cast<std::uint64_t>(errno));
        }
        sum += file.value();
    }
    signature.add_number(sum);
}

} // namespace

SourceKind kind_of(std::string_view name) noexcept {
    const auto is_in = [name](std::string_view directory) {
        return name.starts_with(directory) && name.substr(directory.size()).starts_with('/');
    };
    if (is_in(module_directory_name)) return SourceKind::module;
    if (is_in(data_directory_name)) return SourceKind::data;
    if (is_in(compat_directory_name) || name.starts_with('/')) return SourceKind::compat;
    return name == site_file_name ? SourceKind::settings : SourceKind::rule;
}

std::string SourcePart::describe_excess(const fs::path& path) const {
    return text::format("{}: holds more than {} MiB", path.string(), max_bytes >> 20u);
}

std::string SourcePart::name_of(std::string_view file) const {
    return directory.empty() ? std::string(file) : text::format("{}/{}", directory, file);
}

std::span<const SourcePart> source_parts() noexcept {
    return parts;
}

const SourcePart& test_part() noexcept {
    return tests;
}

const SourceFile* SourceDirectory::find(std::string_view name) const noexcept {
    const auto found =
        std::find_if(files.begin(), files.end(), [&](const SourceFile& file) { return file.name == name; });
    return found == files.end() ? nullptr : &*found;
}

bool is_source_name(std::string_view name) noexcept {
    return name.size() > 4 && name.front() != '.' && name.ends_with(".lua");
}

bool is_compat_name(std::string_view name) noexcept {
    return !name.starts_with('.') && !name.ends_with('~');
}

bool is_data_name(std::string_view name) noexcept {
    return !name.starts_with('.') && (name.ends_with(".json") || name.ends_with(".csv"));
}

bool is_test_name(std::string_view name) noexcept {
    return is_source_name(name) || (!name.starts_with('.') && name.ends_with(".json"));
}

Result<SourceDirectory> read_source_directory(const fs::path& directory, uid_t trusted_user) {
    for (int reads = 1;; ++reads) {
        const std::uint64_t before = stat_signature(directory);
        auto found = read_once(directory, trusted_user);
        if (reads == max_reads || stat_signature(directory) == before) return found;
    }
}

std::uint64_t hash_of(std::span<const SourceFile> files) noexcept {
    Fnv hash;
    for (const SourceFile& file : files) {
        // Lengths keep "ab" + "c" apart from "a" + "bc".
        hash.add_number(file.name.size());
        hash.add(file.name);
        hash.add_number(file.text.size());
        hash.add(file.text);
    }
    return hash.value();
}

std::uint64_t hash_of(const SourceDirectory& directory) noexcept {
    return directory.exists ? hash_of(std::span(directory.files)) : 0;
}

std::uint64_t stat_signature(const fs::path& directory, std::span<const std::string> other_paths) noexcept {
    Fnv signature;
    for (const SourcePart& part : parts)
        add_part(signature, part.in(directory), part);
    add_part(signature, tests.in(directory), tests);
    add_site_files(signature, other_paths);
    return signature.value();
}

std::uint64_t file_signature(const fs::path& file) noexcept {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0) return 0;
    Fnv signature;
    add_stat(signature, info);
    return signature.value();
}

} // namespace qg::policy
