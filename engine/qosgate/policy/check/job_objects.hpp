// SPDX-License-Identifier: GPL-2.0-or-later
//
// The values of `job` that are tables: job.gpu, job.argv, job.license_counts and others.
#pragma once

#include "qosgate/policy/objects/job_binding_common.hpp"

struct lua_State;

namespace qg::policy {

/// Makes what push_object_field() needs. Inside a protected call.
void install_job_objects(lua_State* lua);

/// Whether a field of this type is pushed by push_object_field().
constexpr bool is_object_field(FieldType type) noexcept {
    return type >= FieldType::gpu;
}

/// Pushes the value of such a field of a job. Errors: raises a Lua error if it is too large, or the budget is
/// spent.
void push_object_field(lua_State* lua, const FieldSource& source, FieldType type, Shown shown);

} // namespace qg::policy
