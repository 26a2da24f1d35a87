// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much of an array runs at once under limits on running jobs.
#include "support/gate_setup.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;

namespace {

struct ArraySetup : test::GateSetup {
    ArraySetup() {
        request.submit_uid = request.user_id;
        qos(0).limits.set(CountLimit::max_jobs_per_user, 3);
    }
    std::string told(const char* array) {
        request.array = array;
        return text::join(decide().message, "\n");
    }
    void run(std::uint32_t jobs) { records.qos[0].users[1000].jobs = jobs; }
};

const std::string limit = "running jobs per user in QOS normal: limit 3";

} // namespace

BOOST_FIXTURE_TEST_SUITE(tasks_at_once, ArraySetup)

BOOST_AUTO_TEST_CASE(an_array_is_told_how_many_tasks_run_at_once) {
    BOOST_TEST(told("1-3") == "");
    BOOST_TEST(told("1-4") == "at most 3 tasks of this array can run at once: " + limit +
                                  ", this array has 4 tasks (QOSMaxJobsPerUserLimit)");
    run(2);
    BOOST_TEST(told("1") == "");
    BOOST_TEST(told("1-2") == "at most 1 task of this array can run at once: " + limit +
                                  ", running 2 (all yours), this array has 2 tasks (QOSMaxJobsPerUserLimit)");
    run(3);
    BOOST_TEST(told("1-2") == "this job will wait: " + limit +
                                  ", running 3 (all yours), this job is one more (QOSMaxJobsPerUserLimit)\n"
                                  "could start sooner with: --qos=moonlight");
}

BOOST_AUTO_TEST_CASE(an_array_that_runs_no_more_at_once_is_not_told) {
    BOOST_TEST(told("1-9%3") == "");
    BOOST_TEST(told("1-9%4") != "");
    BOOST_TEST(told("1-9%0") != ""); // no throttle
}

BOOST_AUTO_TEST_CASE(the_strictest_limit_is_told) {
    qos(0).limits.set(CountLimit::grp_jobs, 2);
    BOOST_TEST(told("1-4").starts_with("at most 2 tasks of this array can run at once: "));
    BOOST_TEST(told("1-4").ends_with("(QOSGrpJobsLimit)"));
}

BOOST_AUTO_TEST_CASE(an_array_that_starts_later_or_elsewhere_is_not_told) {
    request.begins_later = true;
    BOOST_TEST(told("1-4") == "");
    request.begins_later = false;
    request.partition = "main,viz";
    BOOST_TEST(told("1-4") == "");
}

BOOST_AUTO_TEST_SUITE_END()
