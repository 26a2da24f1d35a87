// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/state_directory.hpp"

#include "qosgate/base/text.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qg::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* directory_of_root = "/var/lib/qosgate";

Error cannot(const fs::path& path, std::string_view what, int reason) {
    return {ErrorCode::unavailable,
            text::format("{}: {}: {}", text::printable(path.string(), 1000), what, std::strerror(reason))};
}

} // namespace

Result<fs::path> default_state_directory() {
    if (geteuid() == 0) return fs::path(directory_of_root);
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && fs::path(state).is_absolute()) return fs::path(state) / "qosgate";
    const char* home = std::getenv("HOME");
    if (home == nullptr || !fs::path(home).is_absolute())
        return Error{ErrorCode::unavailable, "there is neither XDG_STATE_HOME nor HOME: name the directory"};
    return fs::path(home) / ".local/state/qosgate";
}

bool is_state_directory_of_root(const fs::path& directory) {
    std::error_code ignored;
    return directory == directory_of_root || fs::equivalent(directory, directory_of_root, ignored);
}

Result<void> make_state_directory(const fs::path& directory) {
    std::error_code problem;
    if (directory.has_parent_path()) fs::create_directories(directory.parent_path(), problem);
    if (problem) return cannot(directory.parent_path(), "cannot be made", problem.value());
    if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return cannot(directory, "cannot be made", errno);
    struct stat facts {};
    if (stat(directory.c_str(), &facts) != 0) return cannot(directory, "cannot be read", errno);
    if (!S_ISDIR(facts.st_mode)) return cannot(directory, "cannot be used", ENOTDIR);
    if (facts.st_uid != geteuid() || (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return Error{ErrorCode::permission_denied,
                     text::format("{}: another user owns it, or may write into it",
                                  text::printable(directory.string(), 1000))};
    return {};
}

Result<StateLock> StateLock::take(const fs::path& directory, std::string_view name) {
    const fs::path path = directory / name;
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return cannot(path, "cannot be opened", errno);
    StateLock lock(file);
    while (flock(file, LOCK_EX) != 0)
        if (errno != EINTR) return cannot(path, "cannot be locked", errno);
    return Result<StateLock>(std::move(lock));
}

StateLock::StateLock(StateLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

StateLock::~StateLock() {
    if (file_ >= 0) close(file_);
}

} // namespace qg::cli
