// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/directory_findings.hpp"
#include "support/policy_test_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <iterator>
#include <set>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

BOOST_AUTO_TEST_SUITE(shipped_tests)

BOOST_AUTO_TEST_CASE(the_shipped_rules_pass_theirs) {
    // These two are often used together: then each must do the same as alone.
    const std::set<std::string> companions{"default-qos.lua", "short-gpu-jobs.lua"};
    SourceDirectory rules{true, {}};
    SourceDirectory pair{true, {}};
    for (const auto& file : fs::directory_iterator(QG_RULES_DIRECTORY)) {
        if (!file.is_regular_file()) continue;
        std::ifstream in(file.path());
        rules.files.push_back({file.path().filename().string(), {std::istreambuf_iterator<char>(in), {}}});
        if (companions.contains(rules.files.back().name)) pair.files.push_back(rules.files.back());
    }
    std::ranges::sort(pair.files, {}, &SourceFile::name);
    const auto together = compile_policy(pair);
    BOOST_TEST_REQUIRE(together.has_value());
    const auto read = read_all_sources(QG_RULES_DIRECTORY, {.is_needed = false});
    BOOST_TEST_REQUIRE(read.has_value());
    std::vector<PolicyTest> tests;
    for (const SourceFile& file : read->sources.tests)
        std::ranges::move(read_tests(file).value(), std::back_inserter(tests));
    for (const SourceFile& rule : rules.files) {
        SourceDirectory directory{true, {rule}};
        std::ranges::copy_if(read->sources.files, std::back_inserter(directory.files),
                             [](const SourceFile& file) { return kind_of(file.name) == SourceKind::data; });
        const auto alone = compile_policy(std::move(directory));
        BOOST_TEST_REQUIRE(alone.has_value());
        std::size_t count = 0;
        for (const PolicyTest& one : tests) {
            if (one.file != "tests/" + rule.name) continue;
            ++count;
            for (const auto& policy : {*alone, companions.contains(rule.name) ? *together : *alone}) {
                const TestResult result = run_alone(*policy, one);
                BOOST_TEST(result.has_passed(), one.name + ": " + text::join(result.problems, "; "));
            }
        }
        BOOST_TEST(count > 5u, rule.name);
    }
}

BOOST_AUTO_TEST_SUITE_END()
