// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/explain.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/schedule.hpp"
#include "qosgate/limits/submit.hpp"
#include "support/scenarios.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::TresLimit;
using test::make_scenario;

namespace {

std::vector<std::string> explain(const quota::Scenario& s, std::size_t max_lines = 7) {
    const auto verdict = limits::evaluate_submit(s.view, s.job, limits::newest_release);
    return limits::explain_refusal(verdict.violations, s.view, limits::Reader::job_user, max_lines);
}

/// What holds the accepted job back, in words; empty: nothing.
std::string explain_wait(const quota::Scenario& s) {
    const auto verdict = limits::evaluate_schedule(s.view, s.job, s.job.time_limit,
                                                   /*time_set_by_limit=*/false, limits::newest_release);
    const auto& found = verdict.passed_pre_select() ? verdict.post_select : verdict.pre_select;
    return found.empty() ? "" : limits::describe(found.front(), s.view, /*names_owner=*/false);
}

/// A QOS that counts each minute twice, with one more key.
std::string doubled(const std::string& limits) {
    return R"({"UsageFactor": 2, "flags": ["UsageFactorSafe"], )" + limits + "}";
}

} // namespace

BOOST_AUTO_TEST_SUITE(explain_module)

BOOST_AUTO_TEST_CASE(gives_limit_and_request_and_token) {
    const auto lines = explain(
        make_scenario(R"({"flags": ["DenyOnLimit"], "MaxTRESPerUser": {"gres/gpu": 2}, "MaxWall": 480})",
                      R"({"time_limit": 600, "tres": {"cpu": 1, "node": 1, "gres/gpu": 3}})"));

    BOOST_TEST_REQUIRE(lines.size() == 3u);
    BOOST_TEST(lines[0] == "QOS q does not allow this job (2 problems):");
    BOOST_TEST(lines[1] == "  GPUs per user: limit 2, this job asks for 3 (QOSMaxGRESPerUser)");
    BOOST_TEST(
        lines[2] ==
        "  wall time per job: limit 08:00:00, this job asks for 10:00:00 (QOSMaxWallDurationPerJobLimit)");
}

BOOST_AUTO_TEST_CASE(a_limit_on_all_jobs_says_whose_and_how_many_are_the_users_own) {
    const auto s = make_scenario(R"({"GrpTRES": {"cpu": 20}})");
    limits::Violation violation{TresLimit::grp_tres, {}, 0, 30, 20, 12, limits::Relation::asked_too_much,
                                "QOSGrpCpuLimit"};
    auto view = s.view;

    view.qos.front().user_usage.tres = {4};
    BOOST_TEST(limits::describe(violation, view) ==
               "CPUs of all running jobs in QOS q: limit 20, in use 12 (4 "
               "yours), this job asks for 30 (QOSGrpCpuLimit)");
    view.qos.front().user_usage.tres = {0};
    BOOST_TEST(limits::describe(violation, view).find("in use 12 (none of it yours)") != std::string::npos);
    view.qos.front().user_usage.tres = {12};
    BOOST_TEST(limits::describe(violation, view).find("in use 12 (all yours)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(somebody_else_reads_whose_the_own_part_is) {
    const auto s = make_scenario(R"({"GrpTRES": {"cpu": 20}})");
    const limits::Violation violation{
        TresLimit::grp_tres, {}, 0, 30, 20, 12, limits::Relation::asked_too_much, "QOSGrpCpuLimit"};
    auto view = s.view;
    const auto says = [&](std::uint64_t own, std::string_view words) {
        view.qos.front().user_usage.tres = {own};
        const auto told = limits::describe(violation, view, /*names_owner=*/false, limits::Reader::other);
        BOOST_TEST_CONTEXT(told) BOOST_TEST(told.find(words) != std::string::npos);
    };

    view.user_name = "ana";
    says(4, "in use 12 (4 of user ana), ");
    says(0, "in use 12 (none of user ana), ");
    says(12, "in use 12 (all of user ana), ");
    view.user_name.clear();
    says(12, "in use 12 (all of the user), ");
}

BOOST_AUTO_TEST_CASE(run_minutes_that_slurm_may_not_count_per_user_are_not_called_another_users) {
    const auto s = make_scenario(R"({"GrpTRESRunMins": {"cpu": 500}})");
    const limits::Violation violation{
        TresLimit::grp_tres_run_mins, {}, 0, 240, 500, 400, limits::Relation::asked_too_much,
        "QOSGrpCPURunMinutesLimit"};
    auto view = s.view;
    const auto says = [&](std::uint64_t own) {
        view.qos.front().user_usage.tres_run_minutes = {own};
        return limits::describe(violation, view);
    };
    BOOST_TEST(says(0).find("yours") == std::string::npos);
    BOOST_TEST(says(0).find("reserved by running jobs 400, this job asks for 240") != std::string::npos);
    BOOST_TEST(says(100).find("reserved by running jobs 400 (100 yours)") != std::string::npos);
    BOOST_TEST(says(400).find("reserved by running jobs 400 (all yours)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_minimum_says_what_is_required) {
    const auto lines = explain(make_scenario(R"({"flags": ["DenyOnLimit"],
        "MinTRESPerJob": {"gres/gpu": 1, "cpu": 2, "mem": 4096}})",
                                             R"({"tres": {"cpu": 1, "node": 1}})"));

    BOOST_TEST_REQUIRE(lines.size() == 4u);
    BOOST_TEST(lines[1] ==
               "  at least 2 CPUs per job are required, this job asks for 1 (QOSMinCpuNotSatisfied)");
    BOOST_TEST(lines[2] ==
               "  at least 4G of memory per job is required, this job asks for none (QOSMinMemory)");
    BOOST_TEST(lines[3] == "  at least 1 GPU per job is required, this job asks for none (QOSMinGRES)");
}

BOOST_AUTO_TEST_CASE(minutes_are_told_as_size_and_time) {
    const char* const qos = R"({"flags": ["DenyOnLimit"], "MaxTRESMinsPerJob": {"cpu": 600}})";
    BOOST_TEST(explain(make_scenario(qos, R"({"time_limit": 60, "tres": {"cpu": 20, "node": 1}})")).at(1) ==
               "  CPU minutes per job: limit 600, this job asks for 1200 (20 CPUs for 01:00:00) "
               "(QOSMaxCpuMinutesPerJobLimit)");
}

BOOST_AUTO_TEST_CASE(an_array_says_how_many_tasks_it_has) {
    BOOST_TEST(explain(make_scenario(R"({"MaxSubmitJobsPerUser": 10})", R"({"array_tasks": 50})")).at(1) ==
               "  submitted jobs per user: limit 10, this array has 50 tasks (QOSMaxSubmitJobPerUserLimit)");
}

BOOST_AUTO_TEST_CASE(says_what_is_in_use) {
    const auto lines = explain(
        make_scenario(R"({"MaxSubmitJobsPerUser": 4, "usage": {"users": {"1000": {"submit_jobs": 4}}}})"));

    BOOST_TEST_REQUIRE(lines.size() == 2u);
    BOOST_TEST(lines[1] ==
               "  submitted jobs per user: limit 4, submitted 4 (all yours), this job is one more "
               "(QOSMaxSubmitJobPerUserLimit)");
}

BOOST_AUTO_TEST_CASE(the_limits_of_a_user_do_not_allow_a_job_and_an_account_does_not) {
    const auto headline = [](const std::string& users_limit, const std::string& accounts_limit) {
        return explain(
                   make_scenario("{}", "{}",
                                 R"({"associations": [{"level": "user", "user": 1000, "account": "acct")" +
                                     users_limit + R"(}, {"level": "account", "account": "acct")" +
                                     accounts_limit + R"(}, {"level": "root", "account": "root"}]})"))
            .at(0);
    };
    const std::string limit = R"(, "GrpSubmitJobs": 0)";
    BOOST_TEST(headline(limit, "") == "the limits of the user in account acct do not allow this job:");
    BOOST_TEST(headline("", limit) == "account acct does not allow this job:");
}

BOOST_AUTO_TEST_CASE(names_each_owner_where_they_differ) {
    const auto lines =
        explain(make_scenario(R"({"flags": ["DenyOnLimit"], "MaxTRESPerJob": {"mem": 4096}})",
                              R"({"time_limit": 600, "tres": {"cpu": 2, "mem": 8192, "node": 1}})",
                              R"({"associations": [{"level": "user", "user": 1000, "account": "acct"},
                             {"level": "account", "account": "acct", "GrpTRES": {"cpu": 1}},
                             {"level": "root", "account": "root"}]})"));

    BOOST_TEST_REQUIRE(lines.size() == 3u);
    BOOST_TEST(lines[0] == "limits do not allow this job (2 problems):");
    BOOST_TEST(lines[1] == "  memory per job in QOS q: limit 4G, this job asks for 8G (QOSMaxMemoryPerJob)");
    BOOST_TEST(lines[2] ==
               "  CPUs of all running jobs in account acct: limit 1, this job asks for 2 (AssocGrpCpuLimit)");
}

BOOST_AUTO_TEST_CASE(shows_what_usage_factor_makes_of_a_time) {
    const auto wait = [](const std::string& limits, const std::string& minutes) {
        return explain_wait(make_scenario(doubled(limits), R"({"time_limit": )" + minutes + "}"));
    };

    BOOST_TEST(
        wait(R"("MaxWall": 60)", "40") ==
        "wall time per job: limit 01:00:00, this job asks for 00:40:00, counted as 01:20:00 by UsageFactor 2 "
        "(QOSMaxWallDurationPerJobLimit)");
    BOOST_TEST(wait(R"("MaxWall": 60)", "30") == "");
    BOOST_TEST(
        wait(R"("MaxWall": 60, "GrpWall": 600)", "20") ==
        "wall time per job: limit 01:00:00, this job asks for 00:20:00, counted as 01:20:00 by UsageFactor "
        "2 (applied twice) (QOSMaxWallDurationPerJobLimit)");
    BOOST_TEST(wait(R"("MaxTRESMinsPerJob": {"cpu": 60})", "40") ==
               "CPU minutes per job: limit 60, this job asks for 40 (1 CPU for 00:40:00), counted as 80 by "
               "UsageFactor 2 "
               "(QOSMaxCpuMinutesPerJobLimit)");
}

BOOST_AUTO_TEST_CASE(says_which_use_of_the_past_is_for_good) {
    const auto find = [](const std::string& flags, const std::string& limits, unsigned minutes) {
        const auto s =
            make_scenario(R"({"flags": [)" + flags + "], " + limits + "}",
                          text::format(R"({{"time_limit": {}, "tres": {{"cpu": 10, "node": 1}}}})", minutes),
                          R"({"enforce": ["associations", "limits", "qos", "safe"]})");
        const auto verdict =
            limits::evaluate_schedule(s.view, s.job, s.job.time_limit, false, limits::newest_release);
        const auto& found = verdict.passed_pre_select() ? verdict.post_select : verdict.pre_select;
        if (found.empty()) return std::string("starts");
        return (found.front().is_permanent() ? "never: " : "waits: ") +
               limits::describe(found.front(), s.view, false);
    };
    const std::string minutes =
        R"("GrpTRESMins": {"cpu": 600}, "usage": {"tres_minutes": {"cpu": 56}, "tres_run_minutes": {"cpu": 14}})";
    const std::string used = R"("GrpTRESMins": {"cpu": 56}, "usage": {"tres_minutes": {"cpu": 56}})";
    const std::string wall = R"("GrpWall": 60, "usage": {"wall_minutes": 10})";

    BOOST_TEST(
        find(R"("NoDecay")", minutes, 60) ==
        "never: CPU minutes of all jobs in QOS q: limit 600, used 56 (does not decay), this job asks for 600 "
        "(10 CPUs for 01:00:00) (QOSGrpCPUMinutesLimit)");
    BOOST_TEST(find("", minutes, 60)
                   .starts_with("waits: CPU minutes of all jobs in QOS q: limit 600, used 56, "
                                "reserved by running jobs 14, this"));
    BOOST_TEST(find(R"("NoDecay")", minutes, 55).starts_with("never: "));
    // The 14 minutes that a running job may still use come back if it ends early.
    BOOST_TEST(find(R"("NoDecay")", minutes, 54).starts_with("waits: "));
    BOOST_TEST(find(R"("NoDecay")", minutes, 53) == "starts");
    BOOST_TEST(find(R"("NoDecay")", used, 1).starts_with("never: "));
    BOOST_TEST(find("", used, 1).starts_with("waits: "));
    BOOST_TEST(find(R"("NoDecay")", wall, 51).starts_with("never: wall time"));
    BOOST_TEST(find("", wall, 51).starts_with("waits: wall time"));
    BOOST_TEST(find(R"("NoDecay")", wall, 50) == "starts");
}

BOOST_AUTO_TEST_CASE(usage_of_associations_is_for_good_only_where_nothing_decays) {
    auto s = make_scenario("{}", "{}",
                           R"({"associations": [
        {"level": "user", "user": 1000, "account": "acct", "GrpWall": 60, "usage": {"wall_minutes": 60}},
        {"level": "account", "account": "acct"}, {"level": "root", "account": "root"}]})");
    const auto is_permanent = [&s] {
        return limits::evaluate_schedule(s.view, s.job, s.job.time_limit, false, limits::newest_release)
            .pre_select.at(0)
            .is_permanent();
    };
    BOOST_TEST(!is_permanent());

    s.view.usage_lasts = true;

    BOOST_TEST(is_permanent());
}

BOOST_AUTO_TEST_CASE(says_unlimited_for_minutes_without_an_end) {
    const std::string qos = R"({"flags": ["DenyOnLimit"], "MaxTRESMinsPerJob": {"cpu": 60}})";
    const std::string job = R"({"time_limit": "UNLIMITED", "tres": {"cpu": 64, "node": 1}})";
    const std::string expected =
        "CPU minutes per job: limit 60, this job asks for UNLIMITED (64 CPUs without a time limit) "
        "(QOSMaxCpuMinutesPerJobLimit)";

    BOOST_TEST(explain(make_scenario(qos, job)).back() == "  " + expected);
    BOOST_TEST(explain_wait(make_scenario(qos, job)) == expected);
    BOOST_TEST(explain(make_scenario(R"({"flags": ["DenyOnLimit"], "MaxWall": 60})", job)).back() ==
               "  wall time per job: limit 01:00:00, this job asks for UNLIMITED "
               "(QOSMaxWallDurationPerJobLimit)");
    // 64 times 10000 minutes are a number like any other.
    BOOST_TEST(
        explain(make_scenario(qos, R"({"time_limit": 10000, "tres": {"cpu": 64, "node": 1}})")).back() ==
        "  CPU minutes per job: limit 60, this job asks for 640000 (64 CPUs for 6-22:40:00) "
        "(QOSMaxCpuMinutesPerJobLimit)");
}

BOOST_AUTO_TEST_CASE(counts_what_does_not_fit) {
    const auto s = make_scenario(
        R"({"flags": ["DenyOnLimit"], "MaxTRESPerJob": {"cpu": 1, "mem": 1, "gres/gpu": 1, "license/foo": 1}})",
        R"({"tres": {"cpu": 2, "mem": 2, "node": 1, "gres/gpu": 2, "license/foo": 2}})");

    const auto lines = explain(s, /*max_lines=*/4);

    BOOST_TEST_REQUIRE(lines.size() == 4u);
    BOOST_TEST(lines[3] == "  and 2 more");
    BOOST_TEST(explain(s, /*max_lines=*/5).back().find("foo licenses per job") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
