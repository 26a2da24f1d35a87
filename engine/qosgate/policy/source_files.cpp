// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/source_files.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/fnv.hpp"
#include "qosgate/policy/trusted_files.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace qg::policy {
namespace {

namespace fs = std::filesystem;

struct CloseDirectory {
    void operator()(DIR* directory) const noexcept { closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

Result<SourceFile> read_file(const fs::path& folder, const std::string& name, uid_t trusted_user) {
    auto content = read_trusted_file(folder / name, trusted_user, max_file_bytes);
    if (!content) return content.error();
    return SourceFile{name, *std::move(content)};
}

/// The names of the policy's files in `directory`, in byte order.
std::vector<std::string> source_names(DIR* directory) {
    std::vector<std::string> names;
    while (const dirent* entry = readdir(directory))
        if (is_source_name(entry->d_name)) names.emplace_back(entry->d_name);
    std::sort(names.begin(), names.end());
    return names;
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

} // namespace

const SourceFile* SourceFolder::find(std::string_view name) const noexcept {
    const auto found =
        std::find_if(files.begin(), files.end(), [&](const SourceFile& file) { return file.name == name; });
    return found == files.end() ? nullptr : &*found;
}

bool is_source_name(std::string_view name) noexcept {
    return name.size() > 4 && name.front() != '.' && name.ends_with(".lua");
}

Result<SourceFolder> read_source_folder(const fs::path& folder, uid_t trusted_user) {
    struct stat info {};
    // A dangling link counts as existing; it is an error further down.
    if (lstat(folder.c_str(), &info) != 0 && errno == ENOENT) return SourceFolder{};
    const auto real = resolve_trusted(folder, trusted_user);
    if (!real) return real.error();
    if (!S_ISDIR(real->info.st_mode)) return system_error(folder, ENOTDIR);
    const auto trusted = check_trusted(real->path, real->info, trusted_user);
    if (!trusted) return trusted.error();
    const Directory directory(opendir(real->path.c_str()));
    if (!directory) return system_error(folder, errno);

    SourceFolder found{true, {}};
    const std::vector<std::string> names = source_names(directory.get());
    if (names.size() > max_files)
        return Error{ErrorCode::invalid_input, text::format("{}: holds {} files, at most {} are read",
                                                            folder.string(), names.size(), max_files)};
    for (const std::string& name : names) {
        auto file = read_file(folder, name, trusted_user);
        if (!file) return file.error();
        found.files.push_back(*std::move(file));
    }
    return found;
}

std::uint64_t hash_of(const SourceFolder& folder) noexcept {
    if (!folder.exists) return 0;
    Fnv hash;
    for (const SourceFile& file : folder.files) {
        // Lengths keep "ab" + "c" apart from "a" + "bc".
        hash.add_number(file.name.size());
        hash.add(file.name);
        hash.add_number(file.text.size());
        hash.add(file.text);
    }
    return hash.value();
}

std::uint64_t stat_signature(const fs::path& folder) noexcept {
    Fnv signature;
    const Directory directory(opendir(folder.c_str()));
    if (!directory) {
        signature.add_number(static_cast<std::uint64_t>(errno));
        return signature.value();
    }
    struct stat info {};
    const int folder_file = dirfd(directory.get());
    if (fstat(folder_file, &info) == 0) add_stat(signature, info);
    // The order of readdir does not matter: the files' numbers are added.
    std::uint64_t sum = 0;
    while (const dirent* entry = readdir(directory.get())) {
        if (!is_source_name(entry->d_name)) continue;
        Fnv file;
        file.add(entry->d_name);
        for (const int flags : {AT_SYMLINK_NOFOLLOW, 0}) {
            if (fstatat(folder_file, entry->d_name, &info, flags) == 0)
                add_stat(file, info);
            else
                file.add_number(static_cast<std::uint64_t>(errno));
        }
        sum += file.value();
    }
    signature.add_number(sum);
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
