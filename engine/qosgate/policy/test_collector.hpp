// SPDX-License-Identifier: GPL-2.0-or-later
//
// TestCollector: what a file of tests declares while it is loaded.
#pragma once

#include "qosgate/policy/policy_tests.hpp"

#include <vector>

namespace qg::policy {

/// Filled by one file; LuaState::tests points here while that file runs.
class TestCollector {
  public:
    std::vector<PolicyTest> all;
    int open = 0; ///< tests with a name, but without a table
};

} // namespace qg::policy
