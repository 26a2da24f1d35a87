// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/files/site_files.hpp"

#include "qosgate/base/open_directory.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/directory_findings.hpp"
#include "qosgate/policy/files/trusted_files.hpp"
#include "qosgate/policy/run/compiled_rules.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include <sys/stat.h>

namespace qg::policy {
namespace {

namespace fs = std::filesystem;

constexpr unsigned max_depth = 8;           ///< of directories below a path
constexpr std::size_t max_entries = 10'000; ///< of directories, also those that are not read

class SiteFileReader {
  public:
    SiteFileReader(const fs::path& policy, std::optional<uid_t> trusted_user, std::vector<SourceFile>& files)
        : policy_(normal_path(policy.string())), trusted_user_(trusted_user), files_(files) {}

    Result<void> read(const fs::path& path, unsigned depth = 0) {
        if (path == policy_) return {};
        struct stat info {};
        if (lstat(path.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) return {};
        if (auto resolved = resolve(path, info); !resolved) return resolved;
        return S_ISDIR(info.st_mode) ? read_directory(path, depth) : read_file(path);
    }

  private:
    /// `info` becomes that of the path's target.
    Result<void> resolve(const fs::path& path, struct stat& info) const {
        if (!trusted_user_) {
            if (stat(path.c_str(), &info) != 0) return system_error(path, errno);
            return {};
        }
        const auto real = resolve_trusted(path, *trusted_user_);
        if (!real) return real.error();
        info = real->info;
        return S_ISDIR(info.st_mode) ? check_trusted(real->path, info, *trusted_user_) : Result<void>();
    }

    Result<void> read_directory(const fs::path& path, unsigned depth) {
        if (depth >= max_depth)
            return Error{ErrorCode::invalid_input,
                         text::format("{}: is more than {} directories deep", path.string(), max_depth)};
        const OpenDirectory opened(opendir(path.c_str()));
        if (!opened) return system_error(path, errno);
        std::vector<std::string> names;
        while (const dirent* entry = readdir(opened.get())) {
            if (++entries_ > max_entries) return too_many(path);
            if (is_compat_name(entry->d_name)) names.emplace_back(entry->d_name);
        }
        std::ranges::sort(names);
        for (const std::string& name : names)
            if (auto done = read(path / name, depth + 1); !done) return done;
        return {};
    }

    Result<void> read_file(const fs::path& path) {
        // Two paths may name the same file.
        if (std::ranges::find(files_, path.string(), &SourceFile::name) != files_.end()) return {};
        auto content = trusted_user_ ? read_trusted_file(path, *trusted_user_, max_site_file_bytes)
                                     : read_any_file(path, max_site_file_bytes);
        if (!content) return content.error();
        bytes_ += content->size();
        if (++count_ > max_site_files) return too_many(path);
        if (bytes_ > max_site_bytes)
            return Error{ErrorCode::invalid_input,
                         text::format("{}: the files of compat_files have more than {} MiB", path.string(),
                                      max_site_bytes >> 20u)};
        files_.push_back({path.string(), *std::move(content)});
        return {};
    }

    static Error too_many(const fs::path& path) {
        return {ErrorCode::invalid_input,
                text::format("{}: compat_files names more than {} files; name fewer directories",
                             path.string(), max_site_files)};
    }

    const fs::path policy_;
    const std::optional<uid_t> trusted_user_;
    std::vector<SourceFile>& files_;
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
    std::size_t entries_ = 0;
};

/// Adds one path; returns how many entries were looked at.
std::size_t add_path(Fnv& signature, const std::string& path, std::size_t room, unsigned depth) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) {
        signature.add_number(static_cast<std::uint64_t>(errno));
        return 1;
    }
    signature.add_number(file_signature(path));
    if (!S_ISDIR(info.st_mode) || depth >= max_depth) return 1;
    const OpenDirectory opened(opendir(path.c_str()));
    std::vector<std::string> names;
    std::size_t seen = 1;
    while (const dirent* entry = opened ? readdir(opened.get()) : nullptr)
        if (++seen < room && is_compat_name(entry->d_name)) names.emplace_back(entry->d_name);
    std::ranges::sort(names);
    for (const std::string& name : names) {
        signature.add(name);
        if (seen < room) seen += add_path(signature, path + "/" + name, room - seen, depth + 1);
    }
    return seen;
}

} // namespace

std::string normal_path(std::string_view path) {
    std::string normal = fs::path(path).lexically_normal().string();
    if (normal.starts_with("//")) normal.erase(0, 1);
    while (normal.size() > 1 && normal.ends_with('/'))
        normal.pop_back();
    return normal;
}

std::vector<std::string> site_paths(const SourceDirectory& sources) {
    const SourceFile* site = sources.find(site_file_name);
    if (site == nullptr) return {};
    auto settings = load_settings(*site);
    return settings ? std::move(settings->compat_files) : std::vector<std::string>();
}

std::vector<std::string> site_paths(const fs::path& directory, uid_t trusted_user) {
    auto text = read_trusted_file(directory / site_file_name, trusted_user, max_file_bytes);
    if (!text) return {};
    SourceDirectory sources;
    sources.files.push_back({std::string(site_file_name), *std::move(text)});
    return site_paths(sources);
}

Result<void> read_site_files(std::span<const std::string> paths, const fs::path& policy,
                             std::optional<uid_t> trusted_user, std::vector<SourceFile>& files) {
    SiteFileReader reader(policy, trusted_user, files);
    for (const std::string& path : paths)
        if (auto done = reader.read(path); !done) return done;
    return {};
}

void add_site_files(Fnv& signature, std::span<const std::string> paths) noexcept {
    try {
        std::size_t seen = 0;
        for (const std::string& path : paths)
            if (seen < max_entries) seen += add_path(signature, path, max_entries - seen, 0);
    } catch (...) {
        signature.add_number(ENOMEM);
    }
}

} // namespace qg::policy
