// SPDX-License-Identifier: GPL-2.0-or-later
//
// Jobs that may start with less time (--time-min), under minutes limits.
#include "support/policy_files.hpp"
#include "support/suggestion_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;
using model::TresLimit;

namespace {

/// Eight CPUs may run for an hour; the job asks for 90 minutes.
struct TimeMinSetup : test::SuggestionSetup {
    TimeMinSetup() {
        qos(0).flags.deny_on_limit = false;
        qos(0).limits.set(TresLimit::max_tres_mins_per_job, tres("cpu"), 480);
        ask(8, std::nullopt);
        request.time_limit = TimeLimit{90};
    }
    std::string told() const {
        const auto lines = decide().message;
        return lines.empty() ? "" : lines.front();
    }
    RejectCode enforced() const {
        return decide(test::load_site("site { limits = 'enforce' }").get()).reject;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(time_min, TimeMinSetup)

BOOST_AUTO_TEST_CASE(a_job_starts_with_the_least_time_that_minutes_allow) {
    BOOST_TEST(told().starts_with("this job can never start"));
    BOOST_TEST(enforced() == RejectCode::accounting_policy);

    request.time_min = TimeLimit{60};
    BOOST_TEST(told() == "");
    BOOST_TEST(enforced() == RejectCode::none);
    request.time_limit = TimeLimit::unlimited();
    BOOST_TEST(told() == "");
    request.time_limit.reset();
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_CASE(a_minute_more_keeps_it_from_starting) {
    request.time_min = TimeLimit{61};
    BOOST_TEST(told() == "this job can never start as it is: CPU minutes per job in QOS normal: limit 480, "
                         "this job asks for 488 (8 CPUs for 01:01:00 of --time-min) "
                         "(QOSMaxCpuMinutesPerJobLimit)");
    BOOST_TEST(enforced() == RejectCode::accounting_policy);
    BOOST_TEST(nearest() == "--time=01:00:00 --time-min=01:00:00");
}

BOOST_AUTO_TEST_CASE(a_submission_that_is_refused_counts_the_whole_time) {
    request.time_min = TimeLimit{60};
    qos(0).flags.deny_on_limit = true;
    BOOST_TEST(forecast().code == RejectCode::accounting_policy);
    BOOST_TEST(nearest() == "--time=01:00:00");
    request.time_limit = TimeLimit{60};
    BOOST_TEST(forecast().code == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(what_is_enforced_for_something_else_tells_no_minutes) {
    request.time_min = TimeLimit{30};
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 8);
    ask(9, std::nullopt);
    const auto decision = decide(test::load_site("site { limits = 'enforce' }").get());
    const std::vector<std::string> expected{
        "QOS normal does not allow this job:",
        "  CPUs per job: limit 8, this job asks for 9 (QOSMaxCpuPerJobLimit)",
        "would be accepted with: --ntasks=8",
    };
    BOOST_TEST(decision.message == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(parts_of_heterogeneous_jobs_and_jobs_with_a_deadline_get_their_whole_time) {
    request.time_min = TimeLimit{30};
    BOOST_TEST(told() == "");
    request.minutes_to_deadline = 600;
    BOOST_TEST(told().starts_with("this job can never start"));
    request.minutes_to_deadline.reset();
    request.is_het_part = true;
    BOOST_TEST(told().starts_with("this job can never start"));
}

BOOST_AUTO_TEST_CASE(the_least_time_counts_below_the_time_of_the_partition) {
    partitions[0].max_time = TimeLimit{60};
    request.time_min = TimeLimit{59};
    BOOST_TEST(told() == "");
    request.time_min = TimeLimit{60};
    BOOST_TEST(told().starts_with("this job can never start"));
    partitions[0].max_time = TimeLimit{61};
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_CASE(walls_are_compared_with_the_whole_time) {
    request.time_min = TimeLimit{30};
    qos(0).limits.set(model::CountLimit::max_wall, 90);
    BOOST_TEST(told() == "");
    qos(0).limits.set(model::CountLimit::max_wall, 89);
    BOOST_TEST(told().starts_with("this job can never start as it is: wall time per job"));
}

BOOST_AUTO_TEST_SUITE_END()
