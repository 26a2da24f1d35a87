// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests that are too large to be read while limits are enforced.
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;

namespace {

struct TooLargeSetup : test::GateSetup {
    static auto site_at(std::string_view level) {
        return test::load_site("site { limits = \"" + std::string(level) +
                               "\", contact = \"help@site.example\" }");
    }
    model::Decision decide_at(std::string_view level) const { return decide(site_at(level).get()); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(too_large, TooLargeSetup)

BOOST_AUTO_TEST_CASE(nobody_is_too_large_for_limits_that_are_enforced) {
    request.submit_uid = request.user_id;
    request.unread = {"licenses", 64, "parts", "--licenses", /*slurmctld_refuses=*/false};
    const std::string line =
        "the limits of this job cannot be checked: its text of licenses has more than 64 parts; "
        "shorten --licenses";

    const auto refused = decide_at("enforce");
    BOOST_TEST(refused.reject == RejectCode::text_too_long);
    const std::vector<std::string> expected{line, "questions: help@site.example"};
    BOOST_TEST(refused.message == expected);
    BOOST_TEST_REQUIRE(refused.log.size() == 1u);
    BOOST_TEST(refused.log[0].text.starts_with("refused user=ana(1000) "));
    BOOST_TEST(refused.log[0].text.ends_with(": " + line));

    const auto expect_unchecked = [&](const char* level) {
        const auto decision = decide_at(level);
        BOOST_TEST(decision.reject == RejectCode::none);
        BOOST_TEST(decision.message.empty());
        BOOST_TEST_REQUIRE(decision.log.size() == 1u);
        BOOST_TEST(decision.log[0].text.starts_with("unchecked "));
        BOOST_TEST(decision.log[0].text.ends_with(": its text of licenses has more than 64 parts"));
    };
    for (const char* level : {"explain", "off"})
        expect_unchecked(level);
    may_have_changed = true; // no partition makes its limits known
    BOOST_TEST(decide_at("enforce").reject == RejectCode::text_too_long);
    may_have_changed = false;
    records.operators = {1001};
    for (const std::uint32_t exempt : {0u, 1001u}) {
        request.submit_uid = exempt;
        expect_unchecked("enforce");
    }
    request.submit_uid = 1002;
    BOOST_TEST(decide_at("enforce").reject == RejectCode::text_too_long);
}

BOOST_AUTO_TEST_CASE(nobody_is_refused_for_limits_of_which_nothing_is_known) {
    request.submit_uid = request.user_id;
    request.unread = {"licenses", 64, "parts", "--licenses", /*slurmctld_refuses=*/false};
    const auto enforcing = site_at("enforce");

    const auto decision = decide_with(test::NoQuotaYet(), enforcing.get());
    BOOST_TEST(decision.reject == RejectCode::none);
    BOOST_TEST(decision.message.empty());
    BOOST_TEST_REQUIRE(decision.log.size() == 1u);
    BOOST_TEST(decision.log[0].text.starts_with("unchecked "));
    BOOST_TEST(decision.log[0].text.ends_with(": its text of licenses has more than 64 parts"));

    BOOST_TEST(decide(enforcing.get()).reject == RejectCode::text_too_long);
}

BOOST_AUTO_TEST_CASE(too_many_partitions_are_logged_beside_why_nothing_is_known) {
    request.submit_uid = request.user_id;
    request.partition = "main";
    for (int i = 1; i <= 64; ++i) {
        partitions.push_back(partitions.front());
        partitions.back().name = "p" + std::to_string(i);
        *request.partition += ",p" + std::to_string(i);
    }
    const auto enforcing = site_at("enforce");

    const auto decision = decide_with(test::NoQuotaYet(), enforcing.get());
    BOOST_TEST(decision.reject == RejectCode::none);
    BOOST_TEST(decision.message.empty());
    BOOST_TEST_REQUIRE(decision.log.size() == 2u);
    BOOST_TEST(decision.log[0].text.ends_with(": slurmctld has no accounting data yet"));
    BOOST_TEST(decision.log[1].text.ends_with(": it names more than 64 partitions"));

    BOOST_TEST(decide(enforcing.get()).reject == RejectCode::text_too_long);
}

BOOST_AUTO_TEST_CASE(a_rule_that_enforces_refuses_whatever_is_known_of_limits) {
    request.unread = {"licenses", 64, "parts", "--licenses", /*slurmctld_refuses=*/false};
    const auto reject_with = [&](const std::string& keys) {
        const auto policy = test::load_rule("rule { " + keys + " submit = function(job) end }");
        return decide_with(test::NoQuotaYet(), policy.get()).reject;
    };
    BOOST_TEST(reject_with("") == RejectCode::text_too_long);
    BOOST_TEST(reject_with("mode = \"warn\",") == RejectCode::none);
}

BOOST_AUTO_TEST_SUITE_END()
