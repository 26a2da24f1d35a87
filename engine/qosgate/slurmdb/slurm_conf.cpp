// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/slurm_conf.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <unistd.h>

namespace qg::slurmdb {
namespace {

constexpr int max_include_depth = 8;

struct Setting {
    std::string_view key;
    std::string SlurmConf::*member;
};

constexpr std::array<Setting, 10> settings{{
    {"ClusterName", &SlurmConf::cluster_name},
    {"AccountingStorageType", &SlurmConf::accounting_storage_type},
    {"AccountingStorageHost", &SlurmConf::accounting_storage_host},
    {"AccountingStoragePort", &SlurmConf::accounting_storage_port},
    {"SlurmUser", &SlurmConf::slurm_user},
    {"StateSaveLocation", &SlurmConf::state_save_location},
    {"PluginDir", &SlurmConf::plugin_dir},
    {"JobSubmitPlugins", &SlurmConf::job_submit_plugins},
    {"CliFilterPlugins", &SlurmConf::cli_filter_plugins},
    {"SlurmctldPidFile", &SlurmConf::slurmctld_pid_file},
}};

/// Why a path cannot be read as a file; empty if it can.
std::string why_unreadable(const std::filesystem::path& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) return "it is a directory";
    return access(path.c_str(), R_OK) == 0 ? std::string() : std::string(std::strerror(errno));
}

/// Removes the value from the beginning of `rest` and returns it: a text in double quotes, or one word.
std::string_view take_value(std::string_view& rest) {
    rest = text::trim(rest);
    const std::size_t quote = rest.starts_with('"') ? rest.find('"', 1) : rest.npos;
    const bool is_quoted = quote != rest.npos;
    const std::size_t end = is_quoted ? quote : std::min(rest.find_first_of(" \t"), rest.size());
    const std::string_view value = rest.substr(is_quoted ? 1 : 0, is_quoted ? end - 1 : end);
    rest.remove_prefix(is_quoted ? end + 1 : end);
    return value;
}

std::string_view without_comment(std::string_view line) {
    return text::trim(line.substr(0, line.find('#')));
}

/// Reads all settings of a line, "Key=value Key = "value" …".
void read_settings(std::string_view rest, SlurmConf& conf) {
    for (auto equals = rest.find('='); equals != rest.npos; equals = rest.find('=')) {
        const std::string_view key = text::trim(rest.substr(0, equals));
        rest.remove_prefix(equals + 1);
        const std::string_view value = take_value(rest);
        if (text::iequals(key, "SlurmctldHost"))
            conf.controllers.emplace_back(value.substr(0, value.find('('))); // "head1(10.0.0.1)"
        for (const Setting& known : settings)
            if (text::iequals(key, known.key)) conf.*known.member = std::string(value);
    }
}

/// Adds the lines of the file, and those of the files that it includes in their place.
Result<void> read_file(const std::filesystem::path& path, std::string& lines, int depth) {
    if (const std::string why = why_unreadable(path); !why.empty())
        return Error{ErrorCode::unavailable, text::format("{}: cannot read it: {}", path.string(), why)};
    if (depth > max_include_depth)
        return Error{ErrorCode::unavailable,
                     text::format("{}: too many nested Include lines", path.string())};
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const std::string_view setting = without_comment(line);
        constexpr std::string_view include = "include";
        if (!text::istarts_with(setting, include) || setting.find_first_of(" \t") != include.size()) {
            lines += line + '\n';
            continue;
        }
        const std::filesystem::path name(text::trim(setting.substr(include.size())));
        const auto included = name.is_absolute() ? name : path.parent_path() / name;
        if (const auto done = read_file(included, lines, depth + 1); !done)
            return done.error().in(path.string());
    }
    return {};
}

} // namespace

std::string SlurmConf::slurmdbd() const {
    return text::format("slurmdbd at {}:{}", accounting_storage_host, accounting_storage_port);
}

Result<std::filesystem::path> find_slurm_conf() {
    if (const char* named = std::getenv("SLURM_CONF"); named != nullptr && *named != '\0') {
        if (const std::string why = why_unreadable(named); !why.empty())
            return Error{ErrorCode::unavailable,
                         text::format("SLURM_CONF={}: {}; let it name a readable slurm.conf", named, why)};
        return std::filesystem::path(named);
    }
    constexpr std::array<const char*, 2> places{"/etc/slurm/slurm.conf", "/run/slurm/conf/slurm.conf"};
    for (const char* place : places) {
        if (access(place, F_OK) != 0) continue;
        if (const std::string why = why_unreadable(place); !why.empty())
            return Error{ErrorCode::permission_denied, text::format("{}: {}", place, why)};
        return std::filesystem::path(place);
    }
    return Error{ErrorCode::unavailable,
                 text::format("no slurm.conf at {} or {}: let SLURM_CONF name it", places[0], places[1])};
}

Result<std::string> read_slurm_conf_text(const std::filesystem::path& path) {
    std::string lines;
    if (const auto done = read_file(path, lines, 0); !done) return done.error();
    return lines;
}

Result<SlurmConf> load_slurm_conf(const std::filesystem::path& path) {
    const auto lines = read_slurm_conf_text(path);
    if (!lines) return lines.error();
    SlurmConf conf;
    conf.path = path;
    for (const std::string_view line : text::split(*lines, '\n'))
        read_settings(without_comment(line), conf);
    return conf;
}

} // namespace qg::slurmdb
