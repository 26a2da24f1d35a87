// SPDX-License-Identifier: GPL-2.0-or-later
//
// The files that slurmctld keeps of a job, hash.N/job.ID in its state folder: which they are, and how large,
// before anybody reads them.
#pragma once

#include "host_alloc.hpp"

#include <dlfcn.h>

#include <charconv>
#include <cstdarg>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

struct job_record;

namespace qg::plugin {

/// The id under which the files of a job are kept, out of what "%pJ" of slurmctld's log says of it: tasks of
/// an array share those of the array ("JobId=12_3(14)": 12), components of a heterogeneous job have their own
/// ("JobId=12+1(13)": 13). Nothing for anything else.
inline std::optional<std::uint32_t> parse_files_id(std::string_view text) {
    constexpr std::string_view key = "JobId=";
    if (!text.starts_with(key)) return std::nullopt;
    text.remove_prefix(text.find('+') == text.npos ? key.size() : text.find('(') + 1);
    std::uint32_t id = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (problem != std::errc()) return std::nullopt;
    return id;
}

/// How many bytes the environment of a job has; 0 where slurmctld has no file of it, as for salloc and srun.
/// Cost: one stat().
inline std::uintmax_t environment_bytes(const std::filesystem::path& state_folder, std::uint32_t files_id) {
    std::error_code problem;
    const auto bytes = std::filesystem::file_size(state_folder / ("hash." + std::to_string(files_id % 10)) /
                                                      ("job." + std::to_string(files_id)) / "environment",
                                                  problem);
    return problem ? 0 : bytes;
}

/// Whether an environment may be read while slurmctld waits: one of 300 MB held it 4.7 s. The script does not
/// count: slurmctld maps it, and nobody reads it.
constexpr bool is_short_environment(std::uintmax_t bytes) {
    return bytes <= std::uintmax_t{4} * 1024 * 1024;
}

/// Finds the id under which slurmctld keeps the files of one of its job records.
/// Threads: only within job_modify(), whose locks the records need.
class JobFiles {
  public:
    JobFiles() : format_(reinterpret_cast<Format*>(dlsym(RTLD_DEFAULT, "vxstrfmt"))) {}

    /// Nothing where slurmctld does not offer its format.
    [[nodiscard]] std::optional<std::uint32_t> find_id(job_record* job) const {
        if (format_ == nullptr) return std::nullopt;
        char* text = write("%pJ", job);
        if (text == nullptr) return std::nullopt;
        const auto id = parse_files_id(text);
        slurm_xfree(reinterpret_cast<void**>(&text));
        return id;
    }

  private:
    using Format = char*(const char*, va_list);

    char* write(const char* format, ...) const {
        va_list arguments;
        va_start(arguments, format);
        char* const text = format_(format, arguments);
        va_end(arguments);
        return text;
    }

    Format* format_;
};

} // namespace qg::plugin
