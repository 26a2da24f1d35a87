// SPDX-License-Identifier: GPL-2.0-or-later
//
// test_comparison: what came of a test, and what it expects.
#pragma once

#include "qosgate/policy/policy_tests.hpp"
#include "qosgate/policy/test/test_client.hpp"

namespace qg::policy {

/// Adds to the result what is not as the test expects. `client` is null if the test has none.
void compare_outcome(const Policy& policy, const PolicyTest& test, const TestedJob& job, TestClient* client,
                     TestResult& result);

} // namespace qg::policy
