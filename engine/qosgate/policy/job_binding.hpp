// SPDX-License-Identifier: GPL-2.0-or-later
//
// job_binding: the `job` that a rule's submit function gets. One object per Lua state, made once; it always
// shows the job of LuaState::run, so nothing is built per job.
#pragma once

#include "qosgate/base/result.hpp"

#include <span>
#include <string_view>

namespace qg::policy {

class LuaState;

/// The names of job's functions, which are called with a colon.
std::span<const std::string_view> job_functions() noexcept;

/// Makes the state's `job`. Returns its reference in the registry.
/// Errors: limit_exceeded where the state's memory does not suffice.
Result<int> install_job(LuaState& state);

} // namespace qg::policy
