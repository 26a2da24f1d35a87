// SPDX-License-Identifier: GPL-2.0-or-later
//
// The files of a job in slurmctld's state directory, hash.N/job.ID: their place and their size, found before
// anything reads them.
#pragma once

#include "host/host_alloc.hpp"
#include "qosgate/slurm/host_symbols.hpp"

#include <charconv>
#include <cstdarg>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace qg::plugin {

/// The id in the names of a job's files, taken from the text that "%pJ" in slurmctld's log functions gives.
/// Tasks of an array share the array's files ("JobId=12_3(14)": 12), parts of a heterogeneous job have
/// their own ("JobId=12+1(13)": 13). Empty for any other text.
inline std::optional<std::uint32_t> parse_files_id(std::string_view text) {
    constexpr std::string_view key = "JobId=";
    if (!text.starts_with(key)) return std::nullopt;
    text.remove_prefix(text.find('+') == text.npos ? key.size() : text.find('(') + 1);
    std::uint32_t id = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (problem != std::errc()) return std::nullopt;
    return id;
}

/// The size of a job's environment in bytes; 0 if slurmctld has no file for it, as for salloc and srun.
/// Cost: one stat().
inline std::uintmax_t environment_bytes(const std::filesystem::path& state_directory,
                                        std::uint32_t files_id) {
    std::error_code problem;
    const auto bytes =
        std::filesystem::file_size(state_directory / ("hash." + std::to_string(files_id % 10)) /
                                       ("job." + std::to_string(files_id)) / "environment",
                                   problem);
    return problem ? 0 : bytes;
}

/// Whether an environment is small enough to be read while slurmctld waits: one of 300 MB delayed slurmctld
/// by 4.7 s. The size of the script does not matter: slurmctld maps it, and nothing reads it.
constexpr bool is_short_environment(std::uintmax_t bytes) {
    return bytes <= std::uintmax_t{4} * 1024 * 1024;
}

/// Finds the id in the names of the files of one of slurmctld's job records.
/// Threads: only within job_modify(), whose locks the records need.
class JobFiles {
  public:
    /// Empty if slurmctld does not offer the format.
    [[nodiscard]] std::optional<std::uint32_t> find_id(job_record* job) const {
        if (format_ == nullptr) return std::nullopt;
        char* text = write("%pJ", job);
        if (text == nullptr) return std::nullopt;
        const auto id = parse_files_id(text);
        slurm_xfree(reinterpret_cast<void**>(&text));
        return id;
    }

  private:
    char* write(const char* format, ...) const {
        va_list arguments;
        va_start(arguments, format);
        char* const text = format_(format, arguments);
        va_end(arguments);
        return text;
    }

    decltype(slurm::host::vxstrfmt.find()) format_ = slurm::host::vxstrfmt.find();
};

} // namespace qg::plugin
