// SPDX-License-Identifier: GPL-2.0-or-later
//
// Units that Slurm writes as text: time limits in minutes, grace times in seconds, memory in MiB.
// The accepted spellings are those of sbatch and sacctmgr ("Time" in sbatch(1): mm, mm:ss, hh:mm:ss, d-hh,
// d-hh:mm, d-hh:mm:ss).
#pragma once

#include "qosgate/base/result.hpp"

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace qg {

/// A job's time limit as slurmctld holds it: whole minutes in 32 bits, or UNLIMITED.
/// A job without a time limit has an empty std::optional<TimeLimit>; no value in here means "none".
struct TimeLimit {
    std::uint32_t minutes = 0;

    /// The number that slurmctld uses for UNLIMITED. slurmctld compares and computes with it
    /// (limits/README.md 5.2).
    static constexpr std::uint32_t unlimited_minutes = 0xffffffffu;

    static constexpr TimeLimit unlimited() noexcept { return {unlimited_minutes}; }
    [[nodiscard]] constexpr bool is_unlimited() const noexcept { return minutes == unlimited_minutes; }
    friend constexpr auto operator<=>(TimeLimit, TimeLimit) = default;
};

std::ostream& operator<<(std::ostream& out, TimeLimit limit);

namespace units {

/// Seconds as Slurm writes a duration: "08:00:00", "1-00:00:00".
std::string format_seconds(std::uint64_t seconds);

/// Minutes as Slurm writes a duration: "08:00:00", "1-00:00:00", or "UNLIMITED".
std::string format_minutes(TimeLimit limit);

/// Seconds of a duration in Slurm's spellings; a plain number counts `plain_unit_seconds` each.
/// Errors: invalid_input, naming the text and the spellings allowed.
Result<std::uint64_t> parse_seconds(std::string_view text, std::uint64_t plain_unit_seconds = 60);

/// A time limit in Slurm's spellings, seconds rounded up to minutes; "UNLIMITED" and "INFINITE" are accepted.
/// Errors: invalid_input.
Result<TimeLimit> parse_minutes(std::string_view text);

/// MiB as people write them: "4000M" stays "4000M", whole GiB and TiB become "8G", "1T".
std::string format_mib(std::uint64_t mib);

/// A memory size in MiB; suffix K, M, G, T or P (powers of 1024; K rounds up), none = MiB.
/// Errors: invalid_input, also if the number does not fit.
Result<std::uint64_t> parse_mib(std::string_view text);

/// A count; suffix K, M, G, T or P in powers of 1024 as in Slurm's gres and TRES counts.
/// Errors: invalid_input, also if the number does not fit.
Result<std::uint64_t> parse_count(std::string_view text);

} // namespace units
} // namespace qg
