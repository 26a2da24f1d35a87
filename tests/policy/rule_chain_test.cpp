// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>

using namespace qg::policy;
using namespace qg::test;

BOOST_AUTO_TEST_SUITE(rule_chain)

BOOST_AUTO_TEST_CASE(accepts_and_leaves_alone_what_no_rule_touches) {
    Job job;
    const auto outcome = job.run(*one_rule("if job.gpus > 0 then job:reject('no GPUs') end"));

    BOOST_TEST(!outcome.rejected);
    BOOST_TEST(!outcome.changed);
    BOOST_TEST(outcome.events.empty());
}

BOOST_AUTO_TEST_CASE(rejects_with_the_rule_s_own_words) {
    Job job;
    const auto outcome =
        job.gpus(1).run(*one_rule("if job.gpus > 0 then job:reject('no %d GPUs', job.gpus) end"));

    BOOST_TEST(outcome.rejected);
    BOOST_TEST(outcome.reject_message == "no 1 GPUs");
    BOOST_TEST(event_kinds(outcome) == "rejected ");
    BOOST_TEST(outcome.events.at(0).file == "t.lua");
    BOOST_TEST(outcome.events.at(0).rule == "t");
}

BOOST_AUTO_TEST_CASE(ends_the_rule_at_a_rejection_and_with_stop_the_chain) {
    const auto warnings_with = [](const std::string& keys) {
        const auto policy =
            policy_of({{"a.lua", rule_with("job:warn('one') job:reject('two') job:warn('three')", keys)},
                       {"b.lua", rule_with("job:warn('four')")}});
        const auto outcome = Job().run(*policy);
        BOOST_TEST(outcome.reject_message == "two");
        return outcome.warnings;
    };
    BOOST_TEST(warnings_with("stop = true,") == std::vector<std::string>{"one"},
               boost::test_tools::per_element());
    for (const char* keys : {"", "stop = false,"})
        BOOST_TEST(warnings_with(keys) == (std::vector<std::string>{"one", "four"}),
                   boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(does_not_let_pcall_keep_a_rejection) {
    BOOST_TEST(
        outcome_of_rule("pcall(function() job:reject('no') end) job:warn('still here')").reject_message ==
        "no");
    BOOST_TEST(outcome_of_rule("pcall(job.reject, job, 'no')").reject_message == "no");
    BOOST_TEST(outcome_of_rule("('x'):gsub('x', function() job:reject('no') end)").reject_message == "no");
}

BOOST_AUTO_TEST_CASE(rejects_without_words_by_naming_the_rule) {
    BOOST_TEST(outcome_of_rule("job:reject()", "name = 'no fun',").reject_message ==
               "rejected by the site's rule 'no fun'");
}

BOOST_AUTO_TEST_CASE(runs_rules_in_the_order_of_file_names_each_seeing_the_changes_before) {
    TempDirectory temp;
    temp.write("20-b.lua", rule_with("job:warn('b %s %s', job.qos, tostring(job:is_set('qos')))"));
    temp.write("10-a.lua",
               rule_with("job:warn('a %s %s', job.qos, tostring(job:is_set('qos'))) job.qos = 'long'"));
    const auto policy = load_policy(temp.directory());
    BOOST_TEST_REQUIRE(policy.has_value());
    Job job;
    const auto outcome = job.run(**policy);

    BOOST_TEST(outcome.warnings == (std::vector<std::string>{"a normal false", "b long true"}),
               boost::test_tools::per_element());
    BOOST_TEST(outcome.changed.has_value());
    BOOST_TEST(*job.request.qos == "long");
    BOOST_TEST(outcome.events.at(1).text == "qos: (unset) -> long");
}

BOOST_AUTO_TEST_CASE(leaves_a_rejected_job_as_it_came_in) {
    const auto policy =
        policy_of({{"a.lua", rule_with("job.qos = 'long'")}, {"b.lua", rule_with("job:reject('no')")}});
    Job job;
    const auto outcome = job.qos("short").run(*policy);

    BOOST_TEST(outcome.rejected);
    BOOST_TEST(!outcome.changed);
    BOOST_TEST(*job.request.qos == "short");
}

BOOST_AUTO_TEST_CASE(counts_a_write_of_the_same_value_as_no_change) {
    Job job;
    const auto outcome = job.qos("short").run(*one_rule("job.qos = 'short' job.time_limit = nil"));

    BOOST_TEST(!outcome.changed);
    BOOST_TEST(outcome.events.empty());
}

BOOST_AUTO_TEST_CASE(tells_the_user_but_rejects_and_changes_nothing_in_mode_warn) {
    Job job;
    const auto policy =
        policy_of({{"a.lua", rule_with("job.qos = 'long' job:warn('moved to long')", "mode = 'warn',")},
                   {"b.lua", rule_with("job:reject('no')", "mode = 'warn',")}});
    const auto outcome = job.run(*policy);

    BOOST_TEST(!outcome.rejected);
    BOOST_TEST(!outcome.changed);
    BOOST_TEST(!job.request.qos.has_value());
    const std::vector<std::string> notes{"note (not enforced, rule 'a'): moved to long",
                                         "note (not enforced, rule 'b'): no"};
    BOOST_TEST(outcome.warnings == notes, boost::test_tools::per_element());
    BOOST_TEST(event_kinds(outcome) == "not enforced not enforced not enforced ");
    BOOST_TEST(outcome.events.at(0).text == "moved to long");
    BOOST_TEST(outcome.events.at(1).text == "qos: (unset) -> long");
    BOOST_TEST(outcome.events.at(2).text == "would reject: no");
}

BOOST_AUTO_TEST_CASE(only_records_in_mode_shadow) {
    Job job;
    const auto outcome =
        job.run(*one_rule("job.qos = 'long' job:warn('hm') job:reject('no')", "mode = 'shadow',"));

    BOOST_TEST(!outcome.rejected);
    BOOST_TEST(!outcome.changed);
    BOOST_TEST(outcome.warnings.empty());
    BOOST_TEST(event_kinds(outcome) == "shadow shadow ");
}

BOOST_AUTO_TEST_CASE(denies_by_default_when_a_rule_fails_naming_file_rule_line_and_contact) {
    const auto policy = policy_of({{"site.lua", "site { contact = 'help@site' }"},
                                   {"10-x.lua", rule_with("local t = nil\nt.x = 1", "name = 'big jobs',")}});
    Job job;
    const auto outcome = job.run(*policy);

    BOOST_TEST(outcome.rejected);
    BOOST_TEST(
        outcome.reject_message ==
        "This job was not accepted because the rule 'big jobs' (10-x.lua) failed: 10-x.lua:3: attempt to "
        "index a nil value (local 't'); please tell help@site");
    BOOST_TEST(event_kinds(outcome) == "error rejected ");
    BOOST_TEST(has_text(outcome.events.at(0).detail, "10-x.lua:3: in function"), outcome.events.at(0).detail);
    BOOST_TEST(outcome.events.at(1).text == "the rule failed");
}

BOOST_AUTO_TEST_CASE(records_what_a_failure_leads_to) {
    const auto recorded = [](const std::string& keys) {
        return outcome_of_rule("error('x', 0)", keys).events.at(0).text;
    };
    BOOST_TEST(recorded("") == "x; rejected because of on_error = \"deny\"");
    BOOST_TEST(recorded("on_error = 'allow',") == "x; ignored because of on_error = \"allow\"");
    BOOST_TEST(recorded("on_error = 'warn',") == "x; ignored because of on_error = \"warn\"");
    BOOST_TEST(recorded("mode = 'warn',") == "x; ignored because of mode = \"warn\"");
    BOOST_TEST(recorded("mode = 'shadow', on_error = 'deny',") == "x; ignored because of mode = \"shadow\"");
    for (const char* keys :
         {"on_error = 'allow',", "on_error = 'warn',", "mode = 'warn',", "mode = 'shadow',"})
        BOOST_TEST(event_kinds(outcome_of_rule("error('x')", keys)) == "error ");
}

BOOST_AUTO_TEST_CASE(records_the_call_stack_of_a_failure_in_one_line) {
    const auto outcome =
        outcome_of_rule("local function f() error('x') end\nlocal function g() f() end\ng()");

    const std::string& stack = outcome.events.at(0).detail;
    BOOST_TEST(has_text(stack, "t.lua:2: in "), stack);
    BOOST_TEST(has_text(stack, "; t.lua:3: in "), stack);
    BOOST_TEST(stack.find_first_of("\n\t") == std::string::npos, stack);
}

BOOST_AUTO_TEST_CASE(goes_on_after_a_failure_where_on_error_allows_and_undoes_what_the_rule_did) {
    const auto policy = policy_of({{"a.lua", rule_with("job.qos = 'long' error('x')", "on_error = 'allow',")},
                                   {"b.lua", rule_with("job:warn('%s', job.qos)")}});
    Job job;
    const auto outcome = job.run(*policy);

    BOOST_TEST(!outcome.rejected);
    BOOST_TEST(!outcome.changed);
    BOOST_TEST(outcome.warnings == std::vector<std::string>{"normal"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(tells_the_user_of_a_failure_where_on_error_is_warn) {
    const auto outcome = outcome_of_rule("error('x')", "on_error = 'warn',");

    BOOST_TEST(!outcome.rejected);
    BOOST_TEST(outcome.warnings.at(0) == "The rule 't' (t.lua) was not applied because it failed: t.lua:2: "
                                         "x; please tell your administrators");
}

BOOST_AUTO_TEST_CASE(never_denies_for_a_failure_outside_mode_enforce) {
    BOOST_TEST(!outcome_of_rule("error('x')", "mode = 'warn',").rejected);
    BOOST_TEST(outcome_of_rule("error('x')", "mode = 'warn',").warnings.size() == 1u);
    BOOST_TEST(!outcome_of_rule("error('x')", "mode = 'shadow',").rejected);
    BOOST_TEST(outcome_of_rule("error('x')", "mode = 'shadow',").warnings.empty());
}

BOOST_AUTO_TEST_CASE(treats_a_returned_value_as_a_mistake) {
    BOOST_TEST(has_text(outcome_of_rule("return (false)").reject_message,
                        "submit returned false: a rule returns nothing"));
    BOOST_TEST(has_text(outcome_of_rule("return ('no')").reject_message, "submit returned \"no\""));
    BOOST_TEST(!outcome_of_rule("return nil").rejected);
}

BOOST_AUTO_TEST_CASE(drops_warnings_beyond_ten) {
    BOOST_TEST(outcome_of_rule("for i = 1, 10 do job:warn('%d', i) end").warnings.size() == 10u);
    BOOST_TEST(outcome_of_rule("for i = 1, 11 do job:warn('%d', i) end").warnings.size() == 10u);
}

BOOST_AUTO_TEST_CASE(keeps_state_between_jobs_out_of_globals) {
    for (const std::string body : {"seen = (seen or 0) + 1", "string.seen = 1", "job.seen = 1"}) {
        BOOST_TEST(outcome_of_rule(at_run_time(body)).rejected);
        BOOST_TEST(!load_error({{"t.lua", rule_with(body)}}).empty());
    }
}

BOOST_AUTO_TEST_CASE(gives_no_job_outside_of_a_run) {
    const auto policy = one_rule(at_run_time("if saved then job:warn('%s', saved.qos) end"), "");
    BOOST_TEST(Job().run(*policy).rejected); // a global

    const auto kept =
        policy_of({{"t.lua", "local saved rule { submit = function(job) if saved then job:warn('%s', "
                             "saved.name) end saved = job end }"}});
    Job first;
    Job second;
    first.request.name = "first";
    second.request.name = "second";
    (void)first.run(*kept);
    const auto outcome = second.run(*kept);
    BOOST_TEST(outcome.warnings.at(0) == "second"); // the object always shows the present job
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(message_format)

BOOST_AUTO_TEST_CASE(formats_like_the_interpreter) {
    const auto warned = [](const std::string& arguments) {
        return outcome_of_rule("job:warn(" + arguments + ")").warnings;
    };
    const auto check = [&](const std::string& arguments, const std::string& expected) {
        BOOST_TEST_CONTEXT(arguments) {
            BOOST_TEST(warned(arguments) == std::vector{expected});
        }
    };
    check("'plain'", "plain");
    check("'%d%%', 50", "50%");
    check("'%5d|%-5d|%05d', 1, 2, 3", "1|2    |00003"); // the ends of a message are trimmed
    check("'%.2f', 1.005", "1.00");
    check("'%x %X', 255, 255", "ff FF");
    check("'%s %s', 'a', 1", "a 1");
    check("'%3s|%.1s', 'ab', 'xyz'", "ab|x");
    check("'%d', 9223372036854775807", "9223372036854775807");
    check("'%.99f', 0.5", "0.5" + std::string(98, '0'));
}

BOOST_AUTO_TEST_CASE(never_fails_for_the_values_it_is_given) {
    const auto warned = [](const std::string& arguments) {
        return outcome_of_rule("job:warn(" + arguments + ")").warnings.at(0);
    };
    BOOST_TEST(warned("'%d GPUs', nil") == "nil GPUs");
    BOOST_TEST(warned("'%d', 1.5") == "1.5");
    BOOST_TEST(warned("'%d', 'x'") == "x");
    BOOST_TEST(warned("'%s', nil") == "nil");
    BOOST_TEST(warned("'%s %s', 1") == "1 (missing)");
    BOOST_TEST(warned("'%d', math.huge") == "inf");
    BOOST_TEST(warned("'%y %'") == "%y %");
    BOOST_TEST(warned("'%99999d', 1") == "%99999d");
    BOOST_TEST(warned("42") == "42");
    BOOST_TEST(warned("nil") == "nil");
    BOOST_TEST(warned("'%s', true") == "true");
}

BOOST_AUTO_TEST_CASE(makes_one_harmless_line_of_any_text) {
    BOOST_TEST(outcome_of_rule("job:warn('a\\nb\\27[31mc')").warnings.at(0) == "a b?[31mc");
    BOOST_TEST(outcome_of_rule("job:warn(('x'):rep(2000))").warnings.at(0) == std::string(1000, 'x') + "...");
}

BOOST_AUTO_TEST_CASE(asks_for_the_colon) {
    BOOST_TEST(has_text(outcome_of_rule(at_run_time("job.reject('no')")).events.at(0).text,
                        "called with a colon: job:reject(...)"));
}

BOOST_AUTO_TEST_CASE(bounds_the_words_of_all_rules_together) {
    const auto outcome_of = [](int rules, const std::string& word,
                               const std::string& last = "job.comment = 'x'") {
        Texts files;
        for (int i = 0; i < rules; ++i)
            files.emplace_back(std::to_string(1000 + i) + ".lua",
                               rule_with("for i = 1, 10 do job:warn('%s', ('" + word + "')) end"));
        files.emplace_back("z.lua", rule_with(last));
        return Job().run(*policy_of(files));
    };
    const auto bytes_in = [](const RuleOutcome& outcome) {
        std::size_t bytes = 0;
        for (const RuleEvent& event : outcome.events)
            bytes += event.text.size();
        for (const std::string& line : outcome.warnings)
            bytes += line.size();
        return bytes;
    };

    const auto most = outcome_of(20, "w", "local none"); // two hundred lines
    BOOST_TEST(most.events.size() == 200u);
    BOOST_TEST(most.warnings.size() == 200u);
    BOOST_TEST(most.events.back().text == "w");

    const auto more = outcome_of(21, "w", "local none");
    BOOST_TEST(more.events.size() == 201u);
    BOOST_TEST(more.events.back().text ==
               "10 more lines of this and later rules about this job are left out: a decision "
               "has at most 200 lines and 64 KiB of them");
    BOOST_TEST(more.events.back().file == "1020.lua");
    BOOST_TEST(more.warnings.size() == 201u);
    BOOST_TEST(more.warnings.back() == "... and 10 more lines of the site's rules");

    const auto long_words = outcome_of(10, std::string(1000, 'w'));
    // 65 lines of a thousand bytes, the change, and how many lines were left out.
    BOOST_TEST(long_words.events.size() == 67u);
    BOOST_TEST(bytes_in(long_words) < 2 * 65'536u + 1000);
    BOOST_TEST(long_words.changed.has_value()); // what rules do has no such bound

    // Why a job is rejected is recorded and told all the same.
    const auto rejected = outcome_of(10, std::string(1000, 'w'), "job:reject('no')");
    BOOST_TEST(rejected.reject_message == "no");
    BOOST_TEST(std::ranges::count(rejected.events, EventKind::rejected, &RuleEvent::kind) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
