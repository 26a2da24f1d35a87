// SPDX-License-Identifier: GPL-2.0-or-later
//
// Several rejections in one answer, rules that end the chain, and notes.
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

using Lines = std::vector<std::string>;

/// Runs rules with these bodies, in files a.lua, b.lua, …
RuleOutcome run_bodies(const Lines& bodies) {
    Texts files;
    for (std::size_t i = 0; i < bodies.size(); ++i)
        files.emplace_back(std::string(1, static_cast<char>('a' + i)) + ".lua", rule_with(bodies[i]));
    return Job().run(*policy_of(files));
}

} // namespace

BOOST_AUTO_TEST_SUITE(rejections)

BOOST_AUTO_TEST_CASE(several_are_told_with_the_rules_names) {
    const auto outcome = run_bodies({"job:reject('too many GPUs')", "", "job:reject('no comment')"});

    BOOST_TEST(outcome.rejected);
    BOOST_TEST(outcome.reject_message == "rule 'a': too many GPUs\nrule 'c': no comment");
    BOOST_TEST(event_kinds(outcome) == "rejected rejected ");
    BOOST_TEST(outcome.events.at(0).text == "too many GPUs");
}

BOOST_AUTO_TEST_CASE(one_is_told_as_the_rule_says_it) {
    BOOST_TEST(run_bodies({"", "job:reject('no comment')", ""}).reject_message == "no comment");
}

BOOST_AUTO_TEST_CASE(a_rule_without_words_is_named_once) {
    BOOST_TEST(run_bodies({"job:reject()", "job:reject('no')"}).reject_message ==
               "rejected by the site's rule 'a'\nrule 'b': no");
}

BOOST_AUTO_TEST_CASE(the_rules_after_a_rejection_see_the_job_without_the_changes_of_the_rejecting_rule) {
    const auto outcome = run_bodies({"job.qos = 'first'", "job.qos = 'second' job:reject('no')",
                                     "job:warn('%s', job.qos) job.comment = 'seen'"});

    BOOST_TEST(outcome.reject_message == "no");
    BOOST_TEST(outcome.warnings == Lines{"first"}, boost::test_tools::per_element());
    BOOST_TEST(!outcome.changed);
}

BOOST_AUTO_TEST_CASE(eight_are_told_and_the_others_counted) {
    const auto lines_of = [](std::size_t count) {
        const auto outcome = run_bodies(Lines(count, "job:reject('no')"));
        BOOST_TEST(outcome.events.size() == count);
        return text::split(outcome.reject_message, '\n').size();
    };
    BOOST_TEST(lines_of(8) == 8u);
    BOOST_TEST(lines_of(9) == 9u);
    BOOST_TEST(lines_of(12) == 9u);
    BOOST_TEST(run_bodies(Lines(8, "job:reject('no')")).reject_message.ends_with("\nrule 'h': no"));
    BOOST_TEST(
        run_bodies(Lines(12, "job:reject('no')")).reject_message.ends_with("\nrule 'h': no\nand 4 more"));
}

BOOST_AUTO_TEST_CASE(a_failure_that_denies_ends_the_chain) {
    const auto outcome = run_bodies({"job:reject('no')", "error('x', 0)", "job:reject('never')"});

    BOOST_TEST(outcome.reject_message == "rule 'a': no\nThis job was not accepted because the rule 'b' "
                                         "(b.lua) failed: x; please tell your administrators");
    BOOST_TEST(outcome.has_failed);
    BOOST_TEST(event_kinds(outcome) == "rejected error rejected ");
}

BOOST_AUTO_TEST_CASE(a_rejected_job_needs_no_rule_for_which_no_time_is_left) {
    const auto policy = policy_of({{"site.lua", "site { rule_instructions = 10000000, rule_time_ms = 1 }"},
                                   {"a.lua", rule_with("job:reject('no')")},
                                   {"b.lua", rule_with("while true do end", "on_error = 'allow',")},
                                   {"c.lua", rule_with("")}});
    const auto outcome = Job().run(*policy);

    BOOST_TEST(outcome.reject_message == "no");
    BOOST_TEST(!outcome.has_failed);
}

BOOST_AUTO_TEST_CASE(a_rule_that_is_not_enforced_is_told_beside_others) {
    const auto policy = policy_of({{"a.lua", rule_with("job:reject('no')", "mode = 'warn', stop = true,")},
                                   {"b.lua", rule_with("job:reject('really')")}});
    const auto outcome = Job().run(*policy);

    BOOST_TEST(outcome.reject_message == "really");
    BOOST_TEST(outcome.warnings == Lines{"note (not enforced, rule 'a'): no"},
               boost::test_tools::per_element());
    BOOST_TEST(outcome.events.at(1).text == "would end the chain of rules");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(stop)

BOOST_AUTO_TEST_CASE(ends_the_rule_and_the_chain_and_keeps_the_changes) {
    const auto outcome =
        run_bodies({"job.qos = 'long' job:warn('one') job:stop() job:reject('two')", "job:reject('three')"});

    BOOST_TEST(!outcome.rejected);
    BOOST_TEST(outcome.warnings == Lines{"one"}, boost::test_tools::per_element());
    BOOST_TEST_REQUIRE(outcome.changed.has_value());
    BOOST_TEST(*outcome.changed->qos == "long");
    BOOST_TEST(event_kinds(outcome) == "warned changed ");
}

BOOST_AUTO_TEST_CASE(does_not_undo_an_earlier_rejection) {
    BOOST_TEST(run_bodies({"job:reject('one')", "job:stop()", "job:reject('two')"}).reject_message == "one");
}

BOOST_AUTO_TEST_CASE(is_not_kept_by_pcall) {
    BOOST_TEST(
        !run_bodies({"pcall(function() job:stop() end) job:reject('one')", "job:reject('two')"}).rejected);
}

BOOST_AUTO_TEST_CASE(ends_nothing_where_the_rule_is_not_enforced) {
    for (const char* mode : {"warn", "shadow"}) {
        const auto policy = policy_of({{"a.lua", rule_with("job:stop()", text::format("mode = '{}',", mode))},
                                       {"b.lua", rule_with("job:reject('no')")}});
        const auto outcome = Job().run(*policy);
        BOOST_TEST(outcome.reject_message == "no");
        BOOST_TEST(outcome.events.at(0).text == "would end the chain of rules");
    }
}

BOOST_AUTO_TEST_CASE(takes_no_arguments) {
    BOOST_TEST(
        has_text(outcome_of_rule("job:stop(('done'))").reject_message, "job:stop() takes no arguments"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(notes)

BOOST_AUTO_TEST_CASE(are_told_as_they_are_and_recorded_as_notes) {
    const auto outcome = outcome_of_rule("job:note('you run in %s', job.partition)");

    BOOST_TEST(!outcome.rejected);
    BOOST_TEST(outcome.warnings == Lines{"you run in cpu"}, boost::test_tools::per_element());
    BOOST_TEST(event_kinds(outcome) == "noted ");
}

BOOST_AUTO_TEST_CASE(keep_their_place_among_warnings) {
    const auto outcome = outcome_of_rule("job:warn('one') job:note('two') job:warn('three')");

    BOOST_TEST(outcome.warnings == (Lines{"one", "two", "three"}), boost::test_tools::per_element());
    BOOST_TEST(event_kinds(outcome) == "warned noted warned ");
}

BOOST_AUTO_TEST_CASE(are_not_told_of_a_rejected_job) {
    const auto rejected = outcome_of_rule("job:note('n') job:warn('w') job:note('n') job:reject('no')");
    BOOST_TEST(rejected.warnings == Lines{"w"}, boost::test_tools::per_element());
    BOOST_TEST(event_kinds(rejected) == "noted warned noted rejected ");

    const auto failed = outcome_of_rule("job:note('n') job:warn('w') error('no')");
    BOOST_TEST(failed.rejected);
    BOOST_TEST(failed.warnings == Lines{}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(are_bounded_together_with_warnings) {
    BOOST_TEST(outcome_of_rule("for i = 1, 5 do job:warn('w') job:note('n') end").warnings.size() == 10u);
    BOOST_TEST(outcome_of_rule("for i = 1, 6 do job:warn('w') job:note('n') end").warnings.size() == 10u);
    BOOST_TEST(outcome_of_rule("job:note(('x'):rep(2000))").warnings.at(0) == std::string(1000, 'x') + "...");
    BOOST_TEST(outcome_of_rule("job:note('a\\nb')").warnings.at(0) == "a b");
}

BOOST_AUTO_TEST_CASE(are_not_enforced_in_other_modes) {
    const auto warned = outcome_of_rule("job:note('x')", "mode = 'warn',");
    BOOST_TEST(warned.warnings == Lines{"note (not enforced, rule 't'): x"},
               boost::test_tools::per_element());
    BOOST_TEST(event_kinds(warned) == "not enforced ");
    const auto shadow = outcome_of_rule("job:note('x')", "mode = 'shadow',");
    BOOST_TEST(shadow.warnings.empty());
    BOOST_TEST(event_kinds(shadow) == "shadow ");
}

BOOST_AUTO_TEST_CASE(are_functions_of_job_that_the_check_of_names_knows) {
    BOOST_TEST(
        has_text(load_error({{"t.lua", rule_with("if false then job:nte('x') end")}}),
                 "unknown function 'job:nte'; did you mean note? (there are: add, is_set, note, reject, "
                 "stop, warn)"));
    BOOST_TEST(has_text(load_error({{"t.lua", rule_with("if false then job.stop() end")}}),
                        "write job:stop(...), with a colon"));
}

BOOST_AUTO_TEST_SUITE_END()
