// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/submit.hpp"
#include "support/scenarios.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using limits::Release;
using test::make_scenario;

namespace {

constexpr Release release(22, 5);

limits::SubmitVerdict judge(const quota::Scenario& s, Release rules = release,
                            limits::Strictness strictness = limits::Strictness::as_configured) {
    return limits::evaluate_submit(s.view, s.job, rules, strictness);
}

/// The Reason of the first violation, or "ok".
std::string reason(const quota::Scenario& s, Release rules = release) {
    const auto verdict = judge(s, rules);
    return verdict.accepted() ? "ok" : std::string(verdict.violations.front().reason);
}

/// A strict QOS with one more key.
std::string deny(const std::string& limits) {
    return R"({"flags": ["DenyOnLimit"], )" + limits + "}";
}

} // namespace

BOOST_AUTO_TEST_SUITE(submit)

BOOST_AUTO_TEST_CASE(rejects_above_a_limit_and_accepts_at_it) {
    const std::string qos = deny(R"("MaxTRESPerJob": {"cpu": 8})");

    BOOST_TEST(reason(make_scenario(qos, R"({"tres": {"cpu": 9, "node": 1}})")) == "QOSMaxCpuPerJobLimit");
    BOOST_TEST(reason(make_scenario(qos, R"({"tres": {"cpu": 8, "node": 1}})")) == "ok");
}

BOOST_AUTO_TEST_CASE(accepts_above_a_limit_without_deny_on_limit) {
    BOOST_TEST(reason(make_scenario(R"({"MaxTRESPerJob": {"cpu": 8}})",
                                    R"({"tres": {"cpu": 9, "node": 1}})")) == "ok");
}

BOOST_AUTO_TEST_CASE(assume_strict_rejects_where_deny_on_limit_would) {
    const auto s = make_scenario(R"({"MaxTRESPerJob": {"cpu": 8}})", R"({"tres": {"cpu": 9, "node": 1}})");

    BOOST_TEST(!judge(s, release, limits::Strictness::assume_strict).accepted());
}

BOOST_AUTO_TEST_CASE(each_of_two_limits_has_its_own_reason) {
    const std::string both = R"("GrpTRES": {"cpu": 4}, "MaxTRESPerUser": {"cpu": 2})";
    const auto verdict = judge(make_scenario(deny(both), R"({"tres": {"cpu": 5, "node": 1}})"));

    BOOST_TEST_REQUIRE(verdict.violations.size() == 2u);
    BOOST_TEST(verdict.violations[0].reason == "QOSMaxCpuPerUserLimit"); // that of slurmctld
    BOOST_TEST(verdict.violations[1].reason == "QOSGrpCpuLimit");
}

BOOST_AUTO_TEST_CASE(a_limit_of_zero_binds_only_jobs_that_ask) {
    const std::string qos = deny(R"("MaxTRESPerJob": {"gres/gpu": 0})");

    BOOST_TEST(reason(make_scenario(qos, R"({"tres": {"cpu": 1, "node": 1, "gres/gpu": 1}})")) ==
               "QOSMaxGRESPerJob");
    BOOST_TEST(reason(make_scenario(qos)) == "ok");
}

BOOST_AUTO_TEST_CASE(a_minimum_binds_jobs_that_ask_for_nothing) {
    BOOST_TEST(reason(make_scenario(deny(R"("MinTRESPerJob": {"gres/gpu": 1})"))) == "QOSMinGRES");
    BOOST_TEST(reason(make_scenario(deny(R"("MinTRESPerJob": {"gres/gpu": 0})"))) == "ok");
}

BOOST_AUTO_TEST_CASE(counts_per_node_are_cut_to_whole_numbers) {
    const std::string qos = deny(R"("MaxTRESPerNode": {"cpu": 8})");

    BOOST_TEST(reason(make_scenario(qos, R"({"tres": {"cpu": 17, "node": 2}})")) == "ok");
    BOOST_TEST(reason(make_scenario(qos, R"({"tres": {"cpu": 18, "node": 2}})")) == "QOSMaxCpuPerNode");
}

BOOST_AUTO_TEST_CASE(lists_every_violation_in_slurms_order) {
    const auto s = make_scenario(deny(R"("MaxTRESPerUser": {"gres/gpu": 2}, "MaxWall": 480)"),
                                 R"({"time_limit": 600, "tres": {"cpu": 1, "node": 1, "gres/gpu": 3}})");

    const auto verdict = judge(s);

    BOOST_TEST_REQUIRE(verdict.violations.size() == 2u);
    BOOST_TEST(verdict.violations[0].reason == "QOSMaxGRESPerUser");
    BOOST_TEST(verdict.violations[0].asked == 3u);
    BOOST_TEST(verdict.violations[0].limit_value == 2u);
    BOOST_TEST(verdict.violations[1].reason == "QOSMaxWallDurationPerJobLimit");
}

BOOST_AUTO_TEST_CASE(one_violation_in_two_partitions_is_listed_once) {
    const auto s =
        make_scenario(deny(R"("MaxWall": 60)"), R"({"time_limit": 61, "partitions": ["p1", "p2"]})",
                      R"({"partitions": [{"name": "p1"}, {"name": "p2"}]})");

    BOOST_TEST(judge(s).violations.size() == 1u);
}

BOOST_AUTO_TEST_CASE(submit_counts_reject_without_deny_on_limit_and_count_array_tasks) {
    const std::string qos =
        R"({"MaxSubmitJobsPerUser": 4, "usage": {"users": {"1000": {"submit_jobs": 1}}}})";

    BOOST_TEST(reason(make_scenario(qos, R"({"array_tasks": 3})")) == "ok");
    BOOST_TEST(reason(make_scenario(qos, R"({"array_tasks": 4})")) == "QOSMaxSubmitJobPerUserLimit");
}

BOOST_AUTO_TEST_CASE(present_usage_plays_no_part_except_in_submit_counts) {
    const auto s = make_scenario(
        deny(R"("MaxTRESPerUser": {"cpu": 8}, "usage": {"users": {"1000": {"tres": {"cpu": 8}}}})"));

    BOOST_TEST(reason(s) == "ok");
}

BOOST_AUTO_TEST_CASE(the_partition_qos_wins_unless_over_part_qos_is_set_on_the_jobs) {
    const std::string job = R"({"tres": {"cpu": 8, "node": 1}})";
    const std::string lax = R"({"partitions": [{"name": "p1", "qos": "pq"}], "qos": [
        {"name": "q", "MaxTRESPerJob": {"cpu": 16}, "flags": ["DenyOnLimit"]},
        {"name": "pq", "MaxTRESPerJob": {"cpu": 4}}]})";
    const std::string over = R"({"partitions": [{"name": "p1", "qos": "pq"}], "qos": [
        {"name": "q", "MaxTRESPerJob": {"cpu": 16}, "flags": ["DenyOnLimit", "OverPartQOS"]},
        {"name": "pq", "MaxTRESPerJob": {"cpu": 4}}]})";

    BOOST_TEST(reason(make_scenario("{}", job, lax)) == "QOSMaxCpuPerJobLimit");
    BOOST_TEST(reason(make_scenario("{}", job, over)) == "ok");
}

BOOST_AUTO_TEST_CASE(a_job_without_a_qos_is_judged_strictly) {
    const std::string root = R"({"associations": [
        {"level": "user", "user": 1000, "account": "acct", "MaxTRESPerJob": {"cpu": 4}},
        {"level": "root", "account": "root"}]})";

    BOOST_TEST(reason(make_scenario("{}", R"({"qos": null, "tres": {"cpu": 5, "node": 1}})", root)) ==
               "AssocMaxCpuPerJobLimit");
    BOOST_TEST(reason(make_scenario("{}", R"({"tres": {"cpu": 5, "node": 1}})", root)) == "ok");
}

BOOST_AUTO_TEST_CASE(a_limit_becomes_the_time_limit_of_a_job_without_one) {
    const auto verdict = judge(make_scenario(R"({"MaxWall": 60})", R"({"time_limit": null})"));

    BOOST_TEST_REQUIRE(verdict.accepted());
    BOOST_TEST(verdict.time_limit.value() == TimeLimit{60});
    BOOST_TEST(verdict.time_set_by_limit);
}

BOOST_AUTO_TEST_CASE(a_given_time_limit_is_compared_and_left_alone) {
    const auto at = judge(make_scenario(deny(R"("MaxWall": 60)"), R"({"time_limit": 60})"));

    BOOST_TEST(at.accepted());
    BOOST_TEST(!at.time_set_by_limit);
    BOOST_TEST(reason(make_scenario(deny(R"("MaxWall": 60)"), R"({"time_limit": 61})")) ==
               "QOSMaxWallDurationPerJobLimit");
    BOOST_TEST(reason(make_scenario(deny(R"("MaxWall": 60)"), R"({"time_limit": "UNLIMITED"})")) ==
               "QOSMaxWallDurationPerJobLimit");
}

BOOST_AUTO_TEST_CASE(run_minutes_per_user_are_enforced_from_24_05_on) {
    const auto s = make_scenario(deny(R"("MaxTRESRunMinsPerUser": {"cpu": 100})"),
                                 R"({"time_limit": 60, "tres": {"cpu": 2, "node": 1}})");

    BOOST_TEST(reason(s, Release(23, 11)) == "ok");
    BOOST_TEST(reason(s, Release(24, 5)) == "MaxCpuRunMinsPerUser");
}

BOOST_AUTO_TEST_CASE(without_enforced_limits_everything_is_accepted) {
    const auto s = make_scenario(deny(R"("MaxTRESPerJob": {"cpu": 1})"), R"({"tres": {"cpu": 9, "node": 1}})",
                                 R"({"enforce": ["associations", "qos"]})");

    BOOST_TEST(reason(s) == "ok");
}

BOOST_AUTO_TEST_SUITE_END()
