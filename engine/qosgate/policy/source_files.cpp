// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/source_files.hpp"

#include "qosgate/base/scope_exit.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qg::policy {
namespace {

namespace fs = std::filesystem;

struct CloseDirectory {
    void operator()(DIR* directory) const noexcept { closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

/// FNV-1a over bytes.
class Fnv {
  public:
    void add(std::string_view bytes) noexcept {
        for (const char c : bytes)
            state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    void add_number(std::uint64_t number) noexcept {
        for (unsigned shift = 0; shift < 64; shift += 8)
            state_ = (state_ ^ (number >> shift & 0xffu)) * 0x100000001b3u;
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

  private:
    std::uint64_t state_ = 0xcbf29ce484222325u;
};

Error system_error(const fs::path& path, int number) {
    // strerror is not used: this runs beside the daemon's other threads.
    std::array<char, 128> buffer{};
    const char* reason = strerror_r(number, buffer.data(), buffer.size());
    return {ErrorCode::unavailable, text::format("{}: cannot be read: {}", path.string(), reason)};
}

/// Refuses what somebody else could have written.
Result<void> check_trusted(const fs::path& path, const struct stat& info, uid_t trusted_user) {
    if (info.st_uid != 0 && info.st_uid != trusted_user)
        return Error{
            ErrorCode::permission_denied,
            text::format("{}: belongs to user id {}, which is neither root nor the daemon's user {}: "
                         "chown root '{}'",
                         path.string(), info.st_uid, trusted_user, path.string())};
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return Error{ErrorCode::permission_denied,
                     text::format("{}: mode {:04o} lets others write it: chmod go-w '{}'", path.string(),
                                  info.st_mode & 07777u, path.string())};
    return {};
}

/// Refuses a symbolic link into a folder where others could exchange the target.
Result<void> check_link_target(const fs::path& link, uid_t trusted_user) {
    std::error_code problem;
    const fs::path target = fs::canonical(link, problem);
    if (problem) return system_error(link, problem.value());
    struct stat info {};
    if (stat(target.parent_path().c_str(), &info) != 0) return system_error(target.parent_path(), errno);
    const auto trusted = check_trusted(target.parent_path(), info, trusted_user);
    if (!trusted) return trusted.error().in(text::format("{}: a link to {}", link.string(), target.string()));
    return {};
}

Result<std::string> read_all(int file, const fs::path& path) {
    std::string content(max_file_bytes + 1, '\0');
    std::size_t length = 0;
    while (length < content.size()) {
        const ssize_t got = read(file, content.data() + length, content.size() - length);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return system_error(path, errno);
        if (got == 0) break;
        length += static_cast<std::size_t>(got);
    }
    if (length > max_file_bytes)
        return Error{ErrorCode::invalid_input,
                     text::format("{}: larger than {} KiB", path.string(), max_file_bytes >> 10u)};
    content.resize(length);
    content.shrink_to_fit();
    return content;
}

Result<SourceFile> read_file(int folder_file, const fs::path& folder, const std::string& name,
                             uid_t trusted_user) {
    const fs::path path = folder / name;
    struct stat info {};
    if (fstatat(folder_file, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return system_error(path, errno);
    if (S_ISLNK(info.st_mode)) {
        const auto trusted = check_link_target(path, trusted_user);
        if (!trusted) return trusted.error();
    }
    // What is checked is what is read: the open file. O_NONBLOCK, or a FIFO would hold us up.
    const int file = openat(folder_file, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return system_error(path, errno);
    const ScopeExit close_file([file] { close(file); });
    if (fstat(file, &info) != 0) return system_error(path, errno);
    if (!S_ISREG(info.st_mode))
        return Error{ErrorCode::invalid_input, text::format("{}: not a regular file", path.string())};
    const auto trusted = check_trusted(path, info, trusted_user);
    if (!trusted) return trusted.error();
    auto content = read_all(file, path);
    if (!content) return content.error();
    return SourceFile{name, *std::move(content)};
}

bool is_source_name(std::string_view name) noexcept {
    return name.size() > 4 && name.front() != '.' && name.ends_with(".lua");
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

Result<SourceFolder> read_source_folder(const fs::path& folder, uid_t trusted_user) {
    const int folder_file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_file < 0) return errno == ENOENT ? Result(SourceFolder{}) : system_error(folder, errno);
    const Directory directory(fdopendir(folder_file));
    if (!directory) {
        const int number = errno;
        close(folder_file);
        return system_error(folder, number);
    }
    struct stat info {};
    if (fstat(folder_file, &info) != 0) return system_error(folder, errno);
    const auto trusted = check_trusted(folder, info, trusted_user);
    if (!trusted) return trusted.error();

    SourceFolder found{true, {}};
    const std::vector<std::string> names = source_names(directory.get());
    if (names.size() > max_files)
        return Error{ErrorCode::invalid_input, text::format("{}: holds {} files, at most {} are read",
                                                            folder.string(), names.size(), max_files)};
    for (const std::string& name : names) {
        auto file = read_file(folder_file, folder, name, trusted_user);
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
    // The order of readdir does not matter: files are added up.
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

} // namespace qg::policy
