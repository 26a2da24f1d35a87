// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which comparisons look at --time-min (limits/README.md 5.4).
#include "qosgate/limits/schedule.hpp"
#include "qosgate/limits/submit.hpp"
#include "support/scenarios.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using limits::Release;
using test::make_scenario;

namespace {

constexpr Release oldest_release(22, 5);

/// The Reason with which the post-select stage holds a job of 8 CPUs and 90 minutes, or "ok".
std::string held(const std::string& qos, std::uint32_t least, const std::string& root = "{}") {
    const std::string job = R"({"time_limit": 90, "tres": {"cpu": 8, "node": 1}, "time_min": )";
    const auto s = make_scenario(qos, job + std::to_string(least) + "}", root);
    const auto verdict = limits::evaluate_schedule(s.view, s.job, s.job.time_limit,
                                                   /*time_set_by_limit=*/false, oldest_release);
    return verdict.post_select.empty() ? "ok" : std::string(verdict.post_select.front().reason);
}

} // namespace

BOOST_AUTO_TEST_SUITE(time_min)

BOOST_AUTO_TEST_CASE(all_limits_on_minutes_look_at_it) {
    const std::pair<const char*, const char*> of_qos[] = {
        {R"({"MaxTRESMinsPerJob": {"cpu": 480}})", "QOSMaxCpuMinutesPerJobLimit"},
        {R"({"GrpTRESRunMins": {"cpu": 480}})", "QOSGrpCPURunMinutesLimit"}};
    for (const auto& [qos, reason] : of_qos) {
        BOOST_TEST(held(qos, 60) == "ok");
        BOOST_TEST(held(qos, 61) == reason);
        BOOST_TEST(held(qos, 0) == reason); // none
    }
    const std::string safe = R"({"enforce": ["associations", "limits", "qos", "safe"]})";
    BOOST_TEST(held(R"({"GrpTRESMins": {"cpu": 480}})", 60, safe) == "ok");
    BOOST_TEST(held(R"({"GrpTRESMins": {"cpu": 480}})", 61, safe) == "QOSGrpCPUMinutesLimit");
    const std::string of_user = R"({"associations": [
        {"level": "user", "user": 1000, "account": "acct", "MaxTRESMinsPerJob": {"cpu": 480}},
        {"level": "root", "account": "root"}]})";
    BOOST_TEST(held("{}", 60, of_user) == "ok");
    BOOST_TEST(held("{}", 61, of_user) == "AssocMaxCpuMinutesPerJobLimit");
}

BOOST_AUTO_TEST_CASE(usage_factor_multiplies_it) {
    const std::string qos =
        R"({"MaxTRESMinsPerJob": {"cpu": 480}, "UsageFactor": 2, "flags": ["UsageFactorSafe"]})";
    BOOST_TEST(held(qos, 30) == "ok");
    BOOST_TEST(held(qos, 31) == "QOSMaxCpuMinutesPerJobLimit");
}

BOOST_AUTO_TEST_CASE(it_counts_below_the_time_of_job_and_partition) {
    const std::string qos = R"({"MaxTRESMinsPerJob": {"cpu": 480}})";
    const auto in_partition = [](std::uint32_t minutes) {
        return R"({"partitions": [{"name": "p1", "max_time": )" + std::to_string(minutes) + "}]}";
    };
    BOOST_TEST(held(qos, 60, in_partition(61)) == "ok");
    BOOST_TEST(held(qos, 60, in_partition(60)) == "QOSMaxCpuMinutesPerJobLimit");
}

BOOST_AUTO_TEST_CASE(only_a_submission_assumed_to_be_strict_looks_at_it) {
    const auto accepts = [](const std::string& qos, std::uint32_t least, limits::Strictness strictness) {
        const std::string job = R"({"time_limit": 90, "tres": {"cpu": 8, "node": 1}, "time_min": )";
        const auto s = make_scenario(qos, job + std::to_string(least) + "}");
        return limits::evaluate_submit(s.view, s.job, oldest_release, strictness).accepted();
    };
    const std::string lax = R"({"MaxTRESMinsPerJob": {"cpu": 480}})";
    const std::string strict = R"({"MaxTRESMinsPerJob": {"cpu": 480}, "flags": ["DenyOnLimit"]})";
    BOOST_TEST(!accepts(strict, 60, limits::Strictness::as_configured));
    BOOST_TEST(!accepts(strict, 60, limits::Strictness::assume_strict));
    BOOST_TEST(accepts(lax, 60, limits::Strictness::assume_strict));
    BOOST_TEST(!accepts(lax, 61, limits::Strictness::assume_strict));
}

BOOST_AUTO_TEST_SUITE_END()
