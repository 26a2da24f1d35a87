// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rules that fail again and again (setting rule_failures).
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <thread>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

/// A policy as it decides about jobs. The rule fails for jobs of QOS "bad" and rejects those of QOS "no".
std::shared_ptr<const Policy> counting(const std::string& keys, const std::string& site = "rule_failures = 3",
                                       bool counts_failures = true) {
    const std::string body = at_run_time("if job.qos == 'no' then job:reject('not you') end "
                                         "if job.qos == 'bad' then local x = job.tasks + 1 end "
                                         "job.comment = 'seen'");
    SourceDirectory directory{true,
                              {{"10-r.lua", rule_with(body, keys)}, {"site.lua", "site { " + site + " }"}}};
    const auto policy =
        compile_policy(std::move(directory), {.generation = 1, .counts_failures = counts_failures});
    if (!policy) throw std::runtime_error(policy.error().message);
    return *policy;
}

RuleOutcome run(const Policy& policy, const std::string& qos) {
    return Job().qos(qos).run(policy);
}

void fail(const Policy& policy, int times) {
    for (int i = 0; i < times; ++i)
        run(policy, "bad");
}

bool rejects(const Policy& policy) {
    return run(policy, "no").rejected;
}

/// The rules that fail: "10-r 2", "10-r 0 only warns".
std::string failing(const Policy& policy) {
    std::string all;
    for (const FailingRule& rule : policy.failing_rules())
        all += qg::text::format("{} {}{}", rule.name, rule.failures_in_a_row,
                                rule.only_warns ? " only warns" : "");
    return all;
}

const std::string allow = "on_error = 'allow',";

} // namespace

BOOST_AUTO_TEST_SUITE(rule_failures)

BOOST_AUTO_TEST_CASE(a_rule_enforces_until_the_nth_failure_in_a_row_and_only_warns_from_it_on) {
    const auto policy = counting(allow);
    fail(*policy, 2);
    BOOST_TEST(failing(*policy) == "10-r 2");
    BOOST_TEST(rejects(*policy)); // and this is a success: it counts anew
    fail(*policy, 3);

    const auto outcome = run(*policy, "no");

    BOOST_TEST(!outcome.rejected);
    BOOST_TEST(outcome.warnings == std::vector<std::string>{"note (not enforced, rule '10-r'): not you"},
               boost::test_tools::per_element());
    BOOST_TEST(event_kinds(outcome) == "not enforced ");
    BOOST_TEST(!run(*policy, "good").changed);
    BOOST_TEST(failing(*policy) == "10-r 0 only warns");
}

BOOST_AUTO_TEST_CASE(the_switch_is_one_error) {
    const auto policy = counting(allow);
    fail(*policy, 2);

    const auto third = run(*policy, "bad");
    BOOST_TEST(event_kinds(third) == "error error ");
    BOOST_TEST(
        third.events.at(1).text ==
        "it failed 3 times in a row: it only warns from now on, as in mode \"warn\", until the rules or "
        "settings change (setting rule_failures)");
    BOOST_TEST(event_kinds(run(*policy, "bad")) == "error ");
}

BOOST_AUTO_TEST_CASE(a_success_between_failures_keeps_the_rule_in_force) {
    const auto policy = counting(allow);
    for (int i = 0; i < 5; ++i) {
        fail(*policy, 2);
        BOOST_TEST(run(*policy, "good").changed.has_value());
    }
    BOOST_TEST(policy->failing_rules().empty());
    BOOST_TEST(rejects(*policy));
}

BOOST_AUTO_TEST_CASE(a_rule_that_denies_on_errors_is_never_switched) {
    for (const char* keys : {"", "on_error = 'deny',"}) {
        const auto policy = counting(keys);
        fail(*policy, 10);

        BOOST_TEST(run(*policy, "bad").rejected);
        BOOST_TEST(failing(*policy) == "10-r 11");
        BOOST_TEST(rejects(*policy));
    }
}

BOOST_AUTO_TEST_CASE(nothing_is_switched_by_default_nor_with_zero_nor_in_a_policy_that_is_tried) {
    for (const auto& policy : {counting(allow, ""), counting(allow, "rule_failures = 0"),
                               counting(allow, "rule_failures = 1", /*counts_failures=*/false)}) {
        fail(*policy, 20);
        BOOST_TEST(rejects(*policy));
    }
}

BOOST_AUTO_TEST_CASE(one_failure_is_enough_if_the_site_says_so) {
    const auto policy = counting("on_error = 'warn',", "rule_failures = 1");
    BOOST_TEST(rejects(*policy));
    fail(*policy, 1);
    BOOST_TEST(!rejects(*policy));
}

BOOST_AUTO_TEST_CASE(a_rule_that_did_not_run_has_not_failed) {
    const auto policy = counting(allow + " exempt = { 'ana' },");
    fail(*policy, 5);
    BOOST_TEST(policy->failing_rules().empty());
}

BOOST_AUTO_TEST_CASE(threads_switch_a_rule_once) {
    const auto policy = counting(allow, "rule_failures = 100");
    std::atomic<int> switches = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int job = 0; job < 50; ++job)
                if (event_kinds(run(*policy, "bad")) == "error error ") ++switches;
        });
    for (std::thread& thread : threads)
        thread.join();
    BOOST_TEST(switches == 1);
    BOOST_TEST(failing(*policy) == "10-r 200 only warns");
}

BOOST_AUTO_TEST_CASE(a_job_that_a_rule_does_not_look_at_is_no_success_of_it) {
    SourceDirectory directory{
        true,
        {{"10-a.lua", rule_with("local x = job.qos")},
         {"20-r.lua", rule_with("if job.qos == 'bad' then error('bad') end", allow + "exempt = { 'ana' },")},
         {"site.lua", "site { rule_failures = 3 }"}}};
    const auto policy = compile_policy(std::move(directory),
                                       {.generation = 1, .counts_failures = true, .lets_rules_rest = true})
                            .value();
    const auto run_for = [&policy](std::string_view user, const char* qos) {
        Job job;
        job.user_name = user;
        job.qos(qos).run(*policy);
    };
    for (int i = 0; i < 6; ++i) // the rules need not run any more
        run_for("ben", "normal");
    run_for("ben", "bad");
    run_for("ben", "bad");
    run_for("ana", "normal");
    BOOST_TEST(failing(*policy) == "20-r 2");
    run_for("ben", "normal");
    BOOST_TEST(failing(*policy) == "");
}

BOOST_AUTO_TEST_CASE(what_a_rule_does_about_a_job_that_may_never_be_is_not_counted) {
    const auto policy = counting(allow, "rule_failures = 2");
    const auto try_out = [&](const std::string& qos) {
        Job job;
        job.qos(qos);
        RuleInput facts = job.facts();
        facts.is_trial = true;
        return policy->run_at_change(job.request, facts, nullptr);
    };
    fail(*policy, 1);
    try_out("bad");
    BOOST_TEST(failing(*policy) == "10-r 1");
    try_out("normal");
    BOOST_TEST(failing(*policy) == "10-r 1");
    fail(*policy, 1);
    BOOST_TEST(failing(*policy) == "10-r 2 only warns");
    BOOST_TEST(!try_out("no").rejected); // as it runs now
}

BOOST_AUTO_TEST_SUITE_END()
