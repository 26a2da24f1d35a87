// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/scenario.hpp"

#include <boost/test/unit_test.hpp>

using qg::quota::parse_scenario;

namespace {

std::string error_of(const char* json) {
    const auto scenario = parse_scenario(json);
    return scenario ? "" : scenario.error().message;
}

} // namespace

BOOST_AUTO_TEST_SUITE(scenario)

BOOST_AUTO_TEST_CASE(reads_a_small_scenario) {
    const auto s = parse_scenario(R"({"id": "a", "qos": [{"name": "q", "MaxWall": 0}],
        "partitions": [{"name": "p"}], "job": {"qos": "q", "partitions": ["p"], "tres": {"cpu": 2}}})");

    BOOST_TEST_REQUIRE(s.has_value());
    BOOST_TEST(s->id == "a");
    BOOST_TEST(s->view.qos.at(0).limits.get(qg::model::CountLimit::max_wall).value() == 0u);
    BOOST_TEST(!s->view.qos.at(0).limits.get(qg::model::CountLimit::grp_wall).has_value());
    BOOST_TEST(!s->job.time_limit.has_value());
}

BOOST_AUTO_TEST_CASE(names_the_key_that_is_wrong) {
    BOOST_TEST(error_of(R"({"job": {"tres": {"gpus": 1}}})").find("job.tres.gpus: is not a TRES") == 0u);
    BOOST_TEST(error_of(R"({"job": {"time_limt": 1}})").find("did you mean time_limit?") !=
               std::string::npos);
    BOOST_TEST(
        error_of(R"({"qos": [{"MaxWall": -1}], "job": {}})").find("qos[0].MaxWall: must be a whole number") ==
        0u);
    BOOST_TEST(error_of(R"({"qos": [{"flags": ["Deny"]}], "job": {}})").find("qos[0].flags[0]: 'Deny'") ==
               0u);
    BOOST_TEST(
        error_of(R"({"enforce": ["qos"], "job": {"qos": "a,b"}})").find("'a,b', which is not in qos") !=
        std::string::npos);
    BOOST_TEST(error_of(R"({"job": {"partitions": ["p"]}})").find("'p', which is not in partitions") !=
               std::string::npos);
    BOOST_TEST(error_of("{").find("not a JSON object") == 0u);
    BOOST_TEST(error_of("[]") != "");
    BOOST_TEST(error_of("{}").find("has no job") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
