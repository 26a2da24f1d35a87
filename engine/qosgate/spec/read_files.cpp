// SPDX-License-Identifier: GPL-2.0-or-later
//
// read_files(): the only part of the loader that touches the machine.
#include "qosgate/base/read_file.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/spec/load_files.hpp"
#include "qosgate/spec/yaml_tree.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>

namespace qg::spec {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_files = 1000;
constexpr std::size_t max_all_bytes = std::size_t{64} << 20u;
constexpr std::size_t max_entries = 100'000; ///< of directories
constexpr int max_directory_depth = 32;

Error limit(std::string message) {
    return {ErrorCode::limit_exceeded, std::move(message)};
}

bool is_spec(const fs::path& path) {
    const std::string name = path.filename().string();
    constexpr std::array<std::string_view, 3> endings{".yaml", ".yml", ".json"};
    const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
    return !name.starts_with('.') && std::any_of(endings.begin(), endings.end(), ends);
}

/// The spec files below a directory, hidden ones left out, sorted.
Result<std::vector<std::string>> files_below(const std::string& directory) {
    std::set<std::string> files;
    std::error_code error;
    fs::recursive_directory_iterator entry(directory, error);
    std::size_t seen = 0;
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        if (++seen > max_entries || entry.depth() > max_directory_depth)
            return limit(text::format("{}: at most {} entries and {} levels of directories",
                                      text::printable(directory), max_entries, max_directory_depth));
        const bool is_directory = entry->is_directory(error);
        if (error) break;
        if (is_directory && entry->path().filename().string().starts_with('.'))
            entry.disable_recursion_pending();
        else if (!is_directory && is_spec(entry->path())) {
            // Who may add files to the directory may not have the content of others printed, or keep us
            // waiting.
            if (entry->symlink_status(error).type() != fs::file_type::regular)
                return Error{ErrorCode::invalid_input,
                             text::format("{}: is no regular file, and of a directory only those are read: "
                                          "name it itself if it belongs to the spec",
                                          text::printable(entry->path().string()))};
            files.insert(entry->path().string());
        }
    }
    if (error)
        return Error{ErrorCode::unavailable,
                     text::format("{}: {}", text::printable(directory), error.message())};
    return std::vector<std::string>(files.begin(), files.end());
}

/// The files that one path names.
Result<std::vector<std::string>> expand(const std::string& path) {
    if (path == "-") return std::vector<std::string>{path};
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
        return Error{ErrorCode::not_found, text::format("{}: there is no such file", text::printable(path))};
    if (error)
        return Error{ErrorCode::unavailable, text::format("{}: {}", text::printable(path), error.message())};
    if (status.type() == fs::file_type::directory) return files_below(path);
    return std::vector<std::string>{path};
}

} // namespace

Result<std::vector<SourceText>> read_files(std::span<const std::string> paths) {
    std::vector<std::string> files;
    for (const std::string& path : paths) {
        auto more = expand(path);
        if (!more) return more.error();
        for (std::string& file : *more)
            if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(std::move(file));
        if (files.size() > max_files) return limit(text::format("too many files: at most {}", max_files));
    }
    std::vector<SourceText> sources;
    std::size_t left = max_all_bytes;
    for (const std::string& file : files) {
        const bool is_input = file == "-";
        auto text = read_file(is_input ? "/dev/stdin" : file, TreeBounds::max_bytes);
        if (!text)
            return text.error().code == ErrorCode::invalid_input ? limit(text.error().message) : text.error();
        if (text->size() > left) return limit("the files are too large: at most 64 MiB together");
        left -= text->size();
        sources.push_back({is_input ? "<stdin>" : file, *std::move(text)});
    }
    return sources;
}

} // namespace qg::spec
