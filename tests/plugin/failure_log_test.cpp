// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/failure_log.hpp"

#include "fake_host.hpp"

#include <boost/test/unit_test.hpp>

using qg::plugin::FailureLog;
using qg::test::take_log;
using Lines = std::vector<std::string>;

namespace {

struct Log {
    Log() { take_log(); }
    FailureLog failures{"cluster data"};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(failure_log, Log)

BOOST_AUTO_TEST_CASE(one_failure_is_tried_again_and_not_logged) {
    BOOST_TEST(!failures.is_failing());
    failures.failed("no answer");
    BOOST_TEST(failures.is_failing());
    BOOST_TEST(failures.has_failed_once());
    failures.succeeded();
    BOOST_TEST(!failures.is_failing());
    BOOST_TEST(take_log() == Lines{}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_second_failure_in_a_row_and_its_end_are_one_line_each) {
    for (int i = 0; i < 2; ++i) {
        failures.failed("no answer");
        failures.failed("still no answer");
        failures.failed("and again");
        BOOST_TEST(failures.is_failing());
        BOOST_TEST(!failures.has_failed_once());
        failures.succeeded();
        failures.succeeded();
        const Lines expected{"error: job_submit/qosgate: cluster data: still no answer; trying again",
                             "info: job_submit/qosgate: cluster data: available again"};
        BOOST_TEST(take_log() == expected, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_SUITE_END()
