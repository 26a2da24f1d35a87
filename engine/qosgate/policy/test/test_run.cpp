// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs tests of rules.
#include "qosgate/base/check.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/objects/rule_view.hpp"
#include "qosgate/policy/policy_tests.hpp"
#include "qosgate/policy/test/coverage.hpp"
#include "qosgate/policy/test/test_change.hpp"
#include "qosgate/policy/test/test_client.hpp"
#include "qosgate/policy/test/test_collector.hpp"
#include "qosgate/policy/test/test_comparison.hpp"
#include "qosgate/policy/test/test_job.hpp"

#include <algorithm>
#include <optional>

namespace qg::policy {
namespace {

/// A job of a test in the test's world.
class JobInWorld {
  public:
    /// Errors: what the test gives wrongly.
    static Result<JobInWorld> make(const PolicyTest& test, TestedAs which, TestWorld& world) {
        auto written = TestJob::from(test, which);
        const std::string_view where = which == TestedAs::before ? "before: " : "";
        if (!written) return Error{ErrorCode::invalid_input, std::string(where) + written.error().message};
        JobInWorld job;
        job.written_ = std::make_unique<const TestJob>(*std::move(written));
        auto read = world.read(test, *job.written_);
        if (!read) return Error{ErrorCode::invalid_input, "given: " + read.error().message};
        job.read_ = *std::move(read);
        return job;
    }

    [[nodiscard]] const TestedJob& read() const noexcept { return *read_; }

  private:
    std::unique_ptr<const TestJob> written_;
    std::unique_ptr<TestedJob> read_;
};

RuleOutcome run_in_client(const Policy& policy, const TestedJob& sender, RuleInput facts,
                          TestClient& client) {
    facts.client = &client;
    if (facts.view != nullptr) facts.view->client = &client;
    return policy.run_in_client(sender.request(), facts);
}

/// The rules that ran, each once.
std::vector<std::string> names_in(std::span<const RuleCost> costs) {
    std::vector<std::string> names;
    for (const RuleCost& cost : costs)
        if (std::ranges::find(names, cost.rule) == names.end()) names.emplace_back(cost.rule);
    return names;
}

Result<TestResult> try_test(const Policy& policy, const PolicyTest& test, TestWorld& world) {
    if (!test.capture_name.empty() && test.capture == nullptr)
        return Error{ErrorCode::invalid_input,
                     text::format("given: there is no file {}: put what 'qosgate capture' wrote there",
                                  test_part().name_of(text::printable(test.capture_name, 200)))};
    const auto client = TestClient::from(test);
    if (!client) return client.error();
    if (test.is_change)
        if (const auto possible = check_change(test); !possible) return possible.error();
    const auto job = JobInWorld::make(test, TestedAs::job, world);
    if (!job) return job.error();
    const TestedJob& tested = job->read();
    RuleInput facts = tested.facts();
    std::vector<RuleCost> costs;
    facts.costs = &costs;
    TestResult result;
    if (test.is_client) {
        result.outcome = run_in_client(policy, tested, facts, **client);
    } else if (test.is_change) {
        const auto before = JobInWorld::make(test, TestedAs::before, world);
        if (!before) return before.error();
        const JobBefore job_before{before->read().request(), before->read().facts()};
        result.outcome = policy.run_at_change(tested.request(), facts, &job_before, parts_of_change(test));
    } else {
        result.outcome = policy.run(tested.request(), facts);
    }
    result.rules = names_in(costs);
    compare_outcome(policy, test, tested, client->get(), result);
    return result;
}

void find_captures(std::span<PolicyTest> tests, std::span<const SourceFile> files) {
    for (PolicyTest& test : tests) {
        if (test.capture_name.empty()) continue;
        const auto found =
            std::ranges::find(files, test_part().name_of(test.capture_name), &SourceFile::name);
        if (found != files.end()) test.capture = &*found;
    }
}

} // namespace

TestResult run_test(const Policy& policy, const PolicyTest& test, TestWorld& world, Coverage* coverage) {
    auto result = try_test(policy, test, world);
    if (result && coverage != nullptr) coverage->count_test(test.event(), result->rules);
    if (result) return *std::move(result);
    TestResult wrong;
    wrong.problems.push_back(result.error().message);
    return wrong;
}

Result<void> run_tests(const Policy& policy, std::span<const SourceFile> files, const TestRun& how,
                       const TakeResult& take) {
    const auto cancelled = [] {
        return Error{ErrorCode::unavailable, "the tests were not run to their end"};
    };
    BudgetClock clock;
    clock.start();
    // Ownership: the policy keeps its files.
    const auto sources = make_state_sources({std::shared_ptr<const SourceDirectory>(), &policy.sources()});
    if (!sources) return sources.error();
    TestCollector tests;
    for (const SourceFile& file : files) {
        if (how.is_cancelled()) return cancelled();
        if (!is_source_name(file.name)) continue;
        if (const auto done = collect_tests(tests, file, {*sources, clock, how.max_time}); !done)
            return done.error();
    }
    find_captures(tests.all, files);
    QG_CHECK(how.world != nullptr || tests.all.empty());
    for (const PolicyTest& test : tests.all) {
        if (how.is_cancelled()) return cancelled();
        if (!clock.is_past(how.max_time)) {
            take(test, run_test(policy, test, *how.world, how.coverage));
            continue;
        }
        TestResult late;
        late.problems.push_back(text::format(
            "it was not run: all tests together took more than {} ms of CPU time", how.max_time.count()));
        take(test, late);
    }
    return {};
}

Result<void> pass_tests(const Policy& policy, std::span<const SourceFile> files, const TestRun& how) {
    std::string first;
    std::size_t failed = 0;
    std::size_t all = 0;
    const auto done = run_tests(policy, files, how, [&](const PolicyTest& one, const TestResult& result) {
        ++all;
        if (result.has_passed()) return;
        if (failed++ == 0)
            first = text::format("{}:{}: {}", one.file, one.line, describe_failure(one, result));
    });
    // Whatever kept a file of tests from loading will do so again.
    if (!done) return Error{ErrorCode::invalid_input, done.error().message};
    if (failed == 0) return {};
    return Error{ErrorCode::invalid_input,
                 text::format("{} ({} of {} tests {}; 'qosgate policy test{}{}' shows all)", first, failed,
                              all, failed == 1 ? "fails" : "fail", how.directory.empty() ? "" : " ",
                              how.directory)};
}

std::string describe_failure(const PolicyTest& test, const TestResult& result) {
    std::vector<std::string> lines;
    if (!result.problems.empty())
        for (const std::string_view line : text::split(result.problems.front(), '\n'))
            lines.emplace_back(line);
    return text::format("test '{}' fails: {}", text::printable(test.name, 200),
                        text::printable(text::join(lines, "; "), 1000));
}

} // namespace qg::policy
