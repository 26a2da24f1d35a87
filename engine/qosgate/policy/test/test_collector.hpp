// SPDX-License-Identifier: GPL-2.0-or-later
//
// TestCollector: the tests that files declare while they are loaded.
#pragma once

#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/policy_tests.hpp"
#include "qosgate/policy/run/compiled_rules.hpp"

#include <vector>

namespace qg::policy {

/// LuaState::tests points here while a file runs.
class TestCollector {
  public:
    /// What the tests of a directory may hold: all names, texts and tables together.
    static constexpr std::size_t max_bytes = std::size_t{4} << 20u;

    std::vector<PolicyTest> all;
    std::size_t first = 0; ///< the place of the file's first test
    int open = 0;          ///< tests with a name, but without a table
    std::size_t bytes = 0; ///< that they hold

    /// Counts what a test gets. False: it is too much.
    [[nodiscard]] bool take(std::size_t more) noexcept {
        bytes += more;
        return bytes <= max_bytes;
    }
};

/// What files of tests may use and spend.
struct TestLoading {
    const StateSources& sources;       ///< whose modules and data they can read
    const BudgetClock& clock;          ///< runs since the first of the files
    std::chrono::nanoseconds max_time; ///< of all of them together
};

/// Adds the tests of a file. Errors: as read_tests.
Result<void> collect_tests(TestCollector& tests, const SourceFile& file, const TestLoading& how);

} // namespace qg::policy
