// SPDX-License-Identifier: GPL-2.0-or-later
//
// Senders whose requests a rule does not look at.
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::policy;
using namespace qg::test;

namespace {

bool is_exempt(const std::string& list, const Job& job) {
    const auto policy = policy_of({{"t.lua", rule_with("job:reject('no')", "exempt = {" + list + "},")}});
    const bool is_rejected = policy->run(job.request, job.facts()).rejected;
    BOOST_TEST(job.change_from(job, *policy).rejected == is_rejected); // the same at a change
    return !is_rejected;
}

/// Ana's job, sent by a user.
Job sent_by(std::uint32_t user_id) {
    Job job;
    job.request.submit_uid = user_id;
    return job;
}

} // namespace

BOOST_AUTO_TEST_SUITE(exempt)

BOOST_AUTO_TEST_CASE(root_is_exempt_if_the_rule_says_so) {
    BOOST_TEST(is_exempt("'root'", sent_by(0)));
    BOOST_TEST(!is_exempt("'root'", sent_by(1000)));
    BOOST_TEST(!is_exempt("'root'", sent_by(1)));
    BOOST_TEST(!is_exempt("'ben'", sent_by(0)));
    BOOST_TEST(!is_exempt("", sent_by(0)));
}

BOOST_AUTO_TEST_CASE(operators_are_exempt_and_root_with_them) {
    Job by_operator = sent_by(1500);
    by_operator.sender.is_one = true;
    BOOST_TEST(is_exempt("'operators'", by_operator));
    BOOST_TEST(is_exempt("'operators'", sent_by(0)));
    BOOST_TEST(!is_exempt("'operators'", sent_by(1500))); // no operator, or not known yet
    BOOST_TEST(!is_exempt("'root'", by_operator));
}

BOOST_AUTO_TEST_CASE(a_named_user_is_exempt_for_own_jobs) {
    BOOST_TEST(is_exempt("'ana'", sent_by(1000)));
    BOOST_TEST(is_exempt("'ben', 'ana'", sent_by(1000)));
    BOOST_TEST(!is_exempt("'ben'", sent_by(1000)));
    BOOST_TEST(!is_exempt("'an'", sent_by(1000)));
    BOOST_TEST(!is_exempt("'ana'", sent_by(1001))); // somebody else sends ana's job
}

BOOST_AUTO_TEST_CASE(an_unknown_user_is_not_exempt) {
    Job job = sent_by(1000);
    job.user_name = "";
    BOOST_TEST(!is_exempt("'ana'", job));
}

BOOST_AUTO_TEST_CASE(other_rules_still_run) {
    const auto policy = policy_of({{"a.lua", rule_with("job:reject('a')", "exempt = {'ana'},")},
                                   {"b.lua", rule_with("job:reject('b')")}});
    BOOST_TEST(Job().run(*policy).reject_message == "b");
}

BOOST_AUTO_TEST_CASE(only_a_rule_that_exempts_operators_asks_for_them) {
    const auto asked = [](const char* more) {
        const Job job = sent_by(1000);
        static_cast<void>(one_rule("", more)->run(job.request, job.facts()));
        return job.sender.asked;
    };
    BOOST_TEST(asked("exempt = {'operators'},") == 1);
    BOOST_TEST(asked("exempt = {'root', 'ana'},") == 0);
    BOOST_TEST(asked("") == 0);
}

BOOST_AUTO_TEST_CASE(two_rules_that_exempt_operators_ask_once) {
    const auto policy = policy_of({{"a.lua", rule_with("job:warn('a')", "exempt = {'operators'},")},
                                   {"b.lua", rule_with("job:warn('b')", "exempt = {'operators'},")}});
    for (const bool is_operator : {false, true}) {
        Job job = sent_by(1000);
        job.sender.is_one = is_operator;
        BOOST_TEST(job.run(*policy).warnings.size() == (is_operator ? 0u : 2u));
        BOOST_TEST(job.sender.asked == 1);
    }
}

BOOST_AUTO_TEST_SUITE_END()
