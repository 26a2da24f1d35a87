// SPDX-License-Identifier: GPL-2.0-or-later
//
// record_fields: what a script reads of job_rec, the job before a change, and where it comes from.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace qg::policy::compat {

enum class RecordField : std::uint8_t {
    unknown,  ///< always nil
    copied,   ///< from slurmctld's copy of the job, at this moment
    listed,   ///< from the jobs that were read in the background, as slurm.jobs
    withheld, ///< Slurm's plugin shows it, and nothing tells it here: an error
};

[[nodiscard]] RecordField record_field(std::string_view name) noexcept;

/// The names of all fields, sorted.
[[nodiscard]] std::span<const std::string_view> record_field_names() noexcept;

/// Adds the listed fields that a source may read of a record: behind a point, or as a literal. Those that
/// job_desc has, too, do not count behind the name job_desc.
void add_listed_fields(std::string_view source, std::set<std::string, std::less<>>& names);

} // namespace qg::policy::compat
