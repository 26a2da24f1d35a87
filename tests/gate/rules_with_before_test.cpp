// SPDX-License-Identifier: GPL-2.0-or-later
//
// What rules read of the job as it was before a change: names, defaults and counts as slurmctld has them.
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;

namespace {

using Lines = std::vector<std::string>;

/// Ana's job in main is moved to viz and grows from 2 to 4 CPUs.
struct BeforeSetup : test::GateSetup {
    BeforeSetup() {
        request.submit_uid = 1000;
        request.account = "hpc-users";
        request.partition = "main";
        request.qos = "normal";
        request.time_limit = TimeLimit{60};
        update = {.job_id = 17, .before = request, .after = request};
        update.before.tasks = update.before.min_cpus = 2;
        update.after.tasks = update.after.min_cpus = 4;
        update.after.partition = "viz";
    }

    model::Decision change(std::string_view rule) const {
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        const gate::KnownCluster known(is_cluster_known ? &c : nullptr, may_have_changed);
        const auto policy = test::load_rule(rule);
        return gate::Gate(provider, release).decide_update(update, known, policy.get());
    }
    /// What a rule for changes with this body tells.
    Lines told(const std::string& body) const {
        return change("rule { modify = function(job, before) " + body + " end }").message;
    }

    model::JobUpdate update;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rules_with_before, BeforeSetup)

BOOST_AUTO_TEST_CASE(both_jobs_are_counted) {
    BOOST_TEST(told("job:note('%d %d, %d %d, %d %d', before.cpus, job.cpus, before.memory, job.memory,"
                    " before.array_tasks, job.array_tasks)") == Lines{"2 4, 2000 4000, 1 1"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(counts_are_there_also_if_limits_are_not_judged) {
    const std::string body = "job:note('%d %d', before.cpus, job.cpus)";
    is_cluster_known = false;
    BOOST_TEST(told(body) == Lines{"2 4"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(names_read_as_slurmctld_reads_them) {
    update.before.partition = "main,";
    update.before.qos = "NORMAL";
    update.before.account = "HPC-Users";
    BOOST_TEST(told("job:note('%s %s %s', before.partition, before.qos, before.account)") ==
                   Lines{"main normal hpc-users"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_array_of_a_job_counts_as_one_task) {
    update.before.array = "not a list";
    BOOST_TEST(told("job:note('%d', before.array_tasks)") == Lines{"1"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_rule_rejects_what_grows) {
    const std::string body = "if job.cpus > before.cpus then job:reject('no growth') end";
    BOOST_TEST(told(body) == Lines{"no growth"}, boost::test_tools::per_element());
    update.after.tasks = update.after.min_cpus = 2;
    BOOST_TEST(told(body).empty());
}

BOOST_AUTO_TEST_CASE(limits_of_the_change_are_judged_as_without_the_rule) {
    qos(0).flags.deny_on_limit = true;
    qos(0).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), 3);
    const auto with = change("rule { modify = function(job, before) local n = before.cpus end }");
    const auto without = change("rule { on = {'submit'}, submit = function(job) end }");
    BOOST_TEST(with.message == without.message, boost::test_tools::per_element());
    BOOST_TEST(!with.message.empty());
}

BOOST_AUTO_TEST_CASE(rules_for_submissions_only_do_not_run) {
    const std::string reject = "submit = function(job) job:reject('no') end }";
    BOOST_TEST(change("rule { on = {'submit'}, " + reject).reject == RejectCode::none);
    BOOST_TEST(change("rule { " + reject).reject == RejectCode::access_denied);
}

BOOST_AUTO_TEST_CASE(a_change_that_is_too_large_to_read_is_refused_only_for_rules_that_would_see_it) {
    update.after.unread = model::UnreadText{"licenses", 4096, "bytes", {}, true};
    BOOST_TEST(change("rule { submit = function(job) end }").reject == RejectCode::text_too_long);
    BOOST_TEST(change("rule { on = {'submit'}, submit = function(job) end }").reject == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(each_rejection_has_a_line_of_its_own_and_the_contact_follows) {
    const auto policy =
        test::load_rules({{"site.lua", "site { contact = 'help@site' }"},
                          {"a.lua", "rule { submit = function(job) job:reject('one') end }"},
                          {"b.lua", "rule { submit = function(job) job:reject('two') end }"}});
    const auto decision = decide(policy.get());
    BOOST_TEST(decision.message == (Lines{"rule 'a': one", "rule 'b': two", "questions: help@site"}),
               boost::test_tools::per_element());
    BOOST_TEST_REQUIRE(decision.log.size() == 2u);
    BOOST_TEST(decision.log[1].text.starts_with("rejected user=ana(1000)"));
    BOOST_TEST(decision.log[1].text.ends_with("rule 'b' (b.lua): two"));
}

BOOST_AUTO_TEST_CASE(a_note_is_logged_as_one) {
    const auto policy = test::load_rule("rule { submit = function(job) job:note('hello') end }");
    const auto decision = decide(policy.get());
    BOOST_TEST(decision.message == Lines{"hello"}, boost::test_tools::per_element());
    BOOST_TEST_REQUIRE(decision.log.size() == 1u);
    BOOST_TEST(decision.log[0].level == LogLevel::info);
    BOOST_TEST(decision.log[0].text.starts_with("noted user=ana(1000)"));
}

BOOST_AUTO_TEST_CASE(rules_see_a_change_of_what_they_look_at) {
    const std::string on_comment =
        "rule { submit = function(job) if job.comment == 'no' then job:reject('comment') end end }";
    const std::string on_all = "rule { submit = function(job) job:reject('all') end }";
    update.parts = {model::UpdatePart::comment};
    update.after.comment = "no";
    BOOST_TEST(change(on_comment).reject == RejectCode::access_denied);
    BOOST_TEST(change(on_all).reject == RejectCode::none);
    update.after.comment = "yes";
    BOOST_TEST(change(on_comment).reject == RejectCode::none);
    update.parts = {model::UpdatePart::wckey};
    update.after.comment = "no";
    BOOST_TEST(change(on_comment).reject == RejectCode::none);
    update.parts = {model::UpdatePart::limits};
    BOOST_TEST(change(on_all).reject == RejectCode::access_denied);
}

BOOST_AUTO_TEST_CASE(a_rule_that_fails_at_such_a_change_does_as_on_error_says) {
    const auto rule = [](const std::string& keys) {
        return "rule { " + keys + " submit = function(job) local x = #job.comment .. {} end }";
    };
    update.parts = {model::UpdatePart::comment};
    update.after.comment = "x";
    BOOST_TEST(change(rule("")).reject == RejectCode::access_denied);
    const auto allowed = change(rule("on_error = 'allow',"));
    BOOST_TEST(allowed.reject == RejectCode::none);
    BOOST_TEST(allowed.log.size() == 1u);
    update.parts = {model::UpdatePart::nice};
    BOOST_TEST(change(rule("")).reject == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(limits_are_judged_if_the_change_touches_them) {
    qos(0).flags.deny_on_limit = true;
    qos(0).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), 3);
    const std::string rule = "rule { submit = function(job) local n = job.nice end }";
    BOOST_TEST(!change(rule).message.empty());
    update.parts = {model::UpdatePart::nice};
    BOOST_TEST(change(rule).message.empty());
    update.after.unread = model::UnreadText{"admin_comment", 4096, "bytes", {}, false};
    BOOST_TEST(change(rule).reject == RejectCode::text_too_long);
    update.parts = {model::UpdatePart::wckey};
    BOOST_TEST(change(rule).reject == RejectCode::none);
}

BOOST_AUTO_TEST_SUITE_END()
