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
    BOOST_TEST(error_of("[]") == "scenario: must be an object");
    BOOST_TEST(error_of(R"({"id": "a", "id": "b"})").find("there twice") != std::string::npos);
    BOOST_TEST(error_of(R"({"id": 1, "job": {}})") == "id: must be a text");
    BOOST_TEST(error_of(R"({"job": {"user": 4294967296}})") == "job.user: is too large (at most 4294967295)");
    BOOST_TEST(error_of(R"({"qos": [{"UsageFactor": "1"}]})") == "qos[0].UsageFactor: must be a number");
    BOOST_TEST(error_of(R"({"job": {"update": 1}})") == "job.update: must be true or false");
    BOOST_TEST(error_of(R"({"job": {"time_limit": 1.5}})").find("job.time_limit: must be whole") == 0u);
    BOOST_TEST(error_of("{}").find("has no job") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(reads_numbers_at_their_bounds) {
    const auto s =
        parse_scenario(R"({"qos": [{"name": "q", "UsageFactor": 2}, {"name": "r", "UsageFactor": 0.5}],
        "job": {"user": 4294967295, "qos": "r", "time_limit": "unlimited"}})");

    BOOST_TEST_REQUIRE(s.has_value());
    BOOST_TEST(s->view.qos.at(0).usage_factor == 0.5);
    BOOST_TEST(s->job.time_limit->is_unlimited());
}

BOOST_AUTO_TEST_CASE(has_what_it_is_given_where_the_text_says_nothing) {
    qg::quota::World otherwise;
    otherwise.records.enforce.safe = true;

    const auto silent = qg::quota::parse_world("{}", otherwise);
    const auto says = qg::quota::parse_world(R"({"enforce": ["qos"]})", otherwise);

    BOOST_TEST_REQUIRE(silent.has_value());
    BOOST_TEST(silent->records.enforce.safe);
    BOOST_TEST_REQUIRE(says.has_value());
    BOOST_TEST(!says->records.enforce.safe);
    BOOST_TEST(says->records.enforce.qos);
}

BOOST_AUTO_TEST_SUITE_END()
