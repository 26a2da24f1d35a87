// SPDX-License-Identifier: GPL-2.0-or-later
//
// job_binding: the arguments of a rule's functions: `job`, `before`, `options` and `view`. One object of each
// per Lua state, made once. They always show what LuaState::run has, so nothing is made per job.
#pragma once

#include "qosgate/base/result.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

class LuaState;

/// References in the registry.
struct JobObjects {
    int job = 0;
    int before = 0;
    int options = 0;
    int view = 0;
};

/// The names of job's functions, which are called with a colon.
std::span<const std::string_view> job_functions() noexcept;

/// Why `before` has none of job's functions but is_set.
std::string describe_read_only(std::string_view function);

/// Makes the state's objects.
/// Errors: limit_exceeded if the state's memory is too small.
Result<JobObjects> install_job(LuaState& state);

/// Makes what the rules read `job` through. For each of them, whether it may keep something from one call to
/// the next; empty: no rule rests. Errors: as install_job().
Result<void> make_rule_tables(LuaState& state, const std::vector<bool>& keeps_state, std::size_t rules);

} // namespace qg::policy
