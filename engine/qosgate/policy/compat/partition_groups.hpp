// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether AllowGroups of a partition lets a user in, as Slurm's plugin for scripts answers it.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/compat/script_host.hpp"

#include <cstdint>
#include <string_view>

namespace qg::policy::compat {

/// `allow_groups` are names with commas; empty: the partition is shown to everybody. So it is if none of the
/// groups exists: Slurm's plugin then finds no list of users. Errors: unavailable if the user is not known
/// yet, or a group, unless the user is in another one. Cost: one look-up for each group.
Result<bool> is_shown_to(std::string_view allow_groups, std::uint32_t user_id, ScriptHost& host);

} // namespace qg::policy::compat
