// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each check of lint finds its mistake, and nothing in the twin.
#include "lint_cases.hpp"

#include <set>

using namespace qg;
using namespace qg::test;

BOOST_AUTO_TEST_SUITE(lint)

BOOST_AUTO_TEST_CASE(nothing_is_found_in_a_cluster_without_a_mistake) {
    for (const Finding& finding : find([](LintInput&) {}))
        BOOST_TEST(finding.text == "");
}

BOOST_AUTO_TEST_CASE(each_check_finds_its_mistake_and_not_its_twin) {
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        const Case& each = cases[i];
        BOOST_TEST_CONTEXT(each.code << ", case " << i) {
            BOOST_TEST(has(find(each.broken), each.code));
            BOOST_TEST(!has(find(each.clean), each.code));
        }
    }
}

BOOST_AUTO_TEST_CASE(each_check_has_a_case_and_a_code_of_its_own) {
    std::set<std::string_view> codes;
    for (const report::LintCheck& check : report::lint_checks()) {
        BOOST_TEST_CONTEXT(check.code) {
            BOOST_TEST(codes.insert(check.code).second);
            const auto tests = [&](const Case& each) { return each.code == check.code; };
            BOOST_TEST(std::ranges::any_of(cases, tests));
        }
    }
}

// With a search from each QOS this would take an hour.
BOOST_AUTO_TEST_CASE(a_long_chain_of_preempt_is_followed_once) {
    constexpr int length = 100'000;
    report::LintInput input;
    for (int i = 0; i < length; ++i) {
        model::QosRecord& qos = input.qos.emplace_back();
        qos.name = std::to_string(i + length);
        if (i + 1 < length) qos.preempt = {std::to_string(i + 1 + length)};
    }
    std::vector<Finding> found;
    report::Findings findings("preemption-loop", found);

    report::lint::preemption_loop(input, findings);
    BOOST_TEST(found.empty());
    input.qos.back().preempt = {input.qos.front().name};
    report::lint::preemption_loop(input, findings);
    BOOST_TEST(found.size() == 1u);
}

BOOST_AUTO_TEST_CASE(an_ignored_check_finds_nothing) {
    for (const Case& each : cases)
        BOOST_TEST(!has(find(each.broken, {each.code}), each.code));
    BOOST_TEST(has(find(cases[0].broken, {"zero-limit"}), cases[0].code));
}

BOOST_AUTO_TEST_SUITE_END()
