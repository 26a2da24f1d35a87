// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs tests of rules.
#include "qosgate/base/check.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/objects/client_binding.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/policy/objects/rule_view.hpp"
#include "qosgate/policy/policy_tests.hpp"
#include "qosgate/policy/test/coverage.hpp"
#include "qosgate/policy/test/test_client.hpp"
#include "qosgate/policy/test/test_collector.hpp"
#include "qosgate/policy/test/test_job.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace qg::policy {
namespace {

// ---- what came of a test, and what it expects ----------------------------------------------------------

/// Compares one test.
class Comparison {
  public:
    Comparison(const Policy& policy, const PolicyTest& test, const TestedJob& job, TestClient* client,
               TestResult& result)
        : policy_(policy), event_(test.event()),
          parts_(test.is_change ? parts_of_change(test) : model::UpdateParts::all()), job_(job),
          client_(client), result_(result) {}

    void run(const PolicyTest& test) {
        constexpr std::string_view section = "expect";
        for (const TestEntry& entry : test.entries) {
            const std::string_view place(entry.section);
            if (place == "expect.job")
                compare_field(entry);
            else if (place == "expect.options")
                compare_option(entry);
            else if (place == section)
                compare(entry.name, entry);
            else if (place.starts_with(section)) // an element of a list
                compare(place.substr(section.size() + 1), entry);
        }
        if (!expects_no_rule_ && !policy_.has_rules_at(event_, parts_))
            result_.warnings.push_back(
                text::format("{}; if that is meant, write expect = {{ runs = false }}", describe_no_rule()));
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

    void note_wrong(std::string_view name, const TestEntry& entry, std::string_view allowed) {
        note(text::format("expect.{} cannot be {}: write {}", name, describe(entry.value()), allowed));
    }

    void compare(std::string_view name, const TestEntry& entry) {
        static constexpr std::array<Key, 7> keys{{{"accept", &Comparison::compare_accept},
                                                  {"reject", &Comparison::compare_reject},
                                                  {"rule", &Comparison::compare_rule},
                                                  {"runs", &Comparison::compare_runs},
                                                  {"warn", &Comparison::compare_warn},
                                                  {"note", &Comparison::compare_note},
                                                  {"fails", &Comparison::compare_fails}}};
        expects_anything_ = true;
        const auto key = std::ranges::find(keys, name, &Key::name);
        if (key != keys.end()) return (this->*key->compare)(entry);
        std::vector<std::string> names{"job", "options"};
        for (const Key& known : keys)
            names.emplace_back(known.name);
        note(text::format("expect: unknown key '{}'{}{}", text::printable(name, 60),
                          text::did_you_mean(name, names), list_of_names(names)));
    }

    void compare_accept(const TestEntry& entry) {
        if (!entry.is_flag(true)) return note_wrong("accept", entry, "true, or reject = true");
        const RuleOutcome& outcome = result_.outcome;
        if (outcome.rejected) note("expect.accept: the job was rejected: " + outcome.reject_message);
    }

    void compare_reject(const TestEntry& entry) {
        if (!entry.is_text() && !entry.is_flag(true))
            return note_wrong("reject", entry, "a part of the message, a list of parts, or true");
        const RuleOutcome& outcome = result_.outcome;
        if (!outcome.rejected)
            return note("expect.reject: " +
                        (policy_.has_rules_at(event_, parts_) ? "the job was accepted" : describe_no_rule()));
        if (entry.is_text() && outcome.reject_message.find(entry.text) == std::string::npos)
            note(text::format("expect.reject: the message has no {}: {}", describe(entry.value()),
                              outcome.reject_message));
    }

    /// Why no rule of the directory runs in this test, whoever sends the job.
    [[nodiscard]] std::string describe_no_rule() const {
        switch (event_) {
        case JobEvent::submit: return "no rule ran, because none runs for new jobs";
        case JobEvent::client: return "no rule ran, because none has a client function";
        case JobEvent::modify: break;
        }
        return "no rule ran, because none for changes looks at what the change sets (in the test: job)";
    }

    [[nodiscard]] std::string describe_not_run(const RuleInfo& rule) const {
        std::string_view why = "the sender is exempt, or a rule before it ended the chain";
        if (!rule.runs_at(event_))
            why = event_ == JobEvent::client   ? "it has no client function"
                  : event_ == JobEvent::modify ? "it does not run for changes"
                                               : "it does not run for new jobs";
        else if (!rule.runs_at(event_, parts_))
            why = "it does not look at what the change sets (in the test: job)";
        return text::format("rule '{}' did not run: {}", rule.name, why);
    }

    /// Notes a name of no rule, and a rule that did not run.
    [[nodiscard]] bool has_run(std::string_view key, const TestEntry& entry) {
        const std::vector<RuleInfo>& rules = policy_.rules();
        const auto rule = std::ranges::find(rules, entry.text, &RuleInfo::name);
        if (rule == rules.end()) {
            std::vector<std::string> names;
            for (const RuleInfo& known : rules)
                names.push_back(known.name);
            note(text::format("expect.{}: there is no rule '{}'{}{}", key, text::printable(entry.text, 60),
                              text::did_you_mean(entry.text, names), list_of_names(names)));
            return false;
        }
        if (std::ranges::find(result_.rules, rule->name) != result_.rules.end()) return true;
        note(text::format("expect.{}: {}", key, describe_not_run(*rule)));
        return false;
    }

    /// Which rules run.
    void compare_runs(const TestEntry& entry) {
        if (entry.is_text()) return static_cast<void>(has_run("runs", entry));
        if (!entry.is_flag(false))
            return note_wrong("runs", entry, "the name of a rule that runs, a list, or false for none");
        expects_no_rule_ = true;
        if (!result_.rules.empty())
            note(text::format("expect.runs: these rules ran: {}", text::join(result_.rules, ", ")));
    }

    /// Which rule rejects the job.
    void compare_rule(const TestEntry& entry) {
        if (!entry.is_text()) return note_wrong("rule", entry, "the name of a rule that rejects, or a list");
        if (!has_run("rule", entry)) return;
        std::vector<std::string> rejecting;
        for (const RuleEvent& event : result_.outcome.events)
            if (event.kind == EventKind::rejected) rejecting.push_back(event.rule);
        if (std::ranges::find(rejecting, entry.text) == rejecting.end())
            note(text::format("expect.rule: rule '{}' does not reject the job; {}", entry.text,
                              rejecting.empty() ? "none does" : "these do: " + text::join(rejecting, ", ")));
    }

    /// What the user is told beside a rejection.
    void compare_messages(std::string_view name, const TestEntry& entry,
                          const std::vector<std::string>& messages) {
        if (!entry.is_text() && !entry.is_flag(false))
            return note_wrong(name, entry, "a part of a message, a list of parts, or false for none");
        const std::string all = messages.empty() ? "there is none" : text::join(messages, "\n");
        const bool has_text = std::ranges::any_of(messages, [&](const std::string& message) {
            return message.find(entry.text) != std::string::npos;
        });
        if (entry.is_text() && !has_text)
            note(text::format("expect.{}: no message has {}: {}", name, describe(entry.value()), all));
        if (entry.is_flag(false) && !messages.empty())
            note(text::format("expect.{}: the user read: {}", name, all));
    }

    void compare_warn(const TestEntry& entry) { compare_messages("warn", entry, result_.outcome.warnings); }

    void compare_note(const TestEntry& entry) {
        std::vector<std::string> notes;
        for (const RuleEvent& event : result_.outcome.events)
            if (event.kind == EventKind::noted) notes.push_back(event.text);
        compare_messages("note", entry, notes);
    }

    void compare_fails(const TestEntry& entry) {
        if (!entry.is_flag(true)) return note_wrong("fails", entry, "true");
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
        ErrorText error;
        const RuleInput& facts = facts_after(error);
        if (entry.kind == Value::Kind::nothing) return compare_unset(*field, {after, facts});
        model::JobRequest wanted = after;
        // A value may be written in several ways, "8:00:00" and 480.
        if (field->write != nullptr) {
            if (const auto done = write_field(*field, wanted, entry.value()); !done)
                return note("expect: " + done.error().message);
        }
        const Value found = field->read({after, facts}, error);
        const Value expected = field->write != nullptr ? field->read({wanted, facts}, error) : entry.value();
        if (!error.empty()) return note(text::format("expect.job.{}: {}", entry.name, error.c_str()));
        if (!(found == expected))
            note(text::format("expect.job.{}: {} is expected, and it is {}", entry.name, describe(expected),
                              describe(found)));
    }

    /// `unset`: the request does not set the field. What the job gets by default does not count.
    void compare_unset(const FieldSpec& field, const FieldSource& source) {
        if (field.is_set == nullptr)
            return note(text::format("expect.job.{} cannot be unset{}", field.name, why_no_request(field)));
        if (!field.is_set(source.request)) return;
        ErrorText error;
        const Value found = field.read(source, error);
        note(text::format("expect.job.{}: unset is expected, and it is {}", field.name,
                          error.empty() && found.kind != Value::Kind::nothing ? describe(found) : "set"));
    }

    /// The counts and defaults of the job as the rules left it.
    const RuleInput& facts_after(ErrorText& error) {
        const RuleInput& before = job_.facts();
        if (!result_.outcome.changed || before.recounter == nullptr) return before;
        if (!counted_) {
            auto counted = before.recounter->recount(*result_.outcome.changed);
            if (!counted) {
                error.assign(counted.error().message);
                return before;
            }
            counted_ = *std::move(counted);
        }
        return *counted_;
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

    const Policy& policy_;
    const JobEvent event_;
    const model::UpdateParts parts_; ///< that the change of the test sets
    const TestedJob& job_;
    TestClient* client_; ///< null: the test has none
    TestResult& result_;
    std::shared_ptr<const RuleInput> counted_; ///< null: not asked for yet
    bool expects_anything_ = false;
    bool expects_failure_ = false;
    bool expects_no_rule_ = false;
};

/// Adds to the result what is not as the test expects. `client` is null if the test has none.
void compare_outcome(const Policy& policy, const PolicyTest& test, const TestedJob& job, TestClient* client,
                     TestResult& result) {
    Comparison(policy, test, job, client, result).run(test);
}

// ---- test run ------------------------------------------------------------------------------------------

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
