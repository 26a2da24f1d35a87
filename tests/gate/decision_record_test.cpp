// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include "qosgate/gate/decide/decision_record.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace qg;
using nlohmann::json;

namespace {

struct RecordSetup : test::GateSetup {
    RecordSetup() {
        qos(1).flags.deny_on_limit = true;
        qos(1).limits.set(model::TresLimit::max_tres_per_user, tres("gres/gpu"), 2);
    }

    json record(const std::string& rule = "") {
        const auto policy = rule.empty() ? test::load_site("site { limits = 'enforce' }")
                                         : test::load_rule("rule { name = 'r', " + rule + " }");
        const model::Decision decision = decide(policy.get());
        has_done_something = gate::did_something(decision);
        const gate::RecordedTime time{
            std::chrono::system_clock::time_point(std::chrono::microseconds(1'500'000)),
            std::chrono::microseconds(12)};
        return json::parse(gate::to_record("a-1", time, {request, job_id}, decision, *policy));
    }

    std::optional<std::uint32_t> job_id;
    bool has_done_something = false;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(decision_record, RecordSetup)

BOOST_AUTO_TEST_CASE(a_job_that_passes_is_its_request) {
    request.qos = "moonlight";
    request.time_limit = TimeLimit::unlimited();
    request.tasks = 2;

    const json found = record();

    BOOST_TEST(!has_done_something);
    BOOST_TEST(found.at("time") == "1970-01-01T00:00:01.500000Z");
    BOOST_TEST(found.at("id") == "a-1");
    BOOST_TEST(found.at("event") == "submission");
    BOOST_TEST(found.at("outcome") == "accepted");
    BOOST_TEST(found.at("uid") == 1000);
    BOOST_TEST(found.at("microseconds") == 12);
    BOOST_TEST(found.at("limits") == "enforce");
    BOOST_TEST(found.at("events").empty());
    BOOST_TEST(found.at("message").empty());
    BOOST_TEST(found.at("request").dump() ==
               R"({"min_nodes":1,"qos":"moonlight","tasks":2,"time_limit":"UNLIMITED"})");
}

BOOST_AUTO_TEST_CASE(a_refusal_for_a_limit_has_its_reason_and_names) {
    request.qos = "moonlight";
    request.tres_per_node = "gres:gpu:3";

    const json found = record();

    BOOST_TEST(has_done_something);
    BOOST_TEST(found.at("outcome") == "refused");
    BOOST_TEST(found.at("reason") == "QOSMaxGRESPerUser");
    BOOST_TEST(found.at("user") == "ana");
    BOOST_TEST(found.at("account") == "hpc-users");
    BOOST_TEST(found.at("partition") == "main");
    BOOST_TEST_REQUIRE(found.at("events").size() == 1u);
    const json& event = found.at("events")[0];
    BOOST_TEST(event.at("effect") == "refused");
    BOOST_TEST(event.at("reason") == "QOSMaxGRESPerUser");
    BOOST_TEST(!event.contains("rule"));
    BOOST_TEST(found.at("message")[1].get<std::string>().find("limit 2") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_slurmctld_refuses_is_told_from_what_the_gate_refuses) {
    request.qos = "moonlight";
    request.tres_per_node = "gres:gpu:3";
    BOOST_TEST(record("submit = function(job) end").at("outcome") == "refused by slurmctld");
    request.tres_per_node = "gres:gpu:2";
    BOOST_TEST(record("submit = function(job) end").at("outcome") == "accepted");
}

BOOST_AUTO_TEST_CASE(what_a_rule_did_names_the_rule_and_its_mode) {
    const json found = record("mode = 'warn', submit = function(job) job.qos = 'moonlight' end");
    BOOST_TEST_REQUIRE(found.at("events").size() == 1u);
    const json& event = found.at("events")[0];
    BOOST_TEST(event.at("effect") == "not enforced");
    BOOST_TEST(event.at("rule") == "r");
    BOOST_TEST(event.at("mode") == "warn");
    BOOST_TEST(event.at("text").get<std::string>().find("moonlight") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_rules_have_no_field_for_is_recorded_besides) {
    request.min_cpus = 4;
    request.cpus_per_tres = "gres:gpu:2";
    request.is_batch = true;
    request.overcommit = false;

    BOOST_TEST(record().at("other_values").dump() ==
               R"({"cpus_per_tres":"gres:gpu:2","is_batch":true,"min_cpus":4})");
}

BOOST_AUTO_TEST_CASE(a_text_that_is_not_recorded_as_it_was_sent_is_named) {
    request.comment = std::string(1000, 'x');
    BOOST_TEST(!record().at("other_values").contains("cut"));
    request.comment = std::string(1001, 'x');
    request.name = "two\nlines";
    BOOST_TEST(record().at("other_values").at("cut").dump() == R"(["name","comment"])");
    request.unread = model::UnreadText{"licenses", 64, "parts"};
    BOOST_TEST(record().at("other_values").at("unread") == "licenses");
}

BOOST_AUTO_TEST_CASE(a_change_names_its_job) {
    job_id = 17;
    BOOST_TEST(record().at("job_id") == 17);
    BOOST_TEST(record().at("event") == "change");
    job_id = 0;
    BOOST_TEST(!record().contains("job_id"));
}

BOOST_AUTO_TEST_CASE(a_users_text_is_bounded_and_stays_one_line_of_json) {
    request.name = "a\"b\\c\nd\x1b[31m";
    request.comment = std::string(5000, 'x');
    const json found = record();
    const auto name = found.at("request").at("name").get<std::string>();
    BOOST_TEST(name.starts_with("a\"b\\c"));
    BOOST_TEST(name.find_first_of("\n\x1b") == std::string::npos);
    BOOST_TEST(found.at("request").at("comment") == std::string(1000, 'x') + "...");
}

BOOST_AUTO_TEST_SUITE_END()
