// SPDX-License-Identifier: GPL-2.0-or-later
//
// policy_tests: tests of a site's rules, in files of the directory's subdirectory `tests`. slurmctld does not
// read them. What test authors may write is in lua/README.md.
//
//   auto tests = load_tests("/etc/slurm/qosgate.d");
//   for (const PolicyTest& test : *tests)
//       if (TestResult result = run_test(policy, test); !result.has_passed()) print(result.problems);
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/value.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

inline constexpr std::string_view tests_folder_name = "tests";

/// One entry of a table in a test: `qos = "debug"`. It owns its text.
struct TestEntry {
    std::string section; ///< "job", "given", "expect", "job.tres", "expect.job"
    std::string name;
    Value::Kind kind = Value::Kind::nothing;
    std::int64_t integer = 0;
    std::string text;

    [[nodiscard]] Value value() const noexcept { return {kind, integer, text}; }
};

/// One test.
struct PolicyTest {
    std::string name;
    std::string file; ///< "debug.lua"
    int line = 0;
    std::vector<TestEntry> entries;
};

/// What a test gave.
struct TestResult {
    std::vector<std::string> problems; ///< what is not as expected; or why the test itself is wrong
    RuleOutcome outcome;

    [[nodiscard]] bool has_passed() const noexcept { return problems.empty(); }
};

/// The tests of all files `tests/*.lua` in a policy directory, in the order of files and lines. Errors:
/// not_found without that subdirectory or files in it, unavailable for a file that cannot be read,
/// invalid_input for one that does not compile or that declares something unknown. Cost: blocking reads.
Result<std::vector<PolicyTest>> load_tests(const std::filesystem::path& folder);

/// The tests of one file. Errors: as load_tests.
Result<std::vector<PolicyTest>> read_tests(const SourceFile& file);

/// Runs all rules over the job of a test. Errors: none; a test that cannot be run has not passed.
TestResult run_test(const Policy& policy, const PolicyTest& test);

} // namespace qg::policy
