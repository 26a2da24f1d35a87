// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/refusals.hpp"

#include "support/policy_files.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

using qg::model::RejectCode;
using qg::plugin::answer_unreadable_change;
using qg::plugin::UnreadableChange;
namespace test = qg::test;

namespace {

const UnreadableChange by_user{17, 1001, /*by_operator=*/false, "its environment is too large"};
const UnreadableChange by_operator{17, 1002, /*by_operator=*/true, "its environment is too large"};

void expect_unchecked(const qg::model::Decision& decision, const char* by) {
    BOOST_TEST(decision.reject == RejectCode::none);
    BOOST_TEST(decision.message.empty());
    BOOST_TEST_REQUIRE(decision.log.size() == 1u);
    BOOST_TEST(decision.log[0].text ==
               std::string("unchecked change jobid=17 by=") + by + ": its environment is too large");
}

void expect_refused(const qg::model::Decision& decision) {
    BOOST_TEST(decision.reject == RejectCode::access_denied);
    BOOST_TEST_REQUIRE(decision.message.size() == 1u);
    BOOST_TEST(
        decision.message[0] ==
        "this change cannot be checked (its environment is too large); the site's rules require a check");
    BOOST_TEST_REQUIRE(decision.log.size() == 1u);
    BOOST_TEST(decision.log[0].text == "refused change jobid=17 by=1001: its environment is too large");
}

} // namespace

BOOST_AUTO_TEST_SUITE(unreadable_change)

BOOST_AUTO_TEST_CASE(limits_that_are_enforced_refuse_it_and_others_have_no_opinion) {
    expect_refused(answer_unreadable_change(by_user, *test::load_site("site { limits = 'enforce' }")));
    for (const char* level : {"explain", "off"})
        expect_unchecked(answer_unreadable_change(
                             by_user, *test::load_site("site { limits = '" + std::string(level) + "' }")),
                         "1001");
}

BOOST_AUTO_TEST_CASE(a_rule_that_enforces_refuses_it_and_one_that_warns_does_not) {
    const auto rule = [](const std::string& mode) {
        return test::load_rule("rule { mode = '" + mode + "', submit = function(job) end }");
    };
    expect_refused(answer_unreadable_change(by_user, *rule("enforce")));
    expect_unchecked(answer_unreadable_change(by_user, *rule("warn")), "1001");
}

BOOST_AUTO_TEST_CASE(it_is_refused_only_for_what_it_sets) {
    UnreadableChange of_comment = by_user;
    of_comment.parts = {qg::model::UpdatePart::comment};
    expect_unchecked(answer_unreadable_change(of_comment, *test::load_site("site { limits = 'enforce' }")),
                     "1001");
    const auto rule = [](const std::string& field) {
        return test::load_rule("rule { submit = function(job) local x = job." + field + " end }");
    };
    expect_unchecked(answer_unreadable_change(of_comment, *rule("name")), "1001");
    expect_refused(answer_unreadable_change(of_comment, *rule("comment")));
}

BOOST_AUTO_TEST_CASE(an_operator_is_never_refused) {
    expect_unchecked(answer_unreadable_change(by_operator, *test::load_site("site { limits = 'enforce' }")),
                     "1002");
    expect_unchecked(
        answer_unreadable_change(by_operator, *test::load_rule("rule { submit = function(job) end }")),
        "1002");
}

BOOST_AUTO_TEST_CASE(a_refusal_says_whom_to_ask) {
    const auto policy = test::load_site("site { limits = 'enforce', contact = 'help@hpc' }");
    const auto decision = answer_unreadable_change(by_user, *policy);
    BOOST_TEST_REQUIRE(decision.message.size() == 2u);
    BOOST_TEST(decision.message[1] == "questions: help@hpc");
    expect_unchecked(answer_unreadable_change(by_operator, *policy), "1002");
}

BOOST_AUTO_TEST_SUITE_END()
