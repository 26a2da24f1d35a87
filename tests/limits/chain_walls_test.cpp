// SPDX-License-Identifier: GPL-2.0-or-later
//
// The walls of a chain of associations, and the time that one of them gives (limits/README.md 4.2).
#include "qosgate/base/text.hpp"
#include "qosgate/limits/schedule.hpp"
#include "qosgate/limits/submit.hpp"
#include "support/scenarios.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using test::make_scenario;

namespace {

constexpr const char* no_time = R"({"time_limit": null})";

/// The verdict on a job whose account and user have these limits.
limits::ScheduleVerdict schedule(const char* user, const char* account, const char* enforce, const char* job,
                                 const char* qos) {
    const auto s = make_scenario(qos, job,
                                 text::format(R"({{"enforce": ["associations", {}], "associations": [
            {{"level": "user", "user": 1000, "account": "acct", {}}},
            {{"level": "account", "account": "acct", {}}},
            {{"level": "root", "account": "root"}}]}})",
                                              enforce, user, account));
    const auto submitted = limits::evaluate_submit(s.view, s.job, limits::newest_release);
    BOOST_TEST_REQUIRE(submitted.accepted());
    return limits::evaluate_schedule(s.view, s.job, submitted.time_limit, submitted.time_set_by_limit,
                                     limits::newest_release);
}

/// The Reason that holds a job at pre-select; "ok": none.
std::string held_by(const char* user, const char* account, const char* enforce = R"("limits", "safe")",
                    const char* job = no_time, const char* qos = "{}") {
    const auto verdict = schedule(user, account, enforce, job, qos);
    return verdict.passed_pre_select() ? "ok" : std::string(verdict.pre_select.front().reason);
}

} // namespace

BOOST_AUTO_TEST_SUITE(chain_walls)

BOOST_AUTO_TEST_CASE(the_nearest_wall_gives_the_time_and_those_above_compare_with_it) {
    BOOST_TEST(held_by(R"("GrpWall": 60)", R"("GrpWall": 60)") == "ok");
    BOOST_TEST(held_by(R"("GrpWall": 60)", R"("GrpWall": 600)") == "ok");
    BOOST_TEST(held_by(R"("GrpWall": 61)", R"("GrpWall": 60)") == "AssocGrpWallLimit");
    BOOST_TEST(held_by(R"("GrpWall": 600)", R"("GrpWall": 60)") == "AssocGrpWallLimit");
    // Without `safe` only what is used counts.
    BOOST_TEST(held_by(R"("GrpWall": 600)", R"("GrpWall": 60)", R"("limits")") == "ok");
}

BOOST_AUTO_TEST_CASE(both_walls_of_one_association_give_the_time) {
    BOOST_TEST(held_by(R"("GrpWall": 600, "MaxWall": 60)", R"("GrpWall": 60)") == "ok");
    BOOST_TEST(held_by(R"("GrpWall": 60, "MaxWall": 600)", R"("GrpWall": 60)") == "ok");
    BOOST_TEST(held_by(R"("MaxWall": 60)", R"("GrpWall": 60)") == "ok");
    BOOST_TEST(held_by(R"("MaxWall": 61)", R"("GrpWall": 60)") == "AssocGrpWallLimit");
}

BOOST_AUTO_TEST_CASE(an_account_alone_gives_the_time_itself) {
    BOOST_TEST(held_by(R"("GrpJobs": 9)", R"("GrpWall": 60)") == "ok");
}

BOOST_AUTO_TEST_CASE(a_time_of_its_own_is_compared_with_each) {
    BOOST_TEST(held_by(R"("GrpWall": 600)", R"("GrpWall": 60)", R"("limits", "safe")",
                       R"({"time_limit": 60})") == "ok");
    BOOST_TEST(held_by(R"("GrpWall": 600)", R"("GrpWall": 60)", R"("limits", "safe")",
                       R"({"time_limit": 61})") == "AssocGrpWallLimit");
}

BOOST_AUTO_TEST_CASE(an_unlimited_time_waits_until_some_wall_time_is_used) {
    const auto wait = [](const char* limits, const char* job, const char* enforce = R"("limits", "safe")") {
        const auto verdict = schedule(limits, R"("GrpJobs": 9)", enforce, job, "{}");
        return verdict.passed_pre_select()                 ? "ok"
               : verdict.pre_select.front().is_permanent() ? "never"
                                                           : "waits";
    };
    const char* unlimited = R"({"time_limit": "UNLIMITED"})";
    BOOST_TEST(wait(R"("GrpWall": 60)", unlimited) == "waits");
    BOOST_TEST(wait(R"("GrpWall": 60, "usage": {"wall_minutes": 1})", unlimited) == "ok");
    BOOST_TEST(wait(R"("GrpWall": 60, "usage": {"wall_minutes": 60})", unlimited) == "waits");
    BOOST_TEST(wait(R"("GrpWall": 1)", unlimited) == "never"); // once a minute is used, all is
    BOOST_TEST(wait(R"("GrpWall": 60)", R"({"time_limit": 61})") == "never");
    BOOST_TEST(wait(R"("GrpWall": 60)", unlimited, R"("limits")") == "ok");
}

BOOST_AUTO_TEST_CASE(a_time_of_the_qos_is_trimmed_by_the_nearest_wall) {
    const char* qos = R"({"MaxWall": 600})";
    const char* safe = R"("limits", "safe")";
    BOOST_TEST(held_by(R"("GrpJobs": 9)", R"("GrpWall": 60)", safe, no_time, qos) == "ok");
    BOOST_TEST(held_by(R"("GrpWall": 90)", R"("GrpWall": 60)", safe, no_time, qos) == "AssocGrpWallLimit");
}

BOOST_AUTO_TEST_SUITE_END()
