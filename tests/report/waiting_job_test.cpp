// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/waiting_job.hpp"

#include "queue_setup.hpp"

using namespace qg;
using model::TresLimit;

namespace {

struct WaitingJobSetup : test::QueueSetup {
    report::JobStanding standing(const model::QueuedJob& job) const {
        const auto known = world();
        return report::find_standing(job, {.world = known, .holding = {}, .reader = ana, .release = release});
    }
    /// How a job with this Reason is explained.
    report::WaitingJob explain(model::QueuedJob job, const char* reason) const {
        job.reason = reason;
        const auto known = world();
        return report::explain_waiting(
            job, {.world = known, .holding = {}, .reader = ana, .release = release, .seeks_changes = false});
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(waiting_job, WaitingJobSetup)

BOOST_AUTO_TEST_CASE(a_job_above_a_limit_of_each_job_is_blocked_for_good) {
    limit_cpus(TresLimit::max_tres_per_job, 4);
    const auto above = standing(pending(5));
    BOOST_TEST(above.is_known);
    BOOST_TEST(above.is_blocked);
    BOOST_TEST(above.is_blocked_for_good);
    BOOST_TEST(test::first_line(above.texts).find("limit 4, this job asks for 5") != std::string::npos);
    const auto at = standing(pending(4));
    BOOST_TEST(at.is_known);
    BOOST_TEST(!at.is_blocked);
    BOOST_TEST(!at.is_blocked_for_good);
    BOOST_TEST(at.texts.empty());
}

BOOST_AUTO_TEST_CASE(a_job_that_others_leave_no_room_is_blocked_for_now) {
    limit_cpus(TresLimit::grp_tres, 8);
    use_cpus(4);
    const auto above = standing(pending(5));
    BOOST_TEST(above.is_blocked);
    BOOST_TEST(!above.is_blocked_for_good);
    BOOST_TEST(!standing(pending(4)).is_blocked);
    BOOST_TEST(standing(pending(9)).is_blocked_for_good);
}

BOOST_AUTO_TEST_CASE(a_qos_that_was_taken_away_may_not_be_used) {
    BOOST_TEST(standing(pending(1)).may_use_qos);
    records.associations.at(0).permitted_qos = {{"moonlight"}};
    BOOST_TEST(!standing(pending(1)).may_use_qos);
    model::QueuedJob unknown = pending(1);
    unknown.request.qos = "nosuch";
    BOOST_TEST(!standing(unknown).may_use_qos);
}

BOOST_AUTO_TEST_CASE(a_reason_is_explained_by_the_limit_that_blocks_the_job) {
    limit_cpus(TresLimit::max_tres_per_job, 4);
    const auto above = explain(pending(5), "QOSMaxCpuPerJobLimit");
    BOOST_TEST_REQUIRE(above.reasons.size() == 1u);
    BOOST_TEST(above.reasons.front().is_of_limit);
    BOOST_TEST_REQUIRE(above.reasons.front().limit.has_value());
    const report::HeldLimit& limit = *above.reasons.front().limit;
    BOOST_TEST(limit.set_by == "QOS normal");
    BOOST_TEST(limit.tres == "cpu");
    BOOST_TEST(limit.value == 4u);
    BOOST_TEST(limit.asked.value() == 5u);
    BOOST_TEST(limit.is_permanent);
    BOOST_TEST(above.also.empty());

    const auto at = explain(pending(4), "QOSMaxCpuPerJobLimit"); // it was raised a moment ago
    BOOST_TEST_REQUIRE(at.reasons.size() == 1u);
    BOOST_TEST_REQUIRE(at.reasons.front().limit.has_value());
    BOOST_TEST(!at.reasons.front().limit->asked.has_value());
    BOOST_TEST(!at.reasons.front().limit->is_permanent);
}

BOOST_AUTO_TEST_CASE(limits_behind_another_reason_are_told_beside_it) {
    limit_cpus(TresLimit::max_tres_per_job, 4);
    const auto above = explain(pending(5), "Priority");
    BOOST_TEST(!above.reasons.front().is_of_limit);
    BOOST_TEST(test::first_line(above.also).find("limit 4, this job asks for 5") != std::string::npos);
    BOOST_TEST(explain(pending(4), "Priority").also.empty());
}

BOOST_AUTO_TEST_SUITE_END()
