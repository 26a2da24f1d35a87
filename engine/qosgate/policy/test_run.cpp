// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs tests of rules and compares what came of them with what they expect.
#include "qosgate/base/text.hpp"
#include "qosgate/policy/fields.hpp"
#include "qosgate/policy/option_writes.hpp"
#include "qosgate/policy/policy_tests.hpp"
#include "qosgate/policy/rule_view.hpp"
#include "qosgate/policy/test_client.hpp"
#include "qosgate/policy/test_collector.hpp"
#include "qosgate/policy/test_job.hpp"
#include "qosgate/policy/unknown_name.hpp"

#include <algorithm>
#include <array>

namespace qg::policy {
namespace {

/// The outcome of a test, while it is compared.
class Comparison {
  public:
    Comparison(const TestJob& job, TestClient* client, TestResult& result)
        : job_(job), client_(client), result_(result) {}

    /// The test is about a change that no rule looks at.
    void note_unseen() noexcept { is_unseen_ = true; }

    void run(const PolicyTest& test) {
        for (const TestEntry& entry : test.entries) {
            if (entry.section == "expect") compare(entry);
            if (entry.section == "expect.job") compare_field(entry);
            if (entry.section == "expect.options") compare_option(entry);
        }
        if (!expects_anything_) note("the test expects nothing: write expect = { accept = true }");
        for (const RuleEvent& event : result_.outcome.events)
            if (event.kind == EventKind::error && !expects_failure_)
                note(text::format("rule '{}' ({}) failed: {}", event.rule, event.file, event.text));
    }

  private:
    using Compare = void (Comparison::*)(const TestEntry& entry);
    struct Key {
        std::string_view name;
        Compare compare;
    };

    void note(std::string problem) { result_.problems.push_back(std::move(problem)); }

    void note_wrong(const TestEntry& entry, std::string_view allowed) {
        note(text::format("expect.{} cannot be {}: write {}", entry.name, describe(entry.value()), allowed));
    }

    void compare(const TestEntry& entry) {
        static constexpr std::array<Key, 4> keys{{{"accept", &Comparison::compare_accept},
                                                  {"reject", &Comparison::compare_reject},
                                                  {"warn", &Comparison::compare_warn},
                                                  {"fails", &Comparison::compare_fails}}};
        expects_anything_ = true;
        const auto key = std::ranges::find(keys, entry.name, &Key::name);
        if (key != keys.end()) return (this->*key->compare)(entry);
        std::vector<std::string> names{"job", "options"};
        for (const Key& known : keys)
            names.emplace_back(known.name);
        note(text::format("expect: unknown key '{}'{}{}", text::printable(entry.name, 60),
                          text::did_you_mean(entry.name, names), list_of_names(names)));
    }

    static bool is_true(const TestEntry& entry) {
        return entry.kind == Value::Kind::flag && entry.integer != 0;
    }

    void compare_accept(const TestEntry& entry) {
        if (!is_true(entry)) return note_wrong(entry, "true, or reject = true");
        const RuleOutcome& outcome = result_.outcome;
        if (outcome.rejected) note("expect.accept: the job was rejected: " + outcome.reject_message);
    }

    void compare_reject(const TestEntry& entry) {
        const bool is_text = entry.kind == Value::Kind::text;
        if (!is_text && !is_true(entry)) return note_wrong(entry, "a part of the message, or true");
        const RuleOutcome& outcome = result_.outcome;
        if (!outcome.rejected)
            return note(is_unseen_ ? "expect.reject: no rule ran, because none for changes looks at what the "
                                     "change sets (in the test: job)"
                                   : "expect.reject: the job was accepted");
        if (is_text && outcome.reject_message.find(entry.text) == std::string::npos)
            note(text::format("expect.reject: the message has no {}: {}", describe(entry.value()),
                              outcome.reject_message));
    }

    void compare_warn(const TestEntry& entry) {
        const bool is_text = entry.kind == Value::Kind::text;
        const bool is_false = entry.kind == Value::Kind::flag && entry.integer == 0;
        if (!is_text && !is_false) return note_wrong(entry, "a part of a message, or false for none");
        const std::vector<std::string>& warnings = result_.outcome.warnings;
        const std::string all = warnings.empty() ? "there is none" : text::join(warnings, "; ");
        const bool has_text = std::ranges::any_of(warnings, [&](const std::string& warning) {
            return warning.find(entry.text) != std::string::npos;
        });
        if (is_text && !has_text)
            note(text::format("expect.warn: no message has {}: {}", describe(entry.value()), all));
        if (is_false && !warnings.empty()) note("expect.warn: the user was told: " + all);
    }

    void compare_fails(const TestEntry& entry) {
        if (!is_true(entry)) return note_wrong(entry, "true");
        expects_failure_ = true;
        const bool has_failed = std::ranges::any_of(
            result_.outcome.events, [](const RuleEvent& event) { return event.kind == EventKind::error; });
        if (!has_failed) note("expect.fails: no rule failed");
    }

    /// The field of the job as the rules left it.
    void compare_field(const TestEntry& entry) {
        expects_anything_ = true;
        const FieldSpec* field = find_job_field(entry.name);
        if (field == nullptr) return note("expect: " + describe_unknown_field(entry.name));
        if (result_.outcome.rejected)
            return note(text::format("expect.job.{}: the job was rejected", entry.name));
        const model::JobRequest after = result_.outcome.changed.value_or(job_.request());
        const RuleInput facts = job_.facts();
        model::JobRequest wanted = after;
        // A value may be written in several ways, "8:00:00" and 480.
        if (field->write != nullptr) {
            if (const auto done = write_field(*field, wanted, entry.value()); !done)
                return note("expect: " + done.error().message);
        }
        ErrorText error;
        const Value found = field->read({after, facts}, error);
        const Value expected = field->write != nullptr ? field->read({wanted, facts}, error) : entry.value();
        if (!error.empty()) return note(text::format("expect.job.{}: {}", entry.name, error.c_str()));
        if (!(found == expected))
            note(text::format("expect.job.{}: {} is expected, and it is {}", entry.name, describe(expected),
                              describe(found)));
    }

    /// The option of the client as the rules left it.
    void compare_option(const TestEntry& entry) {
        expects_anything_ = true;
        if (client_ == nullptr) return note("expect.options is for tests with client = { ... }");
        const auto wanted = to_option_change(*client_, entry.name, entry.value());
        if (!wanted) return note("expect." + wanted.error().message);
        const OptionValue found = client_->get(wanted->name);
        if (result_.outcome.rejected)
            return note(text::format("expect.options[\"{}\"]: the job was rejected", wanted->name));
        if (found != wanted->value)
            note(text::format("expect.options[\"{}\"]: {} is expected, and it is {}", wanted->name,
                              show(wanted->value), show(found)));
    }

    const TestJob& job_;
    TestClient* client_; ///< null: the test has none
    TestResult& result_;
    bool expects_anything_ = false;
    bool expects_failure_ = false;
    bool is_unseen_ = false;
};

/// What the change of a test sets: the fields of its job, also those that keep the value that they had.
model::UpdateParts parts_of_change(const PolicyTest& test) {
    model::UpdateParts parts;
    for (const TestEntry& entry : test.entries) {
        if (entry.section == "job.tres") parts.add(model::UpdatePart::limits);
        const FieldSpec* const field = entry.section == "job" ? find_job_field(entry.name) : nullptr;
        if (field != nullptr && field->part) parts.add(*field->part);
    }
    return parts;
}

} // namespace

TestResult run_test(const Policy& policy, const PolicyTest& test, TestWorld* world) {
    TestResult result;
    auto client = TestClient::from(test);
    if (!client) {
        result.problems.push_back(client.error().message);
        return result;
    }
    const auto job = TestJob::from(test, TestedAs::job);
    if (!job) {
        result.problems.push_back(job.error().message);
        return result;
    }
    const auto before = TestJob::from(test, TestedAs::before);
    if (!before) {
        result.problems.push_back("before: " + before.error().message);
        return result;
    }
    RuleInput facts = job->facts();
    if ((test.gives_view() || test.is_client) && world != nullptr) {
        const auto view = world->make_view(test, {job->request(), facts});
        if (!view) {
            result.problems.push_back("given: " + view.error().message);
            return result;
        }
        facts.view = *view;
    }
    if (test.is_client) {
        TestClient& host = **client;
        facts.client = &host;
        if (facts.view != nullptr) facts.view->client = &host;
        result.outcome = policy.run_in_client(job->request(), facts);
        Comparison(*job, &host, result).run(test);
        return result;
    }
    const RuleInput facts_before = before->facts();
    const JobBefore job_before{before->request(), facts_before};
    Comparison comparison(*job, nullptr, result);
    if (test.is_change) {
        const model::UpdateParts parts = parts_of_change(test);
        result.outcome = policy.run_at_change(job->request(), facts, &job_before, parts);
        if (!policy.has_rules_at(JobEvent::modify, parts)) comparison.note_unseen();
    } else
        result.outcome = policy.run(job->request(), facts);
    comparison.run(test);
    return result;
}

Result<void> run_tests(const Policy& policy, std::span<const SourceFile> files, const TestRun& how,
                       const TakeResult& take) {
    const auto cancelled = [] {
        return Error{ErrorCode::unavailable, "the tests were not run to their end"};
    };
    BudgetClock clock;
    clock.start();
    TestCollector tests;
    for (const SourceFile& file : files) {
        if (how.is_cancelled()) return cancelled();
        if (const auto done = collect_tests(tests, file, clock, how.max_time); !done) return done.error();
    }
    for (const PolicyTest& test : tests.all) {
        if (how.is_cancelled()) return cancelled();
        if (!clock.is_past(how.max_time)) {
            take(test, run_test(policy, test, how.world));
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
                              all, failed == 1 ? "fails" : "fail", how.folder.empty() ? "" : " ",
                              how.folder)};
}

std::string describe_failure(const PolicyTest& test, const TestResult& result) {
    return text::format("test '{}' fails: {}", text::printable(test.name, 200),
                        text::printable(result.problems.empty() ? "" : result.problems.front(), 1000));
}

} // namespace qg::policy
