// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs tests of rules in the worlds that they give.
#pragma once

#include "qosgate/gate/rules/test_world.hpp"

#include "support/policy_setup.hpp"

#include <string>

namespace qg::test {

inline const limits::Release tested_release(22, 5, 8);

inline policy::TestResult run_alone(const policy::Policy& policy, const policy::PolicyTest& test) {
    gate::ScenarioWorld world(tested_release);
    return policy::run_test(policy, test, world);
}

/// What does not pass in one test with this table, of a policy; "" if it passes.
inline std::string problems_in(const policy::Policy& policy, const std::string& table) {
    const auto tests = policy::read_tests({"t.lua", "test 'x' {" + table + "}"});
    if (!tests) return tests.error().message;
    return text::join(run_alone(policy, tests->at(0)).problems, "; ");
}

/// The same of one rule with this body.
inline std::string problems_of(const std::string& body, const std::string& table) {
    return problems_in(*one_rule(body), table);
}

} // namespace qg::test
