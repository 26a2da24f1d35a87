// SPDX-License-Identifier: GPL-2.0-or-later
//
// test_change: what a test of a change can give of a job that slurmctld has.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/update_parts.hpp"
#include "qosgate/policy/policy_tests.hpp"

namespace qg::policy {

/// What the change of a test sets: the fields of its job, also those that keep the value that they had.
model::UpdateParts parts_of_change(const PolicyTest& test);

/// Whether rules could read the job that a test of a change gives. Errors: invalid_input for a field that
/// slurmctld does not show at a change, or that no change sets, with what to write instead.
Result<void> check_change(const PolicyTest& test);

} // namespace qg::policy
