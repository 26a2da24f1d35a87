// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tests of rules in the cluster of a file of 'qosgate capture'.
#include "support/policy_test_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

constexpr const char* capture = R"({
    "captured_at": 1795000000,
    "tres": ["cpu", "mem", "energy", "node", "billing", "gres/gpu"],
    "enforce": ["associations", "limits", "qos"],
    "qos": [{"name": "gpu", "MaxTRESPerUser": {"gpu": 4},
             "usage": {"users": {"1017": {"tres": {"gpu": 3}}}}}, {"name": "low"}],
    "partitions": [{"name": "main", "is_default": true, "default_time": 30}],
    "associations": [{"level": "user", "user": 1017, "user_name": "ana", "account": "bio", "parent": 1,
                      "default_qos": "gpu"},
                     {"level": "root", "account": "root"}]
})";

/// What is told of a test with this table beside files.
std::string told(const std::string& body, const std::string& table, std::vector<SourceFile> files) {
    files.push_back({"tests/t.lua", "test 'x' { " + table + " }"});
    gate::ScenarioWorld world(tested_release);
    std::string problems;
    const auto policy = policy_of({{"t.lua", "rule { submit = function(job, view)\n" + body + "\nend }"}});
    const auto done = run_tests(*policy, files, {.world = &world},
                                [&](const PolicyTest& /*test*/, const TestResult& result) {
                                    problems = text::join(result.problems, "; ");
                                });
    return done ? problems : done.error().message;
}

std::string told_of(const std::string& body, const std::string& table) {
    return told(body, table, {{"tests/monday.json", capture}});
}

constexpr const char* overflow =
    "local gpu = view.qos('gpu') if gpu:headroom().tres.gpu < job.gpus then job.qos = 'low' end";

} // namespace

BOOST_AUTO_TEST_SUITE(tests_in_captures)

BOOST_AUTO_TEST_CASE(rules_see_the_cluster_of_the_capture) {
    const std::string given = "given = 'monday.json', ";
    BOOST_TEST(told_of(overflow,
                       given + "job = { user = 'ana', gpus = 2 }, expect = { job = { qos = 'low' } }") == "");
    BOOST_TEST(told_of(overflow,
                       given + "job = { user = 'ana', gpus = 1 }, expect = { job = { qos = 'gpu' } }") == "");
    const std::string now = "if view.now.seconds ~= 1795000000 then job:reject('another time') end";
    BOOST_TEST(told_of(now, given + "expect = { accept = true }") == "");
}

BOOST_AUTO_TEST_CASE(jobs_have_the_users_ids_and_defaults) {
    const std::string body = "if job.uid == 1017 and job.account == 'bio' and job.partition == 'main' and "
                             "job.time_limit == 30 then job:reject('known') end";
    BOOST_TEST(
        told_of(body, "given = 'monday.json', job = { user = 'ana' }, expect = { reject = 'known' }") == "");
    BOOST_TEST(told_of(body, "given = 'monday.json', job = { uid = 1017 }, expect = { reject = 'known' }") ==
               "");
    BOOST_TEST(told_of(body, "given = 'monday.json', job = { uid = 1018 }, expect = { accept = true }") ==
               "");
}

BOOST_AUTO_TEST_CASE(what_the_capture_has_not_is_told) {
    const auto problem = [](const std::string& table) {
        return told_of("", table + ", expect = { accept = true }");
    };
    BOOST_TEST(problem("given = 'monday.json', job = { user = 'bob' }") ==
               "given: tests/monday.json has no user \"bob\": name one that it has, or give job.uid, too");
    BOOST_TEST(problem("given = 'monday.json', job = { user = 'bob', uid = 5 }") == "");
    BOOST_TEST(has_text(problem("given = 'monday.json', job = { tres = { ['license/x'] = 1 } }"),
                        "given: the cluster does not count the TRES \"license/x\" of the job: cpu, mem"));
    BOOST_TEST(problem("given = 'friday.json'") ==
               "given: there is no file tests/friday.json: put what 'qosgate capture' wrote there");
    BOOST_TEST(has_text(problem("given = '../monday.json'"), "there is no file tests/../monday.json"));
}

BOOST_AUTO_TEST_CASE(files_that_are_no_captures_are_told) {
    const auto problem = [](const char* content) {
        return told("", "given = 'x.json', expect = { accept = true }", {{"tests/x.json", content}});
    };
    BOOST_TEST(has_text(problem("{"), "given: tests/x.json: "));
    BOOST_TEST(problem("{}") == "given: tests/x.json: not a file of 'qosgate capture'");
    BOOST_TEST(
        has_text(problem("{\"captured_at\": 1, \"qso\": []}"), "qso: is not a key of a scenario here"));
}

BOOST_AUTO_TEST_CASE(several_tests_may_name_several_captures) {
    const std::string tests = "for _, user in ipairs { 'ana', 'bob', 'ana' } do test(user) { given = user .. "
                              "'.json', job = { user = user },"
                              " expect = { reject = user } } end";
    std::string other(capture);
    other.replace(other.find("\"ana\""), 5, "\"bob\"");
    const std::vector<SourceFile> files{
        {"tests/ana.json", capture}, {"tests/bob.json", other}, {"tests/t.lua", tests}};
    gate::ScenarioWorld world(tested_release);
    int passed = 0;
    const auto done = run_tests(*one_rule("job:reject(job.user)"), files, {.world = &world},
                                [&](const PolicyTest& /*test*/, const TestResult& result) {
                                    BOOST_TEST(result.has_passed(), text::join(result.problems, "; "));
                                    ++passed;
                                });
    BOOST_TEST(done.has_value());
    BOOST_TEST(passed == 3);
}

BOOST_AUTO_TEST_CASE(test_files_use_modules_and_data_of_the_rules) {
    const auto policy = compile_policy(
        {true,
         {{"a.lua", "rule { submit = function(job) if job.gpus > 2 then job:reject('many') end end }"},
          {"lib/sizes.lua", "return { large = 3 }"},
          {"data/sizes.json", "{\"small\": 2}"}}});
    BOOST_TEST_REQUIRE(policy.has_value());
    const std::vector<SourceFile> files{
        {"tests/t.lua",
         "test 'l' { job = { gpus = require('sizes').large }, expect = { reject = 'many' } }\n"
         "test 's' { job = { gpus = data('sizes.json').small }, expect = { accept = true } }"}};
    gate::ScenarioWorld world(tested_release);
    const auto done =
        run_tests(**policy, files, {.world = &world}, [](const PolicyTest&, const TestResult& result) {
            BOOST_TEST(result.has_passed(), text::join(result.problems, "; "));
        });
    BOOST_TEST(done.has_value());

    const std::vector<SourceFile> wrong{{"tests/t.lua", "local s = require('size')"}};
    const auto error =
        run_tests(**policy, wrong, {.world = &world}, [](const PolicyTest&, const TestResult&) {});
    BOOST_TEST_REQUIRE(!error.has_value());
    BOOST_TEST(error.error().message.starts_with("tests/t.lua:1: "), error.error().message);
}

BOOST_AUTO_TEST_SUITE_END()
