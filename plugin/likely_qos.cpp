// SPDX-License-Identifier: GPL-2.0-or-later
#include "likely_qos.hpp"

#include "qosgate/base/read_file.hpp"
#include "qosgate/base/replace_file.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace qg::plugin {
namespace {

constexpr std::size_t max_name_bytes = 255;
constexpr std::size_t max_file_bytes = LikelyQos::max_names * (max_name_bytes + 1);

/// Whether the effective user alone writes there.
bool is_own_directory(const std::filesystem::path& directory) {
    struct stat status {};
    return directory.is_absolute() && lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool is_file_name(std::string_view name) {
    return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-';
    });
}

bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= max_name_bytes &&
           std::ranges::none_of(name, [](unsigned char c) { return c <= ' ' || c == 0x7f || c == ','; });
}

bool is_regular(const std::filesystem::path& file) {
    std::error_code error;
    return std::filesystem::symlink_status(file, error).type() == std::filesystem::file_type::regular;
}

} // namespace

LikelyQos::LikelyQos(const std::filesystem::path& directory, std::string_view cluster) {
    // With "/" at the end lstat() follows a link.
    const auto place = directory.has_filename() ? directory : directory.parent_path();
    if (is_own_directory(place) && is_file_name(cluster))
        file_ = place / text::format("qosgate-default-qos-{}", cluster);
}

std::vector<std::string> LikelyQos::names() const {
    std::vector<std::string> names;
    if (file_.empty() || !is_regular(file_)) return names;
    const auto content = read_file(file_, max_file_bytes);
    if (!content) return names;
    for (const std::string_view line : text::split(*content, '\n'))
        if (is_name(line) && names.size() < max_names) names.emplace_back(line);
    return names;
}

void LikelyQos::note(std::string_view name) const {
    if (file_.empty() || !is_name(name)) return;
    const std::vector<std::string> known = names();
    if (std::ranges::find(known, name) != known.end()) return;
    std::string content = text::format("{}\n", name);
    for (std::size_t place = 0; place < known.size() && place + 1 < max_names; ++place)
        content += text::format("{}\n", known[place]);
    static_cast<void>(replace_file(file_, content, S_IRUSR | S_IWUSR, Durability::cached));
}

std::filesystem::path runtime_directory() {
    const char* named = std::getenv("XDG_RUNTIME_DIR");
    return named == nullptr ? "" : named;
}

} // namespace qg::plugin
