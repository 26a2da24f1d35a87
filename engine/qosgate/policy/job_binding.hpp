// SPDX-License-Identifier: GPL-2.0-or-later
//
// job_binding: the `job` argument of a rule's submit function. One object per Lua state, made once. It always
// shows the job of LuaState::run, so nothing is made per job.
#pragma once

#include "qosgate/base/result.hpp"

#include <span>
#include <string_view>

namespace qg::policy {

class LuaState;

/// The names of job's functions, which are called with a colon.
std::span<const std::string_view> job_functions() noexcept;

/// Makes the state's `job`. Returns its reference in the registry.
/// Errors: limit_exceeded if the state's memory is too small.
Result<int> install_job(LuaState& state);

} // namespace qg::policy
