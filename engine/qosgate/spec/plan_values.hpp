// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a plan that comes from a file writes only what a spec could have asked for.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/spec/plan.hpp"

namespace qg::spec {

/// Checks names of new QOSs, the values that differ from those before, and own lists. What a spec may say is
/// the rule: a plan could have been edited by hand. Which TRES there are is checked when it is carried out.
/// Errors: invalid_input, "qos <name>: <field>: <what is wrong>".
Result<void> check_values(const Plan& plan);

} // namespace qg::spec
