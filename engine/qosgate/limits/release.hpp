// SPDX-License-Identifier: GPL-2.0-or-later
//
// The Slurm release whose rules are applied. Releases differ in a few places (limits/README.md 10). These
// places ask for the release at run time; they do not depend on the build.
#pragma once

#include "qosgate/base/result.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace qg::limits {

struct Rule;

/// A Slurm release, "24.11" or "25.11.1". Without a micro number it means the newest release of the branch.
class Release {
  public:
    constexpr Release(std::uint16_t major, std::uint16_t minor, std::uint16_t micro = newest_micro) noexcept
        : number_((std::uint32_t{major} << 16) | (std::uint32_t{minor} << 8) | (micro & 0xffu)) {}

    /// From SLURM_VERSION_NUMBER of slurm_version.h: one byte each for major, minor and micro.
    static constexpr Release from_version_number(std::uint32_t number) noexcept {
        return {static_cast<std::uint16_t>(number >> 16 & 0xffu),
                static_cast<std::uint16_t>(number >> 8 & 0xffu), static_cast<std::uint16_t>(number & 0xffu)};
    }

    /// From text. Errors: invalid_input, also for releases before 22.05.
    static Result<Release> parse(std::string_view text);

    /// The branch as people write it: "22.05".
    [[nodiscard]] std::string branch() const;

    /// The same with the micro number, "22.05.8".
    [[nodiscard]] std::string text() const;

    /// Whether this release follows the rule.
    [[nodiscard]] constexpr bool follows(const Rule& rule) const noexcept;

    /// One number for all releases of a branch.
    [[nodiscard]] constexpr std::uint32_t branch_number() const noexcept { return number_ >> 8; }

    friend constexpr auto operator<=>(Release, Release) = default;

  private:
    static constexpr std::uint16_t newest_micro = 0xff;
    std::uint32_t number_;
};

/// The newest release whose rules are known; the default for offline use.
inline constexpr Release newest_release{26, 5};

/// The newest releases of each branch that were compared with those before them: neither Slurm's structs nor
/// its rules differ from what qosgate knows (README.md 10).
inline constexpr Release compared_releases[] = {{22, 5, 11}, {23, 2, 8}, {23, 11, 11}, {24, 5, 8},
                                                {24, 11, 7}, {25, 5, 8}, {25, 11, 7},  {26, 5, 5}};

/// Whether a release with a micro number is one of those, or an earlier one of its branch.
bool is_compared(Release release) noexcept;

/// A rule that not all releases follow.
struct Rule {
    Release since;            ///< the first that does
    Release until;            ///< the first that no longer does
    std::string_view section; ///< the section of README.md that describes the difference
};

constexpr bool Release::follows(const Rule& rule) const noexcept {
    return *this >= rule.since && *this < rule.until;
}

/// All such rules, by name as in README.md 10. Add a new difference in both places.
namespace rules {

inline constexpr Release no_end{255, 255};

inline constexpr Rule gives_nodes_without_tasks{{22, 5, 9}, no_end, "6.3"};
inline constexpr Rule adds_up_cpus_of_nodes{{22, 5, 7}, {23, 2, 5}, "8.5"};
inline constexpr Rule commands_count_tasks{{22, 5, 0}, {23, 2, 0}, "6.1"};
inline constexpr Rule counts_cpus_of_last_model{{22, 5, 0}, {23, 2, 0}, "6.2"};
inline constexpr Rule stops_at_closed_groups{{22, 5, 0}, {23, 2, 0}, "8.3"};
inline constexpr Rule frees_extra_twice{{22, 5, 0}, {23, 2, 0}, "8.6"};
inline constexpr Rule counts_no_memory_at_change{{22, 5, 0}, {23, 2, 0}, "9"};
inline constexpr Rule ignores_long_node_list{{23, 2, 0}, no_end, "6.1"};
inline constexpr Rule defaults_nodes_early{{23, 2, 0}, no_end, "6.1"};
inline constexpr Rule lists_sub_accounts{{23, 2, 0}, no_end, "8.3"};
inline constexpr Rule refuses_time_past_deadline{{23, 2, 0}, no_end, "8.3"};
inline constexpr Rule gives_gres_to_full_nodes{{23, 2, 0}, no_end, "6.5"};
inline constexpr Rule gives_cpus_of_gres_only{{23, 2, 0}, no_end, "6.5"};
inline constexpr Rule loses_overcommitted_tasks{{23, 2, 0}, no_end, "6.5"};
inline constexpr Rule counts_missing_cpus{{23, 11, 0}, no_end, "6.1"};
inline constexpr Rule enforces_run_mins{{24, 5, 0}, no_end, "4.1"};
inline constexpr Rule counts_size_after_gres{{24, 5, 0}, no_end, "6.2"};
inline constexpr Rule counts_cpus_per_gres{{24, 5, 0}, no_end, "6.2"};
inline constexpr Rule allocates_by_tasks{{24, 11, 0}, no_end, "6.3"};
inline constexpr Rule takes_qos_lists{{24, 11, 0}, no_end, "8.1"};
inline constexpr Rule sorts_partitions_at_submission{{24, 11, 0}, no_end, "6.4"};
inline constexpr Rule checks_qos_before_account{{24, 11, 0}, no_end, "8.3"};
inline constexpr Rule looks_for_nodes_beyond_bounds{{24, 11, 0}, no_end, "8.4"};
inline constexpr Rule accepts_beyond_total_cpus{{24, 11, 6}, no_end, "8.4"};
inline constexpr Rule fills_job_table{{25, 5, 3}, no_end, "8.6"};
inline constexpr Rule qos_change_replaces_time{{25, 5, 6}, {25, 11, 0}, "9"};
inline constexpr Rule qos_change_replaces_time_again{{25, 11, 1}, {25, 11, 5}, "9"};
inline constexpr Rule resets_time_at_change{{25, 11, 5}, no_end, "9"};
inline constexpr Rule grp_and_user_apart{{25, 11, 1}, no_end, "3.2"};
inline constexpr Rule ignores_list_of_no_partition{{25, 11, 0}, no_end, "6.6"};
inline constexpr Rule accepts_beyond_total_nodes{{25, 11, 2}, no_end, "8.4"};
inline constexpr Rule honours_partition_min_nodes{{26, 5, 0}, no_end, "6.1"};
inline constexpr Rule wants_task_for_each_node{{26, 5, 0}, no_end, "8.6"};
inline constexpr Rule takes_gres_away{{26, 5, 0}, no_end, "9"};
inline constexpr Rule tries_parts_at_submission{{26, 5, 0}, no_end, "6.4"};

} // namespace rules

} // namespace qg::limits
