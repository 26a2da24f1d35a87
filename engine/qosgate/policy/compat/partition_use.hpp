// SPDX-License-Identifier: GPL-2.0-or-later
//
// partition_use: what a script reads of the partitions in part_list.
#pragma once

#include "qosgate/policy/compat/script_findings.hpp"
#include "qosgate/policy/lua_tokens.hpp"
#include "qosgate/policy/name_scopes.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace qg::policy::compat {

/// The names of all fields, sorted.
[[nodiscard]] std::span<const std::string_view> partition_field_names() noexcept;

/// Adds uses of fields that no partition has: of members of part_list, in the functions that slurmctld calls
/// and in functions whose parameter has the same name. Cost: linear.
void find_partition_fields(std::span<const Token> tokens, const NameScopes& scopes,
                           std::vector<ScriptFinding>& findings);

} // namespace qg::policy::compat
