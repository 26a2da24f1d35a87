// SPDX-License-Identifier: GPL-2.0-or-later
//
// TestCollector: the tests that files declare while they are loaded.
#pragma once

#include "qosgate/policy/budget.hpp"
#include "qosgate/policy/policy_tests.hpp"

#include <vector>

namespace qg::policy {

/// LuaState::tests points here while a file runs.
class TestCollector {
  public:
    /// What the tests of a directory may hold: all names, texts and tables together.
    static constexpr std::size_t max_bytes = std::size_t{4} << 20u;

    std::vector<PolicyTest> all;
    int open = 0;          ///< tests with a name, but without a table
    std::size_t bytes = 0; ///< that they hold

    /// Counts what a test gets. False: it is too much.
    [[nodiscard]] bool take(std::size_t more) noexcept {
        bytes += more;
        return bytes <= max_bytes;
    }
};

/// Adds the tests of a file. `clock` runs since the first of the files; all of them together may spend
/// `max_time`. Errors: as read_tests.
Result<void> collect_tests(TestCollector& tests, const SourceFile& file, const BudgetClock& clock,
                           std::chrono::nanoseconds max_time);

} // namespace qg::policy
