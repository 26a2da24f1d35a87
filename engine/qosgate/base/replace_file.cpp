// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/replace_file.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/open_directory.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qg {
namespace {

/// Returns errno, 0 for success.
int write_all(int file, std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

/// Fills a new file and closes it. Returns errno, 0 for success.
int fill(int file, std::string_view content, mode_t mode, Durability durability) noexcept {
    int problem = write_all(file, content);
    if (problem == 0 && fchmod(file, mode) != 0) problem = errno;
    if (problem == 0 && durability == Durability::on_disk && fsync(file) != 0) problem = errno;
    if (close(file) != 0 && problem == 0) problem = errno;
    return problem;
}

/// A renamed file is safe on the disk only after its directory is synced.
void sync_directory(const std::filesystem::path& directory) noexcept {
    const int file = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    (void)fsync(file);
    close(file);
}

constexpr std::string_view unique_part = ".XXXXXX"; // as mkostemp() wants it

bool is_alphanumeric(char letter) noexcept {
    return text::is_digit(letter) || text::is_letter(letter);
}

/// Whether replace_file() may have made this name for a file called `own`.
bool is_fresh_name(std::string_view name, std::string_view own) noexcept {
    if (name.size() != own.size() + unique_part.size() || !name.starts_with(own)) return false;
    const std::string_view unique = name.substr(own.size());
    return unique.front() == unique_part.front() && std::ranges::all_of(unique.substr(1), is_alphanumeric);
}

bool is_leftover(const struct stat& info) noexcept {
    return S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
           std::time(nullptr) - info.st_mtim.tv_sec > leftover_age.count();
}

} // namespace

Result<void> replace_file(const std::filesystem::path& file, std::string_view content, mode_t mode,
                          Durability durability) {
    const auto failed = [&file](int number) {
        return Error{ErrorCode::unavailable, text::format("{}: cannot be written: {}", file.string(),
                                                          std::generic_category().message(number))};
    };
    std::string fresh = file.string().append(unique_part); // mode 0600 at first
    const int descriptor = mkostemp(fresh.data(), O_CLOEXEC);
    if (descriptor < 0) return failed(errno);
    int problem = fill(descriptor, content, mode, durability);
    if (problem == 0 && std::rename(fresh.c_str(), file.c_str()) != 0) problem = errno;
    if (problem != 0) {
        (void)unlink(fresh.c_str());
        return failed(problem);
    }
    if (durability == Durability::on_disk) sync_directory(file.parent_path());
    return {};
}

void remove_leftovers(const std::filesystem::path& file) noexcept {
    const std::string_view path = file.native();
    const std::string_view own = path.substr(path.rfind('/') + 1);
    const int descriptor = open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    const OpenDirectory directory(fdopendir(descriptor));
    if (directory == nullptr) {
        close(descriptor);
        return;
    }
    while (const dirent* entry = readdir(directory.get())) {
        struct stat info {};
        if (is_fresh_name(entry->d_name, own) &&
            fstatat(descriptor, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && is_leftover(info))
            (void)unlinkat(descriptor, entry->d_name, 0);
    }
}

} // namespace qg
