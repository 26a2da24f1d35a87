// SPDX-License-Identifier: GPL-2.0-or-later
//
// What rules do at a change of a job: their function modify(job, before), and the job as it was before.
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

using Lines = std::vector<std::string>;

/// A change from QOS short, 4 CPUs and 60 minutes to QOS long, 8 CPUs and 120 minutes.
struct ChangeSetup {
    ChangeSetup() {
        before.qos("short").cpus(4).minutes(60);
        after.qos("long").cpus(8).minutes(120);
    }

    RuleOutcome change(const std::string& rule) const {
        return after.change_from(before, *policy_of({{"t.lua", rule}}));
    }
    /// What a rule for changes warns of.
    Lines told(const std::string& body) const { return change(modify_with(body)).warnings; }
    /// The error of a rule for changes, found when it runs.
    std::string failure(const std::string& body) const {
        const auto outcome = change(modify_with("local before, job, _ = before, job, _ENV; " + body));
        BOOST_TEST_REQUIRE(outcome.has_failed);
        return outcome.events.at(0).text;
    }

    Job before;
    Job after;
};

/// Why a rule for changes with this body does not load; "" if it does.
std::string problem_in(const std::string& body) {
    return load_error({{"t.lua", modify_with(body)}});
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(before_a_change, ChangeSetup)

BOOST_AUTO_TEST_CASE(the_rule_reads_both_jobs) {
    BOOST_TEST(told("job:warn('%s %s, %d %d, %d %d', before.qos, job.qos, before.cpus, job.cpus,"
                    " before.time_limit, job.time_limit)") == Lines{"short long, 4 8, 60 120"},
               boost::test_tools::per_element());
    BOOST_TEST(told("for name, count in pairs(before.tres) do if name == 'cpu' then"
                    " job:warn('%d %d %d', count, before.tres.cpu, job.tres.cpu) end end") == Lines{"4 4 8"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_rule_knows_what_the_job_had_set) {
    after.request.reservation = "week";
    BOOST_TEST(told("job:warn('%s %s %s', before:is_set('qos'), before:is_set('reservation'),"
                    " job:is_set('reservation'))") == Lines{"true false true"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_rule_rejects_the_change) {
    const std::string rule =
        modify_with("if job.time_limit > before.time_limit then job:reject('no more time') end");
    BOOST_TEST(change(rule).reject_message == "no more time");

    after.minutes(60);
    BOOST_TEST(!change(rule).rejected);
}

BOOST_AUTO_TEST_CASE(what_it_writes_has_no_effect) {
    const auto outcome = change(modify_with("job.qos = 'other' job:add('features', 'fast')"
                                            " job:warn('%s %s %s', before.qos, job.qos, job.features)"));

    BOOST_TEST(outcome.warnings == Lines{"short long nil"}, boost::test_tools::per_element());
    BOOST_TEST(!outcome.changed);
    BOOST_TEST(change(modify_with("job.tasks = ('many')")).has_failed);
}

BOOST_AUTO_TEST_CASE(each_event_runs_its_function) {
    const std::string both = "rule { submit = function(job) job:warn('submit') end,"
                             " modify = function(job, before) job:warn('modify') end }";
    const std::string submit = rule_with("job:warn('submit')");
    const std::string modify = modify_with("job:warn('modify')");
    const auto told_at_submission = [](const std::string& rule) {
        return Job().run(*policy_of({{"t.lua", rule}})).warnings;
    };
    BOOST_TEST(told_at_submission(both) == Lines{"submit"});
    BOOST_TEST(change(both).warnings == Lines{"modify"});
    BOOST_TEST(told_at_submission(submit) == Lines{"submit"});
    BOOST_TEST(change(submit).warnings == Lines{"submit"});
    BOOST_TEST(told_at_submission(modify) == Lines{});
    BOOST_TEST(change(modify).warnings == Lines{"modify"});
}

BOOST_AUTO_TEST_CASE(a_rule_for_one_event_does_not_run_at_the_other) {
    const auto at_submission = rule_with("job:warn('here')", "on = {'submit'},");
    const auto at_change = rule_with("job:warn('here')", "on = {'modify'},");
    BOOST_TEST(Job().run(*policy_of({{"t.lua", at_submission}})).warnings == Lines{"here"});
    BOOST_TEST(change(at_submission).warnings == Lines{});
    BOOST_TEST(Job().run(*policy_of({{"t.lua", at_change}})).warnings == Lines{});
    BOOST_TEST(change(at_change).warnings == Lines{"here"});
}

BOOST_AUTO_TEST_CASE(the_policy_knows_at_which_events_its_rules_run_and_may_reject) {
    const auto policy =
        policy_of({{"a.lua", rule_with("", "on = {'submit'}, mode = 'warn',")}, {"b.lua", modify_with("")}});
    BOOST_TEST(policy->has_rules_at(JobEvent::submit));
    BOOST_TEST(policy->has_rules_at(JobEvent::modify));
    BOOST_TEST(!policy->has_enforcing_rule_at(JobEvent::submit));
    BOOST_TEST(policy->has_enforcing_rule_at(JobEvent::modify));
    const auto only = policy_of({{"a.lua", rule_with("", "on = {'submit'},")}});
    BOOST_TEST(!only->has_rules_at(JobEvent::modify));
    BOOST_TEST(!only->has_enforcing_rule_at(JobEvent::modify));
    BOOST_TEST(only->has_enforcing_rule_at(JobEvent::submit));
}

BOOST_AUTO_TEST_CASE(rules_left_over_when_time_ends_are_those_of_the_event) {
    const auto policy = policy_of({{"site.lua", "site { rule_instructions = 10000000, rule_time_ms = 1 }"},
                                   {"a.lua", rule_with("while true do end", "on_error = 'allow',")},
                                   {"b.lua", rule_with("", "on = {'submit'},")},
                                   {"c.lua", modify_with("")}});
    const auto outcome = after.change_from(before, *policy);
    BOOST_TEST(has_text(outcome.reject_message, "the rule 'c' (c.lua) failed: it was not run: "));
    BOOST_TEST(has_text(Job().run(*policy).reject_message, "the rule 'b' (b.lua) failed: it was not run: "));
}

BOOST_AUTO_TEST_CASE(a_value_that_is_returned_names_the_function) {
    BOOST_TEST(has_text(change(modify_with("return (false)")).reject_message, "modify returned false"));
    BOOST_TEST(has_text(change(rule_with("return (false)")).reject_message, "submit returned false"));
}

BOOST_AUTO_TEST_CASE(the_job_before_is_read_only) {
    BOOST_TEST(
        has_text(failure("before.qos = 'x'"), "before cannot be changed: it is the job before the change"));
    BOOST_TEST(has_text(failure("before.tres.cpu = 1"), "cannot be changed"));
    for (const char* function : {"reject", "warn", "note", "stop"})
        BOOST_TEST(has_text(failure(text::format("before:{}('x')", function)),
                            text::format("write job:{}(...)", function)));
    BOOST_TEST(has_text(failure("before.reject(job, 'x')"), "write job:reject(...)"));
    BOOST_TEST(has_text(failure("return before.qoss"), "unknown field 'qoss' of before; did you mean qos?"));
    BOOST_TEST(has_text(failure("before.is_set(job, 'qos')"), "called with a colon"));
    BOOST_TEST(has_text(failure("job.warn(before, 'x')"), "called with a colon"));
}

BOOST_AUTO_TEST_CASE(the_job_before_is_there_only_during_its_change) {
    const auto policy =
        policy_of({{"t.lua", "local saved rule { modify = function(job, before) saved = before "
                             "end, submit = function(job) return saved.qos end }"}});
    BOOST_TEST(!after.change_from(before, *policy).rejected);
    BOOST_TEST(has_text(Job().run(*policy).reject_message,
                        "before can be used only while modify = function(job, before) is run"));
}

BOOST_AUTO_TEST_CASE(a_job_that_was_not_read_before_fails_the_rule_that_looks_at_it) {
    before.request.unread = model::UnreadText{"licenses", 4096, "bytes"};
    BOOST_TEST(has_text(change(modify_with("job:warn('%s', before.qos)")).reject_message,
                        "the job before the change cannot be read, because one of its texts is too long"));
    BOOST_TEST(!change(modify_with("job:warn('%s', job.qos)")).rejected);
}

BOOST_AUTO_TEST_CASE(a_misspelt_name_is_found_when_the_file_is_loaded) {
    BOOST_TEST(has_text(problem_in("if false then return before.node end"),
                        "t.lua:2: unknown field 'node' of before; did you mean nodes?"));
    BOOST_TEST(has_text(problem_in("if false then return job.node end"), "unknown field 'node' of job"));
    BOOST_TEST(has_text(problem_in("if false then return before:is_set('qoss') end"),
                        "unknown field 'qoss' of before"));
    BOOST_TEST(has_text(problem_in("if false then before.qos = 'x' end"), "before.qos cannot be changed"));
    BOOST_TEST(has_text(problem_in("if false then before:reject('x') end"), "write job:reject(...)"));
    BOOST_TEST(has_text(problem_in("if false then before:rejct('x') end"),
                        "unknown function 'before:rejct' (there are: is_set)"));
    BOOST_TEST(has_text(problem_in("if false then return before.is_set('qos') end"),
                        "write before:is_set(...), with a colon"));
    BOOST_TEST(problem_in("before = {} return before.anything") == "");
    BOOST_TEST(problem_in("local before = {} local x = before.anything") == "");
}

BOOST_AUTO_TEST_CASE(a_function_given_by_name_is_checked_for_what_it_gets) {
    const auto problem = [](const std::string& source) { return load_error({{"t.lua", source}}); };
    BOOST_TEST(has_text(problem("local function check(new, old) if false then return old.node end end\n"
                                "rule { modify = check }"),
                        "t.lua:1: unknown field 'node' of before"));
    BOOST_TEST(has_text(problem("local function check(new) if false then return new.node end end\n"
                                "rule { modify = check, submit = check }"),
                        "t.lua:1: unknown field 'node' of job"));
    BOOST_TEST(has_text(problem("local modify = function(job, before) end rule { modify = modify, x = 1 }"),
                        "unknown key 'x'"));
}

BOOST_AUTO_TEST_SUITE_END()
