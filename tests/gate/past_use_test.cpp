// SPDX-License-Identifier: GPL-2.0-or-later
//
// Suggestions for minutes and wall time that were used in the past. Such usage may take days to decay.
#include "support/suggestion_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::TresLimit;

namespace {

/// AccountingStorageEnforce=safe, and a job of 10 CPUs.
struct PastUseSetup : test::SuggestionSetup {
    PastUseSetup() {
        records.enforce.safe = true;
        ask(10, std::nullopt);
        request.min_nodes.reset();
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(past_use, PastUseSetup)

BOOST_AUTO_TEST_CASE(less_time_is_offered_where_the_limit_itself_leaves_too_little) {
    qos(0).limits.set(TresLimit::grp_tres_mins, tres("cpu"), 600);
    request.time_limit = TimeLimit{61};
    BOOST_TEST(nearest() == "--time=01:00:00");

    qos(0).usage.tres_minutes = model::TresCounts{50};
    BOOST_TEST(nearest() == "--time=00:55:00");
    qos(0).usage.tres_minutes = model::TresCounts{590};
    BOOST_TEST(nearest() == "--time=00:01:00");
    qos(0).usage.tres_minutes = model::TresCounts{591};
    BOOST_TEST(nearest() == "none");
    qos(0).usage.tres_minutes = model::TresCounts{600};
    BOOST_TEST(nearest() == "none");

    records.enforce.safe = false; // then it starts while something is left
    BOOST_TEST(nearest() == "none");
    qos(0).usage.tres_minutes = model::TresCounts{599};
    BOOST_TEST(nearest() == "--time=01:00:00");
}

BOOST_AUTO_TEST_CASE(what_running_jobs_have_reserved_comes_back) {
    qos(0).limits.set(TresLimit::grp_tres_mins, tres("cpu"), 600);
    qos(0).usage.tres_minutes = model::TresCounts{50};
    qos(0).usage.tres_run_minutes = model::TresCounts{500};
    request.time_limit = TimeLimit{61};
    BOOST_TEST(nearest() == "--time=00:55:00");
}

BOOST_AUTO_TEST_CASE(a_job_without_time_gets_one_that_the_wall_time_left_allows) {
    model::Association& user = records.associations[0].link;
    user.limits = model::Limits(records.tres->size());
    user.limits.set(CountLimit::grp_wall, 60);
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 4);
    BOOST_TEST(nearest() == "--ntasks=4"); // for an hour, which is all that the limit allows

    user.usage.wall_minutes = 1;
    BOOST_TEST(nearest() == "--ntasks=4 --time=00:59:00");
    user.usage.wall_minutes = 59;
    BOOST_TEST(nearest() == "--ntasks=4 --time=00:01:00");
    user.usage.wall_minutes = 60;
    BOOST_TEST(nearest() == "none");

    records.enforce.safe = false;
    BOOST_TEST(nearest() == "none");
    user.usage.wall_minutes = 59;
    BOOST_TEST(nearest() == "--ntasks=4");
}

BOOST_AUTO_TEST_CASE(nothing_is_offered_that_starts_only_while_some_wall_time_is_used) {
    records.associations[0].permitted_qos = {{"normal", "moonlight"}};
    model::Association& user = records.associations[0].link;
    user.limits = model::Limits(records.tres->size());
    user.limits.set(CountLimit::grp_wall, 60);
    qos(0).limits.set(CountLimit::max_wall, 30);
    qos(1).flags.deny_on_limit = false;
    request.time_limit = TimeLimit::unlimited();
    user.usage.wall_minutes = 2; // 2^32 - 1 + 2 minutes overflow to one minute
    BOOST_TEST(nearest() == "--time=00:30:00");
    BOOST_TEST(suggestion().find("--qos=moonlight") == std::string::npos);

    request.time_limit = TimeLimit{58};
    BOOST_TEST(suggestion().find("--qos=moonlight") != std::string::npos);
    request.time_limit = TimeLimit{59};
    BOOST_TEST(suggestion().find("--qos=moonlight") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_strictest_of_several_limits_on_time_decides_in_any_order) {
    qos(0).limits.set(CountLimit::max_wall, 30);
    qos(0).limits.set(CountLimit::grp_wall, 60);
    request.time_limit = TimeLimit{90};
    BOOST_TEST(nearest() == "--time=00:30:00");
    qos(0).limits.set(CountLimit::max_wall, 60);
    qos(0).limits.set(CountLimit::grp_wall, 30);
    BOOST_TEST(nearest() == "--time=00:30:00");
    qos(0).limits.set(TresLimit::max_tres_mins_per_job, tres("cpu"), 200);
    BOOST_TEST(nearest() == "--time=00:20:00");
}

BOOST_AUTO_TEST_CASE(no_other_qos_is_offered_whose_minutes_are_used_up) {
    records.associations[0].permitted_qos = {{"normal", "moonlight"}};
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("node"), 0); // no size is small enough
    qos(1).limits.set(TresLimit::grp_tres_mins, tres("cpu"), 600);
    qos(1).usage.tres_minutes = model::TresCounts{599};
    request.time_limit = TimeLimit{60};
    records.enforce.safe = false;
    BOOST_TEST(nearest() == "--qos=moonlight");
    qos(1).usage.tres_minutes = model::TresCounts{600};
    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_SUITE_END()
