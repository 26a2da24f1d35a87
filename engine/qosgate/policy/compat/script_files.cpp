// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/script_files.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/files/site_files.hpp"

#include <algorithm>

namespace qg::policy::compat {
namespace {

constexpr std::string_view policy_directory = "/qosgate.d/";

bool is_at_or_below(std::string_view path, std::string_view directory) noexcept {
    return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

/// Whether scripts may read this name of a policy's file.
bool is_readable(std::string_view name) noexcept {
    return is_at_or_below(name, compat_directory_name) || is_at_or_below(name, data_directory_name) ||
           is_at_or_below(name, module_directory_name);
}

/// Whether a path below a directory of compat_files has a name that is not read there.
bool has_left_out_name(std::string_view path) {
    bool has = false;
    text::for_each_part(path, '/', [&](std::string_view name) {
        has = has || (!name.empty() && name != "." && name != ".." && !is_compat_name(name));
    });
    return has;
}

/// The same of a name of a policy's file, "data/x".
bool is_left_out(std::string_view name) {
    const std::size_t slash = name.find('/');
    if (slash == name.npos) return false;
    const std::string_view rest = name.substr(slash + 1);
    const auto part = std::ranges::find(source_parts(), name.substr(0, slash), &SourcePart::directory);
    return part != source_parts().end() && !part->takes(rest.substr(0, rest.find('/')));
}

} // namespace

ScriptFiles::ScriptFiles(const SourceDirectory& sources, const Settings& settings)
    : sources_(sources), settings_(settings) {
    for (const SourceFile& file : sources.files) {
        std::string_view stem = file.name;
        if (!stem.ends_with(".lua")) continue;
        stem.remove_suffix(std::string_view(".lua").size());
        while (stem.find('/') != stem.npos) {
            stem.remove_prefix(stem.find('/') + 1);
            modules_.emplace_back(stem);
            if (stem.ends_with("/init")) modules_.emplace_back(stem.substr(0, stem.size() - 5));
        }
    }
    std::ranges::sort(modules_);
}

ScriptFiles::Found ScriptFiles::find_name(std::string_view name) const noexcept {
    if (const SourceFile* file = sources_.find(name)) return {Place::file, file};
    const bool is_directory = std::ranges::any_of(sources_.files, [&](const SourceFile& file) {
        return file.name.size() > name.size() && is_at_or_below(file.name, name);
    });
    return {is_directory ? Place::directory : Place::missing, nullptr};
}

ScriptFiles::Found ScriptFiles::find(std::string_view path) const noexcept {
    try {
        const std::string name = name_of(path);
        return name.empty() ? Found{} : find_name(name);
    } catch (...) {
        return {};
    }
}

std::string ScriptFiles::name_of(std::string_view path) const {
    if (path.size() > max_path) return {};
    const bool is_absolute = path.starts_with('/');
    std::string normal =
        normal_path(is_absolute ? std::string(path) : text::format("{}/{}", compat_directory_name, path));
    if (!is_absolute) return is_readable(normal) && !is_left_out(normal) ? normal : std::string();
    const auto reads_below = [&](const std::string& named) {
        return is_at_or_below(normal, named) &&
               !has_left_out_name(std::string_view(normal).substr(named.size()));
    };
    const bool is_named = std::ranges::any_of(settings_.compat_files, reads_below);
    if (is_named && find_name(normal).place != Place::missing) return normal;
    // The directory may be elsewhere while it is checked.
    if (const std::size_t at = normal.rfind(policy_directory); at != std::string::npos)
        if (std::string name = normal.substr(at + policy_directory.size());
            is_readable(name) && !is_left_out(name))
            return name;
    return is_named ? normal : std::string();
}

bool ScriptFiles::has_module(std::string_view name) const {
    if (name.size() > max_path) return false;
    std::string path(name);
    std::ranges::replace(path, '.', '/');
    return std::ranges::binary_search(modules_, path);
}

std::string describe_outside(std::string_view path) {
    const std::string shown = text::printable(path, 300);
    const std::string name = text::printable(path.substr(path.rfind('/') + 1), 300);
    return text::format("{} is not among the files that the script may read; add compat_files = {{ \"{}\" }} "
                        "to site{{}} in site.lua{}",
                        shown, shown,
                        has_left_out_name(path)
                            ? ", with its whole path: hidden files and x~ are not read with their directory"
                            : text::format(", or copy it to qosgate.d/compat, and let the script name it "
                                           "\"{}\"",
                                           name));
}

} // namespace qg::policy::compat
