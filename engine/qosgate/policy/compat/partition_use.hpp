// SPDX-License-Identifier: GPL-2.0-or-later
//
// partition_use: what a script reads of the partitions in part_list.
#pragma once

#include "qosgate/policy/check/syntax_tree.hpp"
#include "qosgate/policy/compat/script_findings.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace qg::policy::compat {

/// What slurmctld calls of a script for job_submit/lua.
inline constexpr const char* submit_function = "slurm_job_submit";
inline constexpr const char* modify_function = "slurm_job_modify";

/// The names of all fields, sorted.
[[nodiscard]] std::span<const std::string_view> partition_field_names() noexcept;

/// Adds uses of fields that no partition has: of members of part_list, in the functions that slurmctld calls
/// and in functions whose parameter has the same name. Cost: linear.
void find_partition_fields(const SyntaxTree& tree, std::vector<ScriptFinding>& findings);

/// Whether one of the functions that slurmctld calls may look at part_list. In doubt it may. Cost: linear.
bool reads_partitions(std::string_view source);

} // namespace qg::policy::compat
