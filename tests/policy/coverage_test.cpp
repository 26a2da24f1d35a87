// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/test/coverage.hpp"

#include "support/plain_world.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

using Numbers = std::vector<int>;

Numbers code_lines_of(const std::string& source) {
    const auto lines = find_code_lines({"t.lua", source});
    BOOST_TEST_REQUIRE(lines.has_value());
    return *lines;
}

/// What is covered when these tests run over these files.
Coverage covered_by(const std::string& tests, std::vector<SourceFile> files) {
    const SourceDirectory directory{true, std::move(files), {{"tests/t.lua", tests}}};
    Coverage coverage = Coverage::of(directory).value();
    const auto policy = compile_policy(directory, {.coverage = &coverage});
    BOOST_TEST_REQUIRE(policy.has_value());
    PlainWorld world;
    const auto done = run_tests(**policy, directory.tests, {.world = &world, .coverage = &coverage},
                                [](const PolicyTest& /*test*/, const TestResult& result) {
                                    BOOST_TEST(result.has_passed(), text::join(result.problems, "; "));
                                });
    BOOST_TEST(done.has_value());
    return coverage;
}

constexpr const char* branching_rule = "-- a rule\n"
                                       "rule {\n"
                                       "    submit = function(job)\n"
                                       "        if job.nodes > 2 then\n"
                                       "            job:reject('no')\n"
                                       "        end\n"
                                       "        local function unused()\n"
                                       "            return 1\n"
                                       "        end\n"
                                       "    end,\n"
                                       "}\n";
constexpr const char* small_job = "test 's' { job = { nodes = 2 }, expect = { accept = true } }\n";
constexpr const char* large_job = "test 'l' { job = { nodes = 3 }, expect = { reject = true } }\n";

} // namespace

BOOST_AUTO_TEST_SUITE(coverage)

BOOST_AUTO_TEST_CASE(lines_of_code_are_found_in_all_functions) {
    BOOST_TEST(code_lines_of("") == Numbers());
    BOOST_TEST(code_lines_of("-- nothing\n\n") == Numbers());
    BOOST_TEST(code_lines_of("local a = 1\n\nlocal b = a + 2.5\n") == Numbers());
    BOOST_TEST(code_lines_of("local function f(...)\n  local x = ...\n\n  return 'a' .. x\nend\nf(1)") ==
               (Numbers{2, 4}));
    BOOST_TEST(
        code_lines_of(
            "return function()\n  return function()\n    return { true, nil, false, 7, 'x' }\n  end\nend") ==
        (Numbers{3, 4}));
}

BOOST_AUTO_TEST_CASE(lines_far_apart_are_found) {
    const std::string gap(300, '\n');
    BOOST_TEST(code_lines_of("local f = function() local a = 1" + gap + "local b = a end") ==
               (Numbers{1, 301}));
    std::string many = "local f = function()\n";
    Numbers all;
    for (int i = 2; i <= 1000; ++i) {
        many += "tostring('" + std::string(200, 'x') + "')\n";
        all.push_back(i);
    }
    BOOST_TEST(code_lines_of(many + "end") == all);
}

BOOST_AUTO_TEST_CASE(a_source_that_does_not_compile_has_none) {
    const auto lines = find_code_lines({"t.lua", "rule {"});

    BOOST_TEST_REQUIRE(!lines.has_value());
    BOOST_TEST(lines.error().message.starts_with("t.lua:1: "));
}

BOOST_AUTO_TEST_CASE(lines_that_no_test_runs_are_missed) {
    BOOST_TEST(covered_by(small_job, {{"a.lua", branching_rule}}).files().at(0).missed() == (Numbers{5, 8}));
    BOOST_TEST(covered_by(large_job, {{"a.lua", branching_rule}}).files().at(0).missed() == (Numbers{8, 9}));
    BOOST_TEST(
        covered_by(std::string(small_job) + large_job, {{"a.lua", branching_rule}}).files().at(0).missed() ==
        Numbers{8});
}

BOOST_AUTO_TEST_CASE(rules_are_counted_by_the_tests_that_run_them) {
    const char* stops = "rule { submit = function(job) if job.nodes > 2 then job:stop() end end }";
    const Coverage coverage =
        covered_by(std::string(small_job) + "test 'l' { job = { nodes = 3 }, expect = { accept = true } }",
                   {{"a.lua", stops},
                    {"b.lua", "rule { submit = function(job) job:note('x') end }"},
                    {"c.lua", "rule { modify = function(job) job:note('x') end }"}});
    BOOST_TEST(coverage.tests_of("a", JobEvent::submit) == 2u);
    BOOST_TEST(coverage.tests_of("b", JobEvent::submit) == 1u);
    BOOST_TEST(coverage.tests_of("c", JobEvent::submit) == 0u);
    BOOST_TEST(coverage.tests_of("a", JobEvent::modify) == 0u);
}

BOOST_AUTO_TEST_CASE(tests_of_new_jobs_and_of_changes_count_apart) {
    const Coverage coverage = covered_by(
        std::string(small_job) + large_job +
            "test 'c' { before = {}, job = { nodes = 2 }, expect = { accept = true } }",
        {{"a.lua", "rule { submit = function(job) if job.nodes > 2 then job:reject('no') end end }"},
         {"b.lua", "rule {\nsubmit = function(job)\nlocal x = job.nodes\nend,\n"
                   "modify = function(job)\nif job.nodes > 2 then\njob:reject('no')\nend\nend }"}});
    BOOST_TEST(coverage.tests_of("a", JobEvent::submit) == 2u);
    BOOST_TEST(coverage.tests_of("a", JobEvent::modify) == 1u);
    BOOST_TEST(coverage.tests_of("b", JobEvent::modify) == 1u);
    BOOST_TEST(coverage.tests_of("b", JobEvent::client) == 0u);
    BOOST_TEST(coverage.files().at(1).missed() == Numbers{7});
}

BOOST_AUTO_TEST_CASE(modules_are_covered) {
    const Coverage coverage = covered_by(
        small_job, {{"a.lua", "local m = require('m')\nrule { submit = function(job) m.used(job) end }"},
                    {"lib/m.lua", "local m = {}\nfunction m.used(job)\n  return job.nodes\nend\n"
                                  "function m.other()\n  return 2\nend\nreturn m\n"}});
    BOOST_TEST_REQUIRE(coverage.files().size() == 2u);
    BOOST_TEST(coverage.files()[0].lines == Numbers{2});
    BOOST_TEST(coverage.files()[0].missed() == Numbers());
    BOOST_TEST(coverage.files()[1].name == "lib/m.lua");
    BOOST_TEST(coverage.files()[1].lines == (Numbers{3, 6}));
    BOOST_TEST(coverage.files()[1].missed() == Numbers{6});
}

BOOST_AUTO_TEST_CASE(what_runs_when_files_load_does_not_count) {
    // Its function has a line with the code that makes the rule.
    const char* one_line = "rule { modify = function(job) job:note('x') end }";
    const Coverage coverage = covered_by(small_job, {{"a.lua", branching_rule}, {"b.lua", one_line}});

    BOOST_TEST(coverage.files().at(0).lines == (Numbers{4, 5, 8, 9}));
    BOOST_TEST(coverage.files().at(1).lines == Numbers{1});
    BOOST_TEST(coverage.files().at(1).missed() == Numbers{1});
}

BOOST_AUTO_TEST_CASE(budgets_hold_while_lines_are_noted) {
    const Coverage coverage =
        covered_by("test 'x' { expect = { fails = true, reject = 'more than 10000 instructions' } }",
                   {{"site.lua", "site { rule_instructions = 10000 }"},
                    {"a.lua", "rule { submit = function(job)\nwhile true do\nlocal x = 1\nend\nend }"}});
    BOOST_TEST(coverage.tests_of("a", JobEvent::submit) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
