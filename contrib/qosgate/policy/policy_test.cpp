// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate policy test [DIR]
#include "common/command.hpp"
#include "common/default_release.hpp"
#include "common/or_null.hpp"
#include "common/table.hpp"
#include "policy/policy_directory.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/rules/test_world.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/policy/policy_tests.hpp"
#include "qosgate/policy/test/coverage.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;
using policy::Coverage;
using policy::PolicyTest;
using policy::TestResult;

struct TestOptions {
    std::string directory;
    bool shows_coverage = false;
};

constexpr int exit_failed = 1;
constexpr std::size_t max_test_words = 4000;

ordered_json test_to_json(const PolicyTest& test, const TestResult& result) {
    ordered_json events = ordered_json::array();
    for (const policy::RuleEvent& event : result.outcome.events)
        events.push_back({{"rule", event.rule},
                          {"file", event.file},
                          {"kind", to_string(event.kind)},
                          {"text", event.text},
                          {"detail", event.detail}});
    return {{"name", test.name},           {"file", test.file},
            {"line", test.line},           {"passed", result.has_passed()},
            {"problems", result.problems}, {"warnings", result.warnings},
            {"rules", result.rules},       {"events", events}};
}

/// Why the site's script was not run; empty: there is none.
std::optional<std::string> why_script_not_tested(const policy::Policy& policy) {
    if (policy.script() == nullptr) return std::nullopt;
    return "tests try rules: a test describes a job in the words of rules, and the script reads Slurm's own "
           "description of one. 'qosgate policy check' reads its text";
}

/// A problem may have several lines: each message to the user is one.
void print_problem(std::string_view problem, std::ostream& out) {
    bool is_first = true;
    for (const std::string_view line : text::split(problem, '\n')) {
        out << (is_first ? "        " : "          ") << text::printable(line, max_test_words) << '\n';
        is_first = false;
    }
}

void print_test(const PolicyTest& test, const TestResult& result, std::ostream& out) {
    const auto shown = [](const std::string& words) { return text::printable(words, max_test_words); };
    out << text::format("{:<6}  {}:{}: {}\n", result.has_passed() ? "ok" : "FAILED", shown(test.file),
                        test.line, shown(test.name));
    for (const std::string& warning : result.warnings)
        print_problem(warning, out);
    if (result.has_passed()) return;
    for (const std::string& problem : result.problems)
        print_problem(problem, out);
    if (result.outcome.events.empty()) out << "        no rule did anything\n";
    for (const policy::RuleEvent& event : result.outcome.events) {
        out << text::format("        rule '{}' ({}): {}: {}\n", shown(event.rule), shown(event.file),
                            to_string(event.kind), shown(event.text));
        if (!event.detail.empty()) out << "          " << shown(event.detail) << '\n';
    }
}

/// "3, 7-9"
std::string to_ranges(const std::vector<int>& lines) {
    std::vector<std::string> ranges;
    for (std::size_t begin = 0; begin < lines.size();) {
        std::size_t end = begin + 1;
        while (end < lines.size() && lines[end] == lines[end - 1] + 1)
            ++end;
        ranges.push_back(end - begin == 1 ? std::to_string(lines[begin])
                                          : text::format("{}-{}", lines[begin], lines[end - 1]));
        begin = end;
    }
    return text::join(ranges, ", ");
}

/// In how many tests of an event the rule ran; empty: it never runs then.
std::optional<std::uint64_t> tests_of(const Coverage& coverage, const policy::RuleInfo& rule,
                                      policy::JobEvent event) {
    if (!rule.runs_at(event)) return std::nullopt;
    return coverage.tests_of(rule.name, event);
}

void print_coverage(const Coverage& coverage, const policy::Policy& policy, std::ostream& out) {
    Table rules{{{"RULE"}, {"FILE"}, {"SUBMIT", true}, {"MODIFY", true}, {"CLIENT", true}}, {}};
    for (const policy::RuleInfo& rule : policy.rules()) {
        const auto count = [&](policy::JobEvent event) {
            const auto tests = tests_of(coverage, rule, event);
            return tests ? std::to_string(*tests) : std::string();
        };
        rules.rows.push_back({text::printable(rule.name, max_test_words),
                              text::printable(rule.file, max_test_words), count(policy::JobEvent::submit),
                              count(policy::JobEvent::modify), count(policy::JobEvent::client)});
    }
    Table files{{{"FILE"}, {"LINES", true}, {"RUN", true}, {"NOT RUN"}}, {}};
    for (const Coverage::File& file : coverage.files()) {
        const std::vector<int> missed = file.missed();
        files.rows.push_back({text::printable(file.name, max_test_words), std::to_string(file.lines.size()),
                              std::to_string(file.lines.size() - missed.size()), to_ranges(missed)});
    }
    for (const Table& table : {rules, files}) {
        out << '\n';
        print_aligned(out, table);
    }
}

ordered_json coverage_to_json(const Coverage& coverage, const policy::Policy& policy) {
    ordered_json rules = ordered_json::array();
    for (const policy::RuleInfo& rule : policy.rules()) {
        std::uint64_t all = 0;
        const auto count = [&](policy::JobEvent event) {
            const auto tests = tests_of(coverage, rule, event);
            all += tests.value_or(0);
            return tests ? ordered_json(*tests) : ordered_json();
        };
        const ordered_json submit = count(policy::JobEvent::submit);
        const ordered_json modify = count(policy::JobEvent::modify);
        const ordered_json client = count(policy::JobEvent::client);
        rules.push_back({{"rule", rule.name},
                         {"file", rule.file},
                         {"tests", all},
                         {"submit", submit},
                         {"modify", modify},
                         {"client", client}});
    }
    ordered_json files = ordered_json::array();
    for (const Coverage::File& file : coverage.files())
        files.push_back(
            {{"file", file.name}, {"lines", file.lines.size()}, {"lines_not_run", file.missed()}});
    return {{"rules", std::move(rules)}, {"files", std::move(files)}};
}

Result<int> run_tests(const TestOptions& options, Output& output) {
    const auto directory = find_policy_directory(options.directory);
    if (!directory) return directory.error();
    std::optional<Coverage> coverage;
    const auto policy = load_policy_to_try(directory->path, options.shows_coverage ? &coverage : nullptr);
    if (!policy) return policy.error();
    const std::vector<policy::SourceFile>& tests = (*policy)->sources().tests;
    if (std::ranges::none_of(
            tests, [](const policy::SourceFile& file) { return policy::is_source_name(file.name); }))
        return Error{ErrorCode::not_found,
                     text::format("{}: there are no tests: no file there ends in .lua",
                                  (directory->path / policy::tests_directory_name).string())};
    gate::ScenarioWorld world(default_release());
    std::size_t failed = 0;
    std::size_t all = 0;
    std::size_t without_rule = 0;
    ordered_json answers = ordered_json::array();
    const auto take = [&](const PolicyTest& test, const TestResult& result) {
        ++all;
        failed += result.has_passed() ? 0 : 1;
        without_rule += result.warnings.empty() ? 0 : 1;
        if (output.json())
            answers.push_back(test_to_json(test, result));
        else
            print_test(test, result, output.text());
    };
    const policy::TestRun how{.world = &world, .coverage = coverage ? &*coverage : nullptr};
    if (const auto done = run_tests(**policy, tests, how, take); !done) return done.error();
    if (output.json()) {
        ordered_json answer{{"status", failed == 0 ? "ok" : "failed"},
                            {"directory", directory->path.string()},
                            {"failed", failed},
                            {"tests", answers},
                            {"script_not_run", or_null(why_script_not_tested(**policy))}};
        if (coverage) answer["coverage"] = coverage_to_json(*coverage, **policy);
        output.write(answer);
    } else {
        output.text() << text::format("{} {}, {} failed", all, all == 1 ? "test" : "tests", failed);
        if (without_rule > 0) output.text() << text::format(", {} ran no rule", without_rule);
        output.text() << '\n';
        if (const auto why = why_script_not_tested(**policy))
            output.text() << text::format("Not run: {}; {}\n", policy::compat::script_file_name, *why);
        if (coverage) print_coverage(*coverage, **policy, output.text());
    }
    return failed == 0 ? 0 : exit_failed;
}

} // namespace

void add_policy_test(Command policy, Invocation& invocation) {
    auto options = std::make_shared<TestOptions>();
    Command command = add_command(
        policy, "test", "Run the tests of a directory of rules",
        "The tests are in DIR/tests/*.lua. slurmctld runs them, too: a directory whose tests fail does not "
        "come\n"
        "into force there. A test is written like this:\n\n"
        "  test \"large jobs need a QOS\" {\n"
        "      job = { partition = \"gpu\", nodes = 5, user = \"ana\" },\n"
        "      expect = { reject = \"QOS large\" },\n"
        "  }\n\n"
        "The site's script compat/job_submit.lua is not run.\n"
        "The guide rules-tests.md lists what can be set and expected. A test that fails shows what the\n"
        "rules did; one in which no rule could run passes, and says so. Owners and modes of files do not\n"
        "count here.\n\n"
        "With --coverage, two tables follow. The first has how many tests of new jobs (SUBMIT), of changes\n"
        "(MODIFY) and of clients (CLIENT) ran each rule; - stands where the rule never runs. The second has\n"
        "how many lines in functions of each file hold code, how many of them some test ran, and which ones\n"
        "none did. A line counts as run also if a part of it did not run. Code outside of functions runs\n"
        "when the file is loaded and is not counted.\n\n"
        "Exit status:\n"
        "  0   all tests passed\n"
        "  1   a test failed\n"
        "  64  the command line is wrong\n"
        "  65  the rules or a file of tests do not load\n"
        "  66  there is no such directory, or it has no tests\n"
        "  69  slurm.conf or a file cannot be read\n"
        "  74  the output cannot be written\n"
        "  75  a file of tests takes too much time or memory\n"
        "  78  this build has no Slurm support, and no directory is named\n\n"
        "Examples:\n"
        "  qosgate policy test\n"
        "  qosgate policy test ./qosgate.d --coverage\n"
        "  qosgate policy test ./qosgate.d --json | jq '.tests[] | select(.passed | not)'");
    command.add_option("DIR", options->directory, "The directory; default: qosgate.d beside slurm.conf");
    command.add_flag("--coverage", options->shows_coverage,
                     "Show what no test runs: rules, and lines of code");
    add_json_flag(command, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return run_tests(*options, output); };
    });
}

} // namespace qg::cli
