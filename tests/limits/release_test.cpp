// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/release.hpp"

#include <boost/test/unit_test.hpp>

using qg::limits::Release;

BOOST_AUTO_TEST_SUITE(releases)

BOOST_AUTO_TEST_CASE(a_branch_means_its_newest_state) {
    const Release branch = Release::parse("25.11").value();

    BOOST_TEST(branch > Release(25, 11, 1));
    BOOST_TEST(branch < Release(26, 5, 0));
    BOOST_TEST(Release::parse("25.11.1").value() == Release(25, 11, 1));
}

BOOST_AUTO_TEST_CASE(names_its_branch_as_people_do) {
    BOOST_TEST(Release(22, 5, 8).branch() == "22.05");
    BOOST_TEST(Release(24, 11).branch() == "24.11");
    BOOST_TEST(Release(22, 5, 8).text() == "22.05.8");
}

BOOST_AUTO_TEST_CASE(a_micro_release_is_compared_up_to_the_newest_that_was) {
    BOOST_TEST(qg::limits::is_compared({22, 5, 0}));
    BOOST_TEST(qg::limits::is_compared({22, 5, 11}));
    BOOST_TEST(!qg::limits::is_compared({22, 5, 12}));
    BOOST_TEST(qg::limits::is_compared({24, 11, 7}));
    BOOST_TEST(!qg::limits::is_compared({24, 11, 8}));
    BOOST_TEST(!qg::limits::is_compared({26, 11, 0})); // a branch that nobody has seen
}

BOOST_AUTO_TEST_CASE(reads_slurms_version_number) {
    BOOST_TEST(Release::from_version_number(0x160508) == Release(22, 5, 8));
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_known_release) {
    for (const char* wrong :
         {"", "22", "21.08", "22.04", "22.05.", "a.b", "24.11.1.1", "-1.2", "22.05x", "255.1"})
        BOOST_TEST_CONTEXT(wrong) {
            BOOST_TEST(!Release::parse(wrong).has_value());
        }
    BOOST_TEST(Release::parse("22.05.0").has_value());
}

BOOST_AUTO_TEST_CASE(a_rule_holds_from_its_first_release_to_the_last_before_its_end) {
    constexpr qg::limits::Rule rule{{25, 5, 6}, {25, 11, 0}, "1"};

    BOOST_TEST(!Release(25, 5, 5).follows(rule));
    BOOST_TEST(Release(25, 5, 6).follows(rule));
    BOOST_TEST(Release(25, 5).follows(rule));
    BOOST_TEST(!Release(25, 11, 0).follows(rule));
}

BOOST_AUTO_TEST_CASE(a_rule_without_end_holds_in_the_newest_release) {
    BOOST_TEST(qg::limits::newest_release.follows(qg::limits::rules::takes_qos_lists));
    BOOST_TEST(!Release(24, 5).follows(qg::limits::rules::takes_qos_lists));
}

BOOST_AUTO_TEST_SUITE_END()
