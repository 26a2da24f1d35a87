// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/folder_findings.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/trusted_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace qg::policy {
namespace {

namespace fs = std::filesystem;

/// An absolute path without a "." in it or a slash behind it, as it stands in messages.
fs::path tidy(const fs::path& path) {
    std::error_code problem;
    const fs::path whole = fs::absolute(path, problem);
    // The meaning of ".." depends on links.
    if (problem || std::ranges::find(whole, fs::path("..")) != whole.end()) return path;
    fs::path normal = whole.lexically_normal();
    return normal.has_filename() ? normal : normal.parent_path();
}

/// The message of an error, without the path in front of it.
std::string without_path(const Error& error, const fs::path& path) {
    const std::string prefix = path.string() + ": ";
    return error.message.starts_with(prefix) ? error.message.substr(prefix.size()) : error.message;
}

/// The content of a file, whoever can write it.
Result<std::string> read_any_file(const fs::path& path) {
    std::error_code problem;
    const auto type = fs::status(path, problem).type();
    if (problem) return system_error(path, problem.value());
    // A device or FIFO is not opened.
    if (type != fs::file_type::regular)
        return Error{ErrorCode::invalid_input, path.string() + ": not a regular file"};
    if (fs::file_size(path, problem) > max_file_bytes)
        return Error{ErrorCode::invalid_input,
                     text::format("{}: larger than {} KiB", path.string(), max_file_bytes >> 10u)};
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    if (!file) return system_error(path, errno);
    content << file.rdbuf();
    return std::move(content).str();
}

/// Why a file is ignored although it looks like a rule; empty if it is a rule, or does not look like one.
std::string_view why_ignored(std::string_view name) {
    constexpr std::array<std::string_view, 2> switched_off{"off", "disabled"};
    constexpr std::string_view ending = ".lua";
    const std::string lower = text::lower(name);
    if (name.starts_with('.') || name.ends_with(ending)) return {};
    if (lower.ends_with(ending)) return "is ignored: a name must end in '.lua', in lower case";
    const std::size_t at = lower.rfind(".lua.");
    if (at == std::string::npos) return {};
    const std::string_view rest = std::string_view(lower).substr(at + ending.size() + 1);
    if (std::ranges::find(switched_off, rest) != switched_off.end()) return {};
    return "is ignored, because its name does not end in '.lua': move it away, or, to keep a rule that is "
           "switched off, let its name end in '.lua.off'";
}

/// Reads one directory.
class Reader {
  public:
    Reader(fs::path folder, const OwnerCheck& owners) : folder_(std::move(folder)) {
        if (owners.is_needed) trusted_user_ = owners.trusted_user.value_or(geteuid());
    }

    Result<FolderFindings> read() {
        std::error_code problem;
        const auto type = fs::status(folder_, problem).type();
        if (type == fs::file_type::not_found)
            return Error{ErrorCode::not_found, folder_.string() + ": there is no such directory"};
        if (problem) return system_error(folder_, problem.value());
        if (type != fs::file_type::directory) return system_error(folder_, ENOTDIR);
        check_folder();
        auto names = list();
        if (!names) return names.error();
        if (names->size() > max_files)
            note({}, text::format("holds {} files, at most {} are read", names->size(), max_files));
        found_.sources.exists = true;
        std::ranges::sort(*names);
        for (const std::string& name : *names)
            add_file(name);
        return std::move(found_);
    }

  private:
    void note(std::string file, std::string message, bool stops_loading = true) {
        found_.findings.push_back({std::move(file), 0, std::move(message), stops_loading});
    }

    void check_folder() {
        if (!trusted_user_) return;
        const auto real = resolve_trusted(folder_, *trusted_user_);
        const auto trusted = real ? check_trusted(real->path, real->info, *trusted_user_) : real.error();
        if (trusted) return;
        note({}, without_path(trusted.error(), folder_));
        is_folder_trusted_ = false;
    }

    /// The names of the policy's files; notes the ignored ones.
    Result<std::vector<std::string>> list() {
        std::vector<std::string> names;
        std::error_code problem;
        for (fs::directory_iterator at(folder_, problem), end; !problem && at != end; at.increment(problem)) {
            std::string name = at->path().filename().string();
            if (is_source_name(name)) {
                names.push_back(std::move(name));
                continue;
            }
            std::error_code unknown;
            const std::string_view why = why_ignored(name);
            if (!why.empty() && at->is_regular_file(unknown))
                note(std::move(name), std::string(why), /*stops_loading=*/false);
        }
        if (problem) return system_error(folder_, problem.value());
        return names;
    }

    void add_file(const std::string& name) {
        const fs::path path = folder_ / name;
        if (trusted_user_) {
            auto content = read_trusted_file(path, *trusted_user_, max_file_bytes);
            if (content) return add_source(name, *std::move(content));
            // If the directory is not trusted, no file below it is: that was said once.
            const bool is_own = is_folder_trusted_ || content.error().code != ErrorCode::permission_denied;
            if (is_own) note(name, without_path(content.error(), path));
            if (content.error().code != ErrorCode::permission_denied) return;
            if (!is_own) check_file_alone(name);
        }
        auto content = read_any_file(path);
        if (content) return add_source(name, *std::move(content));
        note(name, without_path(content.error(), path));
    }

    void check_file_alone(const std::string& name) {
        const fs::path path = folder_ / name;
        struct stat info {};
        if (stat(path.c_str(), &info) != 0) return;
        if (const auto trusted = check_trusted(path, info, *trusted_user_); !trusted)
            note(name, without_path(trusted.error(), path));
    }

    void add_source(const std::string& name, std::string content) {
        found_.sources.files.push_back({name, std::move(content)});
    }

    const fs::path folder_;
    std::optional<uid_t> trusted_user_; ///< empty: anybody may own the files
    bool is_folder_trusted_ = true;
    FolderFindings found_;
};

} // namespace

Result<FolderFindings> read_all_sources(const fs::path& folder, const OwnerCheck& owners) {
    return Reader(tidy(folder), owners).read();
}

} // namespace qg::policy
