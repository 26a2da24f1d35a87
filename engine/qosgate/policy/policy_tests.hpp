// SPDX-License-Identifier: GPL-2.0-or-later
//
// policy_tests: tests of a site's rules, in files of the directory's subdirectory `tests`. slurmctld runs
// them before a policy comes into force. What test authors may write is in contrib/doc/rules-tests.md.
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
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

class Coverage;
class TestJob;

/// One entry of a table in a test: `qos = "debug"`. It owns its text.
struct TestEntry {
    std::string section; ///< "job", "before", "client", "given", "expect", "job.tres", "expect.job" ...
    std::string name;    ///< of an element of a list: empty, or "0" for the one at 0
    Value::Kind kind = Value::Kind::nothing; ///< nothing: `unset`, in expect.job
    std::int64_t integer = 0;
    std::string text;

    [[nodiscard]] Value value() const noexcept { return {kind, integer, text}; }
    [[nodiscard]] bool is_text() const noexcept { return kind == Value::Kind::text; }
    [[nodiscard]] bool is_flag(bool on) const noexcept {
        return kind == Value::Kind::flag && (integer != 0) == on;
    }
};

/// One test.
struct PolicyTest {
    std::string name;
    std::string file; ///< "tests/debug.lua"
    int line = 0;
    bool is_change = false; ///< it gives a job before a change
    bool is_client = false; ///< it gives a client
    std::vector<TestEntry> entries;
    std::string now;          ///< the time of the decision, "2026-07-20 22:30"; empty: not given
    std::string world;        ///< the tables of `given` as members of a JSON object; empty: there are none
    std::string capture_name; ///< the file that `given` names, "monday.json"; empty: none
    const SourceFile* capture = nullptr; ///< that file. Ownership: borrowed from the files of tests

    /// For which event it runs the rules.
    [[nodiscard]] JobEvent event() const noexcept {
        if (is_client) return JobEvent::client;
        return is_change ? JobEvent::modify : JobEvent::submit;
    }
    /// Whether it gives records of a cluster.
    [[nodiscard]] bool gives_records() const noexcept { return !world.empty() || !capture_name.empty(); }
};

/// A job of a test, counted and with its defaults, as rules read it.
class TestedJob {
  public:
    TestedJob() = default;
    TestedJob(const TestedJob&) = delete;
    TestedJob& operator=(const TestedJob&) = delete;
    virtual ~TestedJob() = default;

    [[nodiscard]] virtual const model::JobRequest& request() const noexcept = 0;
    /// Without a view if the test gives none.
    [[nodiscard]] virtual const RuleInput& facts() const noexcept = 0;
};

/// The cluster that a test gives: it makes of a job what rules read.
class TestWorld {
  public:
    TestWorld() = default;
    TestWorld(const TestWorld&) = delete;
    TestWorld& operator=(const TestWorld&) = delete;
    virtual ~TestWorld() = default;

    /// Ownership: the result borrows from the job. Errors: invalid_input, naming what the test gives wrongly.
    virtual Result<std::unique_ptr<TestedJob>> read(const PolicyTest& test, const TestJob& job) = 0;
};

/// What a test gave.
struct TestResult {
    std::vector<std::string> problems; ///< what is not as expected; or why the test itself is wrong
    std::vector<std::string> warnings; ///< why a test that passes may prove nothing
    std::vector<std::string> rules;    ///< that ran, in order
    RuleOutcome outcome;

    [[nodiscard]] bool has_passed() const noexcept { return problems.empty(); }
};

/// The tests of one file, which can neither name captures nor use modules and data. Errors: invalid_input for
/// a file that does not compile or that declares something unknown, limit_exceeded for one that needs too
/// much time or memory.
Result<std::vector<PolicyTest>> read_tests(const SourceFile& file);

/// Runs the rules for new jobs, for changes, or for clients, over the job of a test. Errors: none; a test
/// that cannot be run has not passed.
TestResult run_test(const Policy& policy, const PolicyTest& test, TestWorld& world,
                    Coverage* coverage = nullptr);

/// How the tests of a directory are run.
struct TestRun {
    TestWorld* world = nullptr; ///< null only where there are no tests
    /// CPU time of the thread, for all files and tests together.
    std::chrono::milliseconds max_time{10'000};
    /// Asked before each file and each test; true ends the run.
    std::function<bool()> is_cancelled = [] { return false; };
    /// Counts the rules that run; the policy was compiled with it. Null: nobody asks.
    Coverage* coverage = nullptr;
    /// What 'qosgate policy test' needs to be told to run them; empty: nothing.
    std::string directory = {};
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
