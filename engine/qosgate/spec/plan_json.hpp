// SPDX-License-Identifier: GPL-2.0-or-later
//
// A plan as a JSON file, to be looked at, kept, and carried out later.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/spec/plan.hpp"

#include <string>
#include <string_view>

namespace qg::spec {

/// The text of a file: the format and its version, the cluster, the plan with its base records, and a sum
/// over both.
std::string plan_to_text(const Plan& plan);

/// Whether a file's text is such a file, whole or not.
bool is_plan(std::string_view text);

/// Reads such a file. `cluster` is the one that the plan must be for; empty: any.
/// Errors: invalid_input with the path ("plan.updated[3].after.MaxWall: must be …"): an unknown member, a
/// wrong type, a file that was altered; unsupported: another version; conflict: a plan for another cluster;
/// limit_exceeded: more than 256 MiB, or nested too deep.
Result<Plan> plan_from_text(std::string_view text, std::string_view cluster);

} // namespace qg::spec
