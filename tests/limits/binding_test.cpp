// SPDX-License-Identifier: GPL-2.0-or-later
//
// The limits that count for a user, account, QOS and partition (limits/README.md 3).
#include "qosgate/limits/binding.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/quota/scenario.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;

namespace {

/// "GrpTRES cpu=8 used 3 (qos 0)", one for each limit.
std::vector<std::string> binding(const char* qos, const char* associations = "[]",
                                 const char* partitions = "[]", const char* enforce = R"(["limits"])",
                                 limits::Release release = limits::newest_release) {
    const auto scenario = quota::parse_scenario(text::format(
        R"({{"enforce": {}, "qos": {}, "associations": {}, "partitions": {},
             "job": {{"user": 1000, "account": "acct", "qos": "q", "partitions": {}, "tres": {{"cpu": 1}}}}}})",
        enforce, qos, associations, partitions, std::string_view(partitions) == "[]" ? "[]" : R"(["p"])"));
    BOOST_TEST_REQUIRE(scenario.has_value());
    std::vector<std::string> lines;
    for (const limits::BindingLimit& limit : limits::find_binding_limits(scenario->view, 0, release)) {
        std::string name(model::name_of(limit.limit));
        if (limit.tres) name += " " + scenario->view.tres->name(*limit.tres);
        lines.push_back(text::format("{}={} used {} ({})", name, limit.value, limit.used,
                                     limit.owner.kind == limits::OwnerKind::qos
                                         ? scenario->view.qos[limit.owner.index].name
                                         : scenario->view.associations[limit.owner.index].account));
    }
    return lines;
}

using Lines = std::vector<std::string>;

constexpr const char* chain = R"([
    {"level": "user", "user": 1000, "account": "acct", "MaxJobs": 4, "MaxTRESPerJob": {"cpu": 9},
     "usage": {"jobs": 1}},
    {"level": "account", "account": "acct", "GrpTRES": {"cpu": 64, "node": 8}, "MaxJobs": 1,
     "usage": {"tres": {"cpu": 60, "node": 2}}},
    {"level": "root", "account": "root", "GrpTRES": {"cpu": 512}, "usage": {"tres": {"cpu": 200}}}])";

} // namespace

BOOST_TEST_DONT_PRINT_LOG_VALUE(Lines)

BOOST_AUTO_TEST_SUITE(binding_limits)

BOOST_AUTO_TEST_CASE(a_qos_hides_the_same_limit_of_associations_for_the_same_tres) {
    BOOST_TEST(binding(R"([{"name": "q", "GrpTRES": {"cpu": 8}, "usage": {"tres": {"cpu": 3}}}])", chain) ==
               (Lines{"GrpTRES cpu=8 used 3 (q)", "MaxTRESPerJob cpu=9 used 0 (acct)",
                      "MaxJobs=4 used 1 (acct)", "GrpTRES node=8 used 2 (acct)"}));
}

BOOST_AUTO_TEST_CASE(associations_do_not_hide_those_above_them) {
    BOOST_TEST(binding(R"([{"name": "q"}])", chain) ==
               (Lines{"MaxTRESPerJob cpu=9 used 0 (acct)", "MaxJobs=4 used 1 (acct)",
                      "GrpTRES cpu=64 used 60 (acct)", "GrpTRES node=8 used 2 (acct)",
                      "GrpTRES cpu=512 used 200 (root)"}));
}

BOOST_AUTO_TEST_CASE(limits_of_another_name_that_hide_one_of_an_association) {
    const auto lines = binding(R"([{"name": "q", "MaxJobsPerAccount": 7,
                                    "usage": {"accounts": {"acct": {"jobs": 5}}}}])",
                               chain);
    BOOST_TEST(lines.front() == "MaxJobsPerAccount=7 used 5 (q)");
    BOOST_TEST(std::ranges::count(lines, "MaxJobs=4 used 1 (acct)") == 0);
}

BOOST_AUTO_TEST_CASE(the_qos_of_the_partition_comes_first_unless_the_jobs_qos_says_otherwise) {
    const auto both = [](const char* flags) {
        return binding(text::format(R"([{{"name": "q", "flags": [{}], "MaxWall": 60, "GrpJobs": 0}},
                                        {{"name": "pq", "MaxWall": 600}}])",
                                    flags)
                           .c_str(),
                       "[]", R"([{"name": "p", "qos": "pq"}])");
    };
    BOOST_TEST(both("") == (Lines{"MaxWall=600 used 0 (pq)", "GrpJobs=0 used 0 (q)"}));
    BOOST_TEST(both(R"("OverPartQOS")") == (Lines{"MaxWall=60 used 0 (q)", "GrpJobs=0 used 0 (q)"}));
}

BOOST_AUTO_TEST_CASE(usage_is_that_of_the_jobs_that_count_together) {
    BOOST_TEST(binding(R"([{"name": "q", "MaxTRESPerUser": {"cpu": 8}, "MaxSubmitJobsPerUser": 5,
                            "GrpWall": 90, "GrpTRESMins": {"cpu": 100}, "MaxTRESPerJob": {"cpu": 2},
                            "usage": {"tres": {"cpu": 100}, "wall_minutes": 30, "tres_minutes": {"cpu": 70},
                                      "users": {"1000": {"tres": {"cpu": 6}, "submit_jobs": 4}}}}])") ==
               (Lines{"GrpTRESMins cpu=100 used 70 (q)", "MaxTRESPerJob cpu=2 used 0 (q)",
                      "MaxTRESPerUser cpu=8 used 6 (q)", "GrpWall=90 used 30 (q)",
                      "MaxSubmitJobsPerUser=5 used 4 (q)"}));
}

BOOST_AUTO_TEST_CASE(minutes_of_others_do_not_count_under_a_qos_that_charges_nothing) {
    const auto with_factor = [](const char* factor) {
        return binding(text::format(R"([{{"name": "q", "UsageFactor": {}, "GrpWall": 90,
                                         "MaxTRESRunMinsPerUser": {{"cpu": 20}},
                                         "usage": {{"wall_minutes": 30,
                                                    "users": {{"1000": {{"tres_run_minutes": {{"cpu": 6}}}}}}}}}}])",
                                    factor)
                           .c_str(),
                       R"([{"level": "user", "user": 1000, "account": "acct", "GrpTRESMins": {"cpu": 100},
                            "GrpTRESRunMins": {"cpu": 50},
                            "usage": {"tres_minutes": {"cpu": 70}, "tres_run_minutes": {"cpu": 8}}}])");
    };
    BOOST_TEST(with_factor("0") ==
               (Lines{"MaxTRESRunMinsPerUser cpu=20 used 6 (q)", "GrpWall=90 used 30 (q)",
                      "GrpTRESMins cpu=100 used 0 (acct)", "GrpTRESRunMins cpu=50 used 0 (acct)"}));
    BOOST_TEST(with_factor("0.5") ==
               (Lines{"MaxTRESRunMinsPerUser cpu=20 used 6 (q)", "GrpWall=90 used 30 (q)",
                      "GrpTRESMins cpu=100 used 70 (acct)", "GrpTRESRunMins cpu=50 used 8 (acct)"}));
}

BOOST_AUTO_TEST_CASE(limit_factor_multiplies_limits_of_associations) {
    const auto lines = binding(R"([{"name": "q", "LimitFactor": 1.5}])", chain);
    BOOST_TEST(lines.front() == "MaxTRESPerJob cpu=13 used 0 (acct)");
    BOOST_TEST(lines[2] == "GrpTRES cpu=96 used 60 (acct)");
}

BOOST_AUTO_TEST_CASE(what_a_release_does_not_enforce_is_left_out) {
    const char* qos = R"([{"name": "q", "MaxTRESRunMinsPerUser": {"cpu": 60}}])";
    BOOST_TEST(binding(qos, "[]", "[]", R"(["limits"])", {22, 5}).empty());
    BOOST_TEST(binding(qos) == Lines{"MaxTRESRunMinsPerUser cpu=60 used 0 (q)"});
    BOOST_TEST(binding(qos, "[]", "[]", R"(["associations"])").empty());
}

BOOST_AUTO_TEST_SUITE_END()
