// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/files/trusted_files.hpp"

#include "qosgate/base/scope_exit.hpp"
#include "qosgate/base/text.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace qg::policy {
namespace {

namespace fs = std::filesystem;

/// As Linux has it.
constexpr int max_links = 40;

Result<void> check_owner(const fs::path& path, const struct stat& info, uid_t trusted_user) {
    if (info.st_uid == 0 || info.st_uid == trusted_user) return {};
    const std::string_view no_dereference = S_ISLNK(info.st_mode) ? "-h " : "";
    return Error{ErrorCode::permission_denied,
                 text::format("{}: belongs to user id {}, which is neither root nor the daemon's user {}: "
                              "chown {}root '{}'",
                              path.string(), info.st_uid, trusted_user, no_dereference, path.string())};
}

Result<void> check_mode(const fs::path& path, const struct stat& info) {
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
    return Error{ErrorCode::permission_denied,
                 text::format("{}: mode {:04o} lets others write it: chmod go-w '{}'", path.string(),
                              info.st_mode & 07777u, path.string())};
}

/// A directory or link on the path to a file.
Result<void> check_way(const fs::path& path, const struct stat& info, uid_t trusted_user) {
    const auto owned = check_owner(path, info, trusted_user);
    const bool may_be_writable = !S_ISDIR(info.st_mode) || (info.st_mode & S_ISVTX) != 0;
    if (!owned || may_be_writable) return owned;
    return check_mode(path, info);
}

/// The rest of a path, the next component last.
class Components {
  public:
    void push(const fs::path& path) {
        std::vector<std::string> parts;
        for (const fs::path& part : path.relative_path())
            parts.push_back(part.string());
        rest_.insert(rest_.end(), parts.rbegin(), parts.rend());
    }
    [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
    std::string take() {
        std::string next = std::move(rest_.back());
        rest_.pop_back();
        return next;
    }

  private:
    std::vector<std::string> rest_;
};

/// The path from "/" on.
Result<fs::path> make_absolute(const fs::path& path) {
    std::error_code problem;
    fs::path whole = fs::absolute(path, problem);
    if (problem) return system_error(path, problem.value());
    return whole;
}

Result<fs::path> read_link(const fs::path& link) {
    std::error_code problem;
    fs::path target = fs::read_symlink(link, problem);
    if (problem) return system_error(link, problem.value());
    return target;
}

Result<RealPath> follow(const fs::path& path, uid_t trusted_user) {
    Components rest;
    rest.push(path);
    int links = 0;
    RealPath real{"/", {}};
    const auto check = [&](const fs::path& at) -> Result<void> {
        if (lstat(at.c_str(), &real.info) != 0) return system_error(at, errno);
        return check_way(at, real.info, trusted_user);
    };
    for (auto checked = check(real.path);;) {
        if (!checked) return checked.error();
        if (rest.empty()) return real;
        const std::string name = rest.take();
        if (name.empty() || name == ".") continue;
        fs::path next = name == ".." ? real.path.parent_path() : real.path / name;
        checked = check(next);
        if (!checked || !S_ISLNK(real.info.st_mode)) {
            real.path = std::move(next);
            continue;
        }
        if (++links > max_links) return system_error(path, ELOOP);
        const auto target = read_link(next);
        if (!target) return target.error();
        if (target->is_absolute()) real.path = "/";
        rest.push(*target);
    }
}

Result<std::string> read_all(int file, const fs::path& name, std::size_t max_bytes) {
    std::string content;
    std::array<char, 16384> part{};
    while (content.size() <= max_bytes) {
        const ssize_t got = read(file, part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return system_error(name, errno);
        if (got == 0) return content;
        content.append(part.data(), static_cast<std::size_t>(got));
    }
    return Error{ErrorCode::invalid_input,
                 text::format("{}: larger than {} KiB", name.string(), max_bytes >> 10u)};
}

/// Reads a file that was regular a moment ago. `check` gets what the open file is, so that the checked file
/// is the one that is read.
template <typename Check>
Result<std::string> read_regular(const RealPath& real, const fs::path& name, int more_flags,
                                 std::size_t max_bytes, Check check) {
    // A device or FIFO is not opened.
    if (!S_ISREG(real.info.st_mode)) return not_regular_error(name, S_ISDIR(real.info.st_mode));
    const int file = open(real.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | more_flags);
    if (file < 0) return system_error(name, errno);
    const ScopeExit close_file([file] { close(file); });
    struct stat info {};
    if (fstat(file, &info) != 0) return system_error(name, errno);
    if (!S_ISREG(info.st_mode)) return not_regular_error(name, S_ISDIR(info.st_mode));
    if (const Result<void> checked = check(info); !checked) return checked.error();
    return read_all(file, name, max_bytes);
}

Result<std::string> read_checked(const RealPath& real, const fs::path& name, uid_t trusted_user,
                                 std::size_t max_bytes) {
    return read_regular(real, name, O_NOFOLLOW, max_bytes, [&](const struct stat& info) {
        return check_trusted(real.path, info, trusted_user);
    });
}

/// Adds the target of a path, for errors on the way to it. An error of the target itself gets the name that
/// the path has for it: they differ if a directory on the path is a link.
Error on_the_way(const Error& error, const fs::path& path) {
    const auto begins_with = [&](const fs::path& name) {
        return error.message.starts_with(name.string() + ": ");
    };
    if (begins_with(path)) return error;
    std::error_code problem;
    const fs::path itself = fs::canonical(path.parent_path(), problem) / path.filename();
    if (!problem && begins_with(itself))
        return {error.code, path.string() + error.message.substr(itself.string().size())};
    return error.in(text::format("{}: on the way to it", path.string()));
}

} // namespace

Error not_regular_error(const fs::path& path, bool is_directory) {
    constexpr std::string_view cure =
        ", but a directory, which is not read: move its files up, or, if compat/job_submit.lua reads them, "
        "to another place, and name that in compat_files";
    return {ErrorCode::invalid_input,
            text::format("{}: not a regular file{}", path.string(), is_directory ? cure : "")};
}

Error system_error(const fs::path& path, int number) {
    // strerror is not used: this runs beside the daemon's other threads.
    std::array<char, 128> buffer{};
    const char* reason = strerror_r(number, buffer.data(), buffer.size());
    return {ErrorCode::unavailable, text::format("{}: cannot be read: {}", path.string(), reason)};
}

Result<void> check_trusted(const fs::path& path, const struct stat& info, uid_t trusted_user) {
    const auto owned = check_owner(path, info, trusted_user);
    return owned ? check_mode(path, info) : owned;
}

Result<RealPath> resolve_trusted(const fs::path& path, uid_t trusted_user) {
    const auto whole = make_absolute(path);
    if (!whole) return whole.error();
    auto real = follow(*whole, trusted_user);
    if (!real) return on_the_way(real.error(), path);
    return real;
}

Result<std::string> read_trusted_file(const fs::path& name, uid_t trusted_user, std::size_t max_bytes) {
    const auto real = resolve_trusted(name, trusted_user);
    if (!real) return real.error();
    const fs::path directory = real->path.parent_path();
    struct stat info {};
    if (stat(directory.c_str(), &info) != 0) return on_the_way(system_error(directory, errno), name);
    if (const auto trusted = check_trusted(directory, info, trusted_user); !trusted)
        return on_the_way(trusted.error(), name);
    auto content = read_checked(*real, name, trusted_user, max_bytes);
    if (!content) return on_the_way(content.error(), name);
    return content;
}

Result<std::string> read_any_file(const fs::path& name, std::size_t max_bytes) {
    RealPath real{name, {}};
    if (stat(name.c_str(), &real.info) != 0) return system_error(name, errno);
    return read_regular(real, name, /*more_flags=*/0, max_bytes,
                        [](const struct stat&) { return Result<void>(); });
}

Result<std::string> read_state_file(const fs::path& file, uid_t trusted_user, std::size_t max_bytes) {
    RealPath real{file, {}};
    if (lstat(file.c_str(), &real.info) != 0) return system_error(file, errno);
    return read_checked(real, file, trusted_user, max_bytes);
}

} // namespace qg::policy
