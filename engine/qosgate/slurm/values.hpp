// SPDX-License-Identifier: GPL-2.0-or-later
//
// Converts Slurm's special numbers to optionals, in this one place. Slurm writes "not given" as NO_VAL and
// "no limit" as INFINITE, each in the width of its field. As a count neither makes sense, so both read as
// unset.
#pragma once

#include "qosgate/base/saturate.hpp"
#include "qosgate/base/units.hpp"
#include "qosgate/model/partition.hpp"

#include <slurm/slurm.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace qg::slurm {

/// NO_VAL in the width of an unsigned field.
template <typename Int>
inline constexpr Int unset_value = static_cast<Int>(std::uint64_t{NO_VAL64});

static_assert(unset_value<std::uint8_t> == NO_VAL8 && unset_value<std::uint16_t> == NO_VAL16 &&
              unset_value<std::uint32_t> == NO_VAL && unset_value<std::uint64_t> == NO_VAL64);

/// INFINITE in the width of an unsigned field.
template <typename Int>
inline constexpr Int infinite_value = static_cast<Int>(std::uint64_t{INFINITE64});

/// Whether a count is set: neither NO_VAL nor INFINITE.
template <typename Int>
constexpr bool is_count(Int value) noexcept {
    static_assert(std::is_unsigned_v<Int>);
    return value != unset_value<Int> && value != infinite_value<Int>;
}

/// A count; empty if unset.
template <typename Int>
constexpr std::optional<std::uint32_t> read_count(Int value) noexcept {
    static_assert(sizeof(Int) <= sizeof(std::uint32_t));
    return is_count(value) ? std::optional<std::uint32_t>(value) : std::nullopt;
}

/// The count in a field of this width; a count that does not fit becomes the maximum that does.
template <typename Int>
constexpr Int write_count(std::optional<std::uint32_t> count) noexcept {
    if (!count) return unset_value<Int>;
    return static_cast<Int>(std::min<std::uint64_t>(*count, unset_value<Int> - 1u));
}

/// A time limit in minutes. INFINITE is a limit ("unlimited"); NO_VAL means no time limit was given.
constexpr std::optional<TimeLimit> read_time(std::uint32_t minutes) noexcept {
    if (minutes == NO_VAL) return std::nullopt;
    return minutes == INFINITE ? TimeLimit::unlimited() : TimeLimit{minutes};
}

constexpr std::uint32_t write_time(std::optional<TimeLimit> limit) noexcept {
    if (!limit) return NO_VAL;
    return limit->is_unlimited() ? INFINITE : std::min<std::uint32_t>(limit->minutes, NO_VAL - 1u);
}

/// A limit or default: MiB, per CPU if the top bit is set; NO_VAL64 and INFINITE64 are unset.
constexpr std::optional<model::Memory> read_memory(std::uint64_t value) noexcept {
    if (!is_count(value)) return std::nullopt;
    return model::Memory{value & ~std::uint64_t{MEM_PER_CPU}, (value & MEM_PER_CPU) != 0};
}

/// pn_min_memory: as above, but slurmctld takes INFINITE64 for an amount, and 0 for each CPU for 0 for each
/// node: all memory.
constexpr std::optional<model::Memory> read_asked_memory(std::uint64_t value) noexcept {
    if (value == NO_VAL64) return std::nullopt;
    if (value == MEM_PER_CPU) return model::Memory{0, /*per_cpu=*/false};
    return model::Memory{value & ~std::uint64_t{MEM_PER_CPU}, (value & MEM_PER_CPU) != 0};
}

constexpr std::uint64_t write_memory(std::optional<model::Memory> memory) noexcept {
    if (!memory) return NO_VAL64;
    constexpr std::uint64_t max = (NO_VAL64 - 1) & ~std::uint64_t{MEM_PER_CPU};
    return std::min(memory->mib, max) | (memory->per_cpu ? std::uint64_t{MEM_PER_CPU} : 0);
}

constexpr std::uint64_t seconds_per_minute = 60;

/// Whole minutes of a time in floating-point seconds.
template <typename Float>
std::uint64_t whole_minutes(Float seconds) noexcept {
    return std::min<std::uint64_t>(saturate(seconds / static_cast<Float>(seconds_per_minute)), NO_VAL64);
}

/// A factor; INFINITE and NO_VAL mean unset.
inline std::optional<double> read_factor(double value) noexcept {
    const bool is_set = std::isfinite(value) && value != static_cast<double>(INFINITE) &&
                        value != static_cast<double>(NO_VAL);
    return is_set ? std::optional(value) : std::nullopt;
}

/// Whether a text is neither null nor empty.
inline bool is_set(const char* text) noexcept {
    return text != nullptr && *text != '\0';
}

/// A text that may be null, borrowed; null reads as empty.
inline std::string_view view_text(const char* text) noexcept {
    return text == nullptr ? std::string_view() : std::string_view(text);
}

/// The nodes of a node_inx, which holds pairs "from, to" and ends with -1.
inline std::vector<model::NodeRange> read_node_ranges(const std::int32_t* node_inx) {
    std::vector<model::NodeRange> ranges;
    for (const std::int32_t* range = node_inx; range != nullptr && range[0] >= 0 && range[1] >= range[0];
         range += 2)
        ranges.push_back({static_cast<std::uint32_t>(range[0]), static_cast<std::uint32_t>(range[1])});
    return ranges;
}

} // namespace qg::slurm
