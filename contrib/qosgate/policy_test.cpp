// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate policy test [DIR]
#include "command.hpp"
#include "default_release.hpp"
#include "policy_folder.hpp"
#include "policy_load.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/test_world.hpp"
#include "qosgate/policy/policy_tests.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;
using policy::PolicyTest;
using policy::TestResult;

struct TestOptions {
    std::string folder;
};

constexpr int exit_failed = 1;
constexpr std::size_t max_shown = 4000;

ordered_json to_json(const PolicyTest& test, const TestResult& result) {
    ordered_json events = ordered_json::array();
    for (const policy::RuleEvent& event : result.outcome.events)
        events.push_back({{"rule", event.rule},
                          {"file", event.file},
                          {"kind", to_string(event.kind)},
                          {"text", event.text},
                          {"detail", event.detail}});
    return {{"name", test.name},           {"file", test.file},
            {"line", test.line},           {"passed", result.has_passed()},
            {"problems", result.problems}, {"events", events}};
}

/// A problem may have several lines: each message to the user is one.
void print_problem(std::string_view problem, std::ostream& out) {
    bool is_first = true;
    for (const std::string_view line : text::split(problem, '\n')) {
        out << (is_first ? "        " : "          ") << text::printable(line, max_shown) << '\n';
        is_first = false;
    }
}

void print(const PolicyTest& test, const TestResult& result, std::ostream& out) {
    const auto shown = [](const std::string& words) { return text::printable(words, max_shown); };
    out << text::format("{:<6}  {}:{}: {}\n", result.has_passed() ? "ok" : "FAILED", shown(test.file),
                        test.line, shown(test.name));
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

Result<int> run_tests(const TestOptions& options, Output& output) {
    const auto folder = find_policy_folder(options.folder);
    if (!folder) return folder.error();
    const auto policy = load_policy_to_try(folder->path);
    if (!policy) return policy.error();
    const std::vector<policy::SourceFile>& tests = (*policy)->sources().tests;
    if (std::ranges::none_of(
            tests, [](const policy::SourceFile& file) { return policy::is_source_name(file.name); }))
        return Error{ErrorCode::not_found, text::format("{}: there are no tests: no file there ends in .lua",
                                                        (folder->path / policy::tests_folder_name).string())};
    gate::ScenarioWorld world(default_release());
    std::size_t failed = 0;
    std::size_t all = 0;
    ordered_json answers = ordered_json::array();
    const auto take = [&](const PolicyTest& test, const TestResult& result) {
        ++all;
        failed += result.has_passed() ? 0 : 1;
        if (output.json())
            answers.push_back(to_json(test, result));
        else
            print(test, result, output.text());
    };
    if (const auto done = run_tests(**policy, tests, {.world = &world}, take); !done) return done.error();
    if (output.json())
        output.write({{"status", failed == 0 ? "ok" : "failed"},
                      {"folder", folder->path.string()},
                      {"failed", failed},
                      {"tests", answers}});
    else
        output.text() << text::format("{} {}, {} failed\n", all, all == 1 ? "test" : "tests", failed);
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
        "The guide to rules, lua.md, lists what can be set and expected. A test that fails shows what the\n"
        "rules did. Owners and modes of files do not count here.\n\n"
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
        "With --json:\n"
        "  status  \"ok\" or \"failed\"\n"
        "  folder  the directory\n"
        "  failed  how many tests failed\n"
        "  tests   in the order they ran: name, file, line, passed, problems (texts), events (what the "
        "rules\n"
        "          did, in order: rule, file, kind, text, detail)\n"
        "An error is {\"error\": {\"code\": ..., \"message\": ...}}.\n\n"
        "Examples:\n"
        "  qosgate policy test\n"
        "  qosgate policy test ./qosgate.d --json | jq '.tests[] | select(.passed | not)'");
    command.add_option("DIR", options->folder, "The directory; default: qosgate.d beside slurm.conf");
    add_json_flag(command, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return run_tests(*options, output); };
    });
}

} // namespace qg::cli
