// SPDX-License-Identifier: GPL-2.0-or-later
//
// The lines about rules that set a field of the job, and the site's contact.
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/objects/fields.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace qg;
using model::RejectCode;
using model::TresLimit;

namespace {

struct BlameSetup : test::GateSetup {
    model::Decision decide_with(const std::string& body, const std::string& keys = "") const {
        return decide(test::load_rule("rule { name = 'site says', " + keys + " submit = function(job) " +
                                      body + " end }")
                          .get());
    }
};

bool has_line(const model::Decision& decision, std::string_view line) {
    return std::ranges::find(decision.message, line) != decision.message.end();
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(blame, BlameSetup)

BOOST_AUTO_TEST_CASE(a_qos_that_a_rule_set_is_told_to_be_the_rules) {
    const auto decision = decide_with("job.qos = 'nosuch'");
    BOOST_TEST(decision.forecast.code == RejectCode::invalid_qos);
    BOOST_TEST(test::first_line(decision.message) ==
               "set by the site's rules, not by this request: QOS nosuch by rule 'site says'");

    request.qos = "nosuch";
    BOOST_TEST(!test::first_line(decide().message).starts_with("set by"));
}

BOOST_AUTO_TEST_CASE(each_field_that_limits_look_at_is_named) {
    partitions[1].max_time = TimeLimit{10};
    const auto decision = decide_with("job.partition = 'viz'; job.time_limit = 20; job.comment = 'x'");
    BOOST_TEST(has_line(decision, "set by the site's rules, not by this request: partition viz by rule "
                                  "'site says', time limit 00:20:00 by rule 'site says'"));
}

BOOST_AUTO_TEST_CASE(each_field_that_a_rule_may_write_is_named) {
    struct Line {
        const char* body;
        const char* told;
    };
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 1);
    request.tasks = request.min_cpus = 2;
    for (const Line& line :
         {Line{"job.tasks = 3", "--ntasks 3"}, Line{"job.cpus_per_task = 4", "--cpus-per-task 4"},
          Line{"job.tasks_per_node = 2", "--ntasks-per-node 2"},
          Line{"job.min_nodes = 2", "minimum number of nodes 2"},
          Line{"job.max_nodes = 2", "maximum number of nodes 2"},
          Line{"job.reservation = 'r1'", "reservation r1"}, Line{"job.features = 'big'", "--constraint big"},
          Line{"job.prefer = 'big'", "--prefer big"}, Line{"job.licenses = 'foo:2'", "--licenses foo:2"},
          Line{"job.time_min = 5", "--time-min 00:05:00"},
          Line{"job.dependency = 'afterok:1'", "--dependency afterok:1"},
          Line{"job.begin_time = 5", "--begin 5"},
          Line{"job.time_limit = math.huge", "time limit UNLIMITED"}})
        BOOST_TEST(
            has_line(decide_with(line.body),
                     text::format("set by the site's rules, not by this request: {} by rule 'site says'",
                                  line.told)),
            line.body);
    request.licenses = "foo:1";
    BOOST_TEST(has_line(decide_with("job.licenses = nil"),
                        "set by the site's rules, not by this request: no --licenses by rule 'site says'"));
}

BOOST_AUTO_TEST_CASE(what_says_nothing_about_size_or_place_is_not_named) {
    request.qos = "nosuch";
    for (const char* body :
         {"job.name = 'x'", "job.comment = 'x'", "job.admin_comment = 'x'", "job.priority = 7"})
        BOOST_TEST(!test::first_line(decide_with(body).message).starts_with("set by"), body);
}

BOOST_AUTO_TEST_CASE(what_a_rule_puts_back_is_the_requests) {
    request.qos = "nosuch";
    BOOST_TEST(
        !test::first_line(decide_with("job.comment = 'x'; job.qos = 'normal'; job.qos = 'nosuch'").message)
             .starts_with("set by"));
    const auto policy = policy::compile_policy(
        {true,
         {{"10.lua", "rule { submit = function(job) job.qos = 'normal'; job.comment = 'x' end }"},
          {"20.lua", "rule { submit = function(job) job.qos = 'nosuch' end }"}}});
    BOOST_TEST_REQUIRE(policy.has_value());
    BOOST_TEST(!test::first_line(decide(policy->get()).message).starts_with("set by"));
}

BOOST_AUTO_TEST_CASE(where_nothing_is_wrong_nobody_is_blamed) {
    BOOST_TEST(decide_with("job.qos = 'moonlight'").message.empty());
}

BOOST_AUTO_TEST_CASE(a_rule_that_changes_nothing_is_not_blamed) {
    request.qos = "nosuch";
    BOOST_TEST(!test::first_line(decide_with("job.qos = 'nosuch'").message).starts_with("set by"));
    BOOST_TEST(!test::first_line(decide_with("job.qos = 'normal'", "mode = 'shadow',").message)
                    .starts_with("set by"));
}

BOOST_AUTO_TEST_CASE(a_rejection_by_a_rule_says_whom_to_ask) {
    const auto policy =
        policy::compile_policy({true,
                                {{"10.lua", "rule { submit = function(job) job:reject('no') end }"},
                                 {"site.lua", "site { contact = 'help@site.example' }"}}});
    BOOST_TEST_REQUIRE(policy.has_value());
    const std::vector<std::string> expected{"no", "questions: help@site.example"};
    BOOST_TEST(decide(policy->get()).message == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_only_scripts_write_has_a_name_too) {
    model::JobRequest after = request;
    after.tres_per_job = "gres:gpu:3";
    after.tres_per_node = "gres:gpu:2";
    after.tres_per_socket = after.tres_per_task = "gres:gpu:1";
    after.cpus_per_tres = "gres:gpu:8";
    after.memory_per_tres = "gres:gpu:4000";
    after.required_nodes = "n1";
    after.array = "1-3";
    after.overcommit = true;
    std::vector<std::string> told;
    for (const policy::FieldSpec* field : policy::changed_by_rule(request, after, policy::no_facts()))
        told.push_back(policy::describe_field(*field, after, policy::no_facts()));
    BOOST_TEST(
        text::join(told, ", ") ==
        "--mem-per-gpu 4000, --cpus-per-gpu 8, --array 1-3, --nodelist n1, --gpus gres:gpu:3, "
        "--gres gres:gpu:2, --gpus-per-socket gres:gpu:1, --gpus-per-task gres:gpu:1, --overcommit true");
    BOOST_TEST(policy::changed_by_rule(after, after, policy::no_facts()).empty());
}

BOOST_AUTO_TEST_CASE(what_the_script_set_is_told_to_be_the_scripts_unless_a_rule_set_it_again) {
    const std::vector<policy::FieldWriter> writes{
        {"qos", "compat/job_submit.lua", "QOS nosuch"},
        {"time_limit", "compat/job_submit.lua", "time limit 00:20:00"}};
    const auto decide_after_script = [&](const policy::Policy* rules) {
        const auto c = cluster();
        const quota::LocalQuota provider(records);
        gate::KnownCluster after_script = known(c);
        after_script.script_writes = &writes;
        return gate::Gate(provider, release).decide(request, after_script, rules);
    };
    BOOST_TEST(decide_after_script(nullptr).message.empty(), "nothing is wrong");

    request.qos = "nosuch";
    BOOST_TEST(test::first_line(decide_after_script(nullptr).message) ==
               "set by the site's rules, not by this request: QOS nosuch by script 'compat/job_submit.lua', "
               "time limit 00:20:00 by script 'compat/job_submit.lua'");
    const auto rule = test::load_rule("rule { name = 'r', submit = function(job) job.qos = 'none' end }");
    BOOST_TEST(test::first_line(decide_after_script(rule.get()).message) ==
               "set by the site's rules, not by this request: time limit 00:20:00 by script "
               "'compat/job_submit.lua', QOS none by rule 'r'");
}

BOOST_AUTO_TEST_SUITE_END()
