// SPDX-License-Identifier: GPL-2.0-or-later
//
// policy_tests: tests of a site's rules, in files of the directory's subdirectory `tests`. slurmctld runs
// them before a policy comes into force. What test authors may write is in lua/README.md.
//
//   gate::ScenarioWorld world(release);
//   const auto done = run_tests(policy, sources.tests, {.world = &world},
//                               [](const PolicyTest& test, const TestResult& result) { print(test, result);
//                               });
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/value.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

/// One entry of a table in a test: `qos = "debug"`. It owns its text.
struct TestEntry {
    /// "job", "before", "client", "given", "expect", "job.tres", "before.tres", "client.options",
    /// "client.env", "expect.job", "expect.options"
    std::string section;
    std::string name;
    Value::Kind kind = Value::Kind::nothing;
    std::int64_t integer = 0;
    std::string text;

    [[nodiscard]] Value value() const noexcept { return {kind, integer, text}; }
};

/// One test.
struct PolicyTest {
    std::string name;
    std::string file; ///< "tests/debug.lua"
    int line = 0;
    bool is_change = false; ///< it gives a job before a change
    bool is_client = false; ///< it gives a client
    std::vector<TestEntry> entries;
    std::string now;   ///< the time of the decision, "2026-07-20 22:30"; empty: not given
    std::string world; ///< the tables of `given` as members of a JSON object; empty: there are none

    [[nodiscard]] bool gives_view() const noexcept { return !now.empty() || !world.empty(); }
};

/// The job of a test, before the rules. Ownership: borrows.
struct TestedJob {
    const model::JobRequest& request;
    const RuleInput& facts;
};

/// Makes what rules read as `view` in a test.
class TestWorld {
  public:
    TestWorld() = default;
    TestWorld(const TestWorld&) = delete;
    TestWorld& operator=(const TestWorld&) = delete;
    virtual ~TestWorld() = default;

    /// The view of a test that gives one. Ownership: it borrows the job, and lives until the next call.
    /// Errors: invalid_input, naming what the test gives wrongly.
    virtual Result<RuleView*> make_view(const PolicyTest& test, const TestedJob& job) = 0;
};

/// What a test gave.
struct TestResult {
    std::vector<std::string> problems; ///< what is not as expected; or why the test itself is wrong
    RuleOutcome outcome;

    [[nodiscard]] bool has_passed() const noexcept { return problems.empty(); }
};

/// The tests of one file. Errors: invalid_input for a file that does not compile or that declares something
/// unknown, limit_exceeded for one that needs too much time or memory.
Result<std::vector<PolicyTest>> read_tests(const SourceFile& file);

/// Runs the rules for new jobs, for changes, or for clients, over the job of a test. Without `world` no test
/// can give a view. Errors: none; a test that cannot be run has not passed.
TestResult run_test(const Policy& policy, const PolicyTest& test, TestWorld* world = nullptr);

/// How the tests of a directory are run.
struct TestRun {
    TestWorld* world = nullptr; ///< null: no test can give a view
    /// CPU time of the thread, for all files and tests together.
    std::chrono::milliseconds max_time{10'000};
    /// Asked before each file and each test; true ends the run.
    std::function<bool()> is_cancelled = [] { return false; };
    /// What 'qosgate policy test' needs to be told to run them; empty: nothing.
    std::string folder = {};
};

using TakeResult = std::function<void(const PolicyTest& test, const TestResult& result)>;

/// Loads all files, then runs their tests in the order of files and lines. `take` gets each result; tests for
/// which no time is left have not passed. The policy's Lua states keep what tests have left in them: it
/// should not decide about jobs afterwards. Errors: as read_tests; unavailable if it was cancelled.
Result<void> run_tests(const Policy& policy, std::span<const SourceFile> files, const TestRun& how,
                       const TakeResult& take);

/// Runs all tests as run_tests() does. Errors: invalid_input if one fails, naming the first, or if a file of
/// tests does not load; also if the run was cancelled.
Result<void> pass_tests(const Policy& policy, std::span<const SourceFile> files, const TestRun& how);

/// "test 'large jobs' fails: expect.accept: the job was rejected": the first problem.
std::string describe_failure(const PolicyTest& test, const TestResult& result);

} // namespace qg::policy
