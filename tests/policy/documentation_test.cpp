// SPDX-License-Identifier: GPL-2.0-or-later
//
// The pages about rules in contrib/doc repeat the tables of fields and settings for readers; this test
// compares them. The examples there load, and the messages that they quote are the real ones.
#include "shipped_files.hpp"

#include "qosgate/policy/check/lua_tokens.hpp"
#include "qosgate/policy/files/modules.hpp"
#include "qosgate/policy/findings.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/policy/objects/job_binding.hpp"
#include "qosgate/policy/objects/view_table.hpp"

#include "qosgate/policy/policy_tests.hpp"
#include "support/empty_view.hpp"
#include "support/plain_world.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

/// The manual's text without backquotes, and of links to pages and headings only what is read.
std::string manual() {
    std::string text = rules_manual();
    std::erase(text, '`');
    for (auto at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
        const auto end = text.find(')', at);
        const std::string target = text.substr(at + 2, end - at - 2);
        if (!has_text(target, ".md") && !target.starts_with("#")) continue;
        text.erase(at, end - at + 1);
        text.erase(text.rfind('[', at), 1);
    }
    return text;
}

/// The blocks of the manual that begin so, from `first` on, in order.
std::vector<std::string> blocks(std::string_view begin, std::string_view first) {
    const std::string text = rules_manual();
    std::vector<std::string> all;
    for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
        at += begin.size() - first.size();
        all.push_back(text.substr(at, text.find("```", at) - at));
    }
    return all;
}

/// The examples of the manual.
std::vector<std::string> examples() {
    return blocks("```lua\n", "");
}

/// The example with this text.
std::string example_with(const std::string& text) {
    for (const std::string& example : examples())
        if (has_text(example, text)) return example;
    throw std::runtime_error("no example has " + text);
}

/// The rule on which most of the manual rests.
std::string main_example() {
    return example_with("no giants in debug");
}

/// The files that an example needs to load: the example, and the first module if it requires one.
Texts files_of(const std::string& example) {
    if (example.starts_with("site")) return {{"site.lua", example}};
    if (example.starts_with("local M")) return {{"lib/projects.lua", example}};
    if (has_text(example, "data(\"gpus.csv\")"))
        return {{"t.lua", example}, {"data/gpus.csv", blocks("```\naccount", "account").at(0)}};
    if (!example.starts_with("local projects")) return {{"t.lua", example}};
    for (const std::string& module : examples())
        if (module.starts_with("local M")) return {{"t.lua", example}, {"lib/projects.lua", module}};
    return {};
}

/// Whether an example is a file of tests.
bool is_test(const std::string& example) {
    return example.starts_with("test ") || example.starts_with("given ") ||
           example.starts_with("-- rules/tests/");
}

/// The error of a rule with this body, when it is loaded or run.
std::string failure_of(const std::string& body) {
    const std::string problem = load_error({{"t.lua", rule_with(body)}});
    return problem.empty() ? outcome_of_rule(body).events.at(0).text : problem;
}

/// A mistake and its message in the manual.
struct WrongBody {
    const char* body;
    const char* message;
};

const WrongBody wrong_bodies[] = {
    {"local x = require('projcts')", "there is no module 'projcts'"},
    {"require('names').list = 1", "cannot be changed (field '"},
    {"local x = strng.upper('x')", "unknown name 'strng'; did you mean string?"},
    {"x = 1", "'x' is not declared; write 'local x = ...'"},
    {"return job.node", "unknown field 'node' of job; did you mean nodes?"},
    {"job.reject('no')", "write job:reject(...), with a colon"},
    {"function slurm_job_submit() end", "this is a script for job_submit/lua"},
    {"if job.tasks > 4 then return end", "attempt to compare number with nil"},
    {"return false", "submit returned false: a rule returns nothing"},
    {"while true do end", "more than 100000 instructions for one job"},
    {"local x = job.tres['gres/gpo']", "this cluster tracks no TRES 'gres/gpo'"},
};

std::string documented_type(FieldType type) {
    switch (type) {
    case FieldType::text: return "text";
    case FieldType::count: return "number";
    case FieldType::minutes: return "minutes";
    case FieldType::flag: return "boolean";
    case FieldType::tres:
    case FieldType::gpu:
    case FieldType::gpu_list:
    case FieldType::arguments:
    case FieldType::environment:
    case FieldType::license_counts:
    case FieldType::feature_names:
    case FieldType::script_options: return "table";
    }
    return {};
}

std::string documented_type(ViewType type) {
    switch (type) {
    case ViewType::text: return "text";
    case ViewType::count: return "number";
    case ViewType::minutes: return "minutes";
    case ViewType::flag: return "boolean";
    case ViewType::names:
    case ViewType::some_names: return "list";
    case ViewType::object: return "object";
    }
    return {};
}

} // namespace

BOOST_AUTO_TEST_SUITE(documentation)

BOOST_AUTO_TEST_CASE(lists_every_field_as_it_is) {
    const std::string text = manual();
    for (const FieldSpec& field : job_fields()) {
        const std::string row = text::format("| {} | {} | {}| {}", field.name, documented_type(field.type),
                                             field.write ? "yes " : "", field.description);
        BOOST_TEST(has_text(text, row), row);
    }
}

BOOST_AUTO_TEST_CASE(lists_everything_that_view_shows) {
    const std::string text = manual();
    for (std::size_t i = 0; i < view_kind_count; ++i) {
        const auto kind = static_cast<ViewKind>(i);
        const std::string_view prefix = kind == ViewKind::view ? "view." : "";
        for (const ViewField& field : view_fields(kind)) {
            const std::string row = text::format("| {}{} | {} | {} |", prefix, field.name,
                                                 documented_type(field.type), field.description);
            BOOST_TEST(has_text(text, row), row);
        }
        for (const ViewFunction& function : view_functions(kind)) {
            const std::string row = text::format("| {} | {} | {} |", function.usage,
                                                 documented_type(function.type), function.description);
            BOOST_TEST(has_text(text, row), row);
        }
    }
}

BOOST_AUTO_TEST_CASE(lists_every_name_that_slurm_has_for_a_field) {
    const std::string text = manual();
    for (const SlurmName& row : slurm_names()) {
        const std::string line = text::format("| {} | {} |", row.name, row.instead);
        BOOST_TEST(has_text(text, line), line);
        BOOST_TEST(find_job_field(row.name) == nullptr, row.name);
        BOOST_TEST(has_text(failure_of(text::format("local x = job.{}", row.name)),
                            text::format("unknown field '{}' of job: rules have {}", row.name, row.instead)));
        // What it names is there.
        const std::string good =
            text::format("local x = {}", row.instead.substr(0, row.instead.find_first_of(" ,")));
        BOOST_TEST(load_error({{"t.lua", "rule { submit = function(job, view) " + good + " end }"}}) == "",
                   good);
    }
}

BOOST_AUTO_TEST_CASE(lists_every_setting_as_it_is) {
    const std::string text = manual();
    for (const SettingSpec& spec : setting_specs()) {
        std::string row = text::format("| {} | {} | {} | {} |", spec.name, spec.allowed, spec.default_text,
                                       spec.description);
        std::erase(row, '`');
        BOOST_TEST(has_text(text, row), row);
    }
}

BOOST_AUTO_TEST_CASE(lists_every_key_of_a_rule_and_every_function_of_job) {
    const std::string text = manual();
    const std::string error = load_error({{"t.lua", rule_with("", "zzz = 1,")}});
    const std::size_t begin = error.find("(there are: ") + std::string_view("(there are: ").size();
    const std::string keys = error.substr(begin, error.find(')', begin) - begin);
    for (const std::string_view key : text::split(keys, ','))
        BOOST_TEST(has_text(text, text::format("| {} | ", key)), key);
    BOOST_TEST(text::split(keys, ',').size() == 10u, keys);
    for (const std::string_view function : job_functions())
        BOOST_TEST(has_text(text, text::format("| job:{}(", function)), function);
}

BOOST_AUTO_TEST_CASE(quotes_the_messages_that_people_meet) {
    const std::string text = manual();
    for (const WrongBody& mistake : wrong_bodies) {
        const std::string failure = failure_of(mistake.body);
        BOOST_TEST(has_text(failure, mistake.message), failure);
        BOOST_TEST(has_text(text, mistake.message), mistake.message);
    }
}

BOOST_AUTO_TEST_CASE(gives_examples_that_load) {
    for (const std::string& example : examples()) {
        if (is_test(example)) {
            BOOST_TEST(read_tests({"t.lua", example}).has_value(), example);
            continue;
        }
        BOOST_TEST(load_error(files_of(example)) == "", example);
        SourceDirectory directory{true, {}};
        for (const auto& [name, content] : files_of(example))
            directory.files.push_back({name, content});
        for (const Finding& finding : check_sources(directory).findings)
            BOOST_TEST(finding.message == "", example);
    }
}

BOOST_AUTO_TEST_CASE(gives_a_module_that_does_what_is_said) {
    Texts files;
    for (const std::string& example : examples())
        if (example.starts_with("local projects")) files = files_of(example);
    const auto policy = policy_of(files);

    BOOST_TEST(Job().nodes(2).run(*policy).reject_message ==
               "account physics may use 1 nodes, this job asks for 2");
    BOOST_TEST(!Job().nodes(1).run(*policy).rejected);
}

BOOST_AUTO_TEST_CASE(gives_data_that_a_rule_reads_as_is_said) {
    Texts files;
    for (const std::string& example : examples())
        if (has_text(example, "gpus.csv")) files = files_of(example);
    files.back().second += "physics,gpu,2\n";
    const auto policy = policy_of(files);

    BOOST_TEST(Job().partition("gpu").gpus(3).run(*policy).reject_message ==
               "account physics may use 2 GPUs, this job asks for 3");
    BOOST_TEST(!Job().partition("gpu").gpus(2).run(*policy).rejected);
}

BOOST_AUTO_TEST_CASE(lists_every_function_of_the_built_in_modules) {
    const std::string text = manual();
    for (const ShippedModule& module : shipped_modules()) {
        const auto tokens = read_tokens(module.text);
        for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
            if (!tokens[i].is("function") || !tokens[i + 1].is_name("M")) continue;
            const std::string call = text::format("| {}.{}(", module.name, tokens[i + 3].text);
            BOOST_TEST(has_text(text, call), call);
        }
    }
}

BOOST_AUTO_TEST_CASE(gives_tests_that_its_main_example_passes) {
    const auto policy = policy_of({{"t.lua", main_example()}});
    PlainWorld world;
    std::size_t count = 0;
    for (const std::string& example : examples()) {
        if (!example.starts_with("test ")) continue;
        const auto tests = read_tests({"t.lua", example});
        BOOST_TEST_REQUIRE(tests.has_value());
        for (const PolicyTest& one : *tests) {
            // Of other examples; tests/cli runs the view's.
            if (one.gives_records() || !one.now.empty() || one.is_change || one.is_client) continue;
            const TestResult result = run_test(*policy, one, world);
            BOOST_TEST(result.has_passed(), one.name + ": " + text::join(result.problems, "; "));
            ++count;
        }
    }
    BOOST_TEST(count == 2u);
}

BOOST_AUTO_TEST_CASE(gives_tests_that_its_first_rule_passes) {
    const auto policy = policy_of({{"t.lua", example_with("-- rules/10-debug.lua")}});
    const auto tests = read_tests({"t.lua", example_with("-- rules/tests/10-debug.lua")});
    BOOST_TEST_REQUIRE(tests.has_value());
    BOOST_TEST(tests->size() == 2u);
    PlainWorld world;
    for (const PolicyTest& one : *tests)
        BOOST_TEST(run_test(*policy, one, world).has_passed(), one.name);
}

BOOST_AUTO_TEST_CASE(gives_tests_that_its_rule_for_clients_passes) {
    std::string rule, tests;
    for (const std::string& example : examples()) {
        if (has_text(example, "an interactive job has an hour")) rule = example;
        if (has_text(example, "test \"salloc gets an hour\"")) tests = example;
    }
    const auto policy = policy_of({{"t.lua", rule}});
    EmptyView view;
    PlainWorld world(&view);
    const auto read = read_tests({"t.lua", tests});
    BOOST_TEST_REQUIRE(read.has_value());
    BOOST_TEST(read->size() == 3u);
    for (const PolicyTest& one : *read) {
        const TestResult result = run_test(*policy, one, world);
        BOOST_TEST(result.has_passed(), one.name + ": " + text::join(result.problems, "; "));
    }
}

BOOST_AUTO_TEST_CASE(gives_a_test_that_its_rule_for_changes_passes) {
    std::string rule, tests;
    for (const std::string& example : examples()) {
        if (has_text(example, "no extensions")) rule = example;
        if (has_text(example, "before = {")) tests = example;
    }
    const auto read = read_tests({"t.lua", tests});
    BOOST_TEST_REQUIRE(read.has_value());
    PlainWorld world;
    BOOST_TEST(run_test(*policy_of({{"t.lua", rule}}), read->at(0), world).has_passed());
    BOOST_TEST(!run_test(*policy_of({{"t.lua", main_example()}}), read->at(0), world).has_passed());
}

BOOST_AUTO_TEST_CASE(gives_a_rule_against_jobs_that_grow) {
    std::string rule;
    for (const std::string& example : examples())
        if (has_text(example, "no expansion")) rule = example;
    const auto policy = policy_of({{"t.lua", rule}});
    PlainWorld world;
    const auto has_passed = [&](const std::string& job, const std::string& expect) {
        const auto tests =
            read_tests({"t.lua", "test 'x' { job = {" + job + "}, expect = {" + expect + "} }"});
        return run_test(*policy, tests.value().at(0), world).has_passed();
    };
    for (const char* dependency : {"expand:7", "EXPAND:7", "afterok:3,Expand:7", "afterok:3?expand:7"})
        BOOST_TEST(
            has_passed(std::string("dependency = '") + dependency + "'", "reject = 'cannot be joined'"),
            dependency);
    for (const char* others : {"", "dependency = 'afterok:7'", "dependency = 'singleton'"})
        BOOST_TEST(has_passed(others, "accept = true"), others);
}

BOOST_AUTO_TEST_CASE(gives_a_main_example_that_looks_at_each_partition_of_a_list) {
    const auto policy = policy_of({{"t.lua", main_example()}});
    const auto is_rejected = [&](const char* partition, std::uint64_t nodes) {
        return Job().partition(partition).nodes(nodes).run(*policy).rejected;
    };
    BOOST_TEST(is_rejected("debug", 3));
    BOOST_TEST(is_rejected("cpu,debug", 3));
    BOOST_TEST(is_rejected("debug,cpu", 3));
    BOOST_TEST(!is_rejected("debug", 2));
    BOOST_TEST(!is_rejected("cpu,debugging", 3));

    const auto outcome = Job().partition("debug,cpu").nodes(2).run(*policy);
    BOOST_TEST(outcome.warnings == std::vector<std::string>{"no --time given: set to 30 minutes"},
               boost::test_tools::per_element());
    BOOST_TEST_REQUIRE(outcome.changed.has_value());
    BOOST_TEST(outcome.changed->time_limit == TimeLimit{30});
}

BOOST_AUTO_TEST_SUITE_END()
