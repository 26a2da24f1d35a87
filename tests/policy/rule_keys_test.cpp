// SPDX-License-Identifier: GPL-2.0-or-later
//
// The keys of rule { ... }: which values they take, and when a rule runs.
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::policy;
using namespace qg::test;

namespace {

const std::string submit = " submit = function(job) end,";
const std::string modify = " modify = function(job, before) end,";

/// Why a rule with these keys does not load; "" if it does.
std::string error_of(const std::string& keys) {
    return load_error({{"a.lua", "rule {" + keys + "}"}});
}

RuleInfo info_of(const std::string& keys) {
    return policy_of({{"a.lua", "rule {" + keys + "}"}})->rules().at(0);
}

/// When the rule runs: "submit ", "modify ", or both.
std::string events_of(const std::string& keys) {
    const RuleInfo rule = info_of(keys);
    return std::string(rule.runs_at(JobEvent::submit) ? "submit " : "") +
           (rule.runs_at(JobEvent::modify) ? "modify " : "");
}

} // namespace

BOOST_AUTO_TEST_SUITE(rule_keys)

BOOST_AUTO_TEST_CASE(a_description_is_one_line_of_at_most_400_bytes) {
    BOOST_TEST(info_of(submit).description == "");
    BOOST_TEST(info_of("description = 'for GPUs'," + submit).description == "for GPUs");
    BOOST_TEST(error_of("description = ('x'):rep(400)," + submit) == "");
    for (const char* wrong : {"('x'):rep(401)", "'a\\nb'", "5", "{}"})
        BOOST_TEST(has_text(error_of(std::string("description = ") + wrong + "," + submit),
                            ": write a text of at most 400 bytes in one line"));
}

BOOST_AUTO_TEST_CASE(a_rule_runs_when_it_has_a_function_for_that) {
    BOOST_TEST(events_of(submit) == "submit modify ");
    BOOST_TEST(events_of(submit + modify) == "submit modify ");
    BOOST_TEST(events_of(modify) == "modify ");
    BOOST_TEST(
        error_of("name = 'x'") ==
        "a.lua:1: rule: a function is missing: write submit = function(job) ... end, or modify or client");
}

BOOST_AUTO_TEST_CASE(a_rule_may_limit_the_events) {
    BOOST_TEST(events_of("on = {'submit'}," + submit) == "submit ");
    BOOST_TEST(events_of("on = {'modify'}," + submit) == "modify ");
    BOOST_TEST(events_of("on = {'modify', 'submit'}," + submit) == "submit modify ");
    BOOST_TEST(events_of("on = {'submit', 'modify'}," + submit + modify) == "submit modify ");
    BOOST_TEST(events_of("on = {'modify'}," + modify) == "modify ");
}

BOOST_AUTO_TEST_CASE(a_function_that_is_never_run_is_a_mistake) {
    BOOST_TEST(error_of("on = {'submit'}," + submit + modify) ==
               "a.lua:1: rule: 'modify' is never run, because 'on' does not contain \"modify\"");
    BOOST_TEST(has_text(error_of("on = {'submit'}," + modify), "'modify' is never run"));
    BOOST_TEST(error_of("on = {'modify'}," + submit + modify) ==
               "a.lua:1: rule: 'submit' is never run, because 'on' does not contain \"submit\", and changes "
               "run 'modify'");
    BOOST_TEST(error_of("on = {'submit', 'modify'}," + modify) ==
               "a.lua:1: rule: 'on' contains \"submit\", and there is no function 'submit'");
}

BOOST_AUTO_TEST_CASE(events_are_a_list_of_known_words) {
    const std::string allowed = ": write a list of \"submit\" and \"modify\", or of one of them";
    const auto check = [&](const std::string& value, const std::string& complaint) {
        BOOST_TEST(error_of("on = " + value + "," + submit) == "a.lua:1: rule: 'on' " + complaint + allowed);
    };
    check("{}", "cannot be an empty list");
    check("'submit'", "cannot be \"submit\"");
    check("{ submit = true }", "cannot be a table");
    check("{ 'submit', x = 1 }", "cannot be a table");
    check("{ 'submit', 'modfy' }", "cannot contain \"modfy\"; did you mean modify?");
    check("{ 'submit', 'submit' }", "contains \"submit\" twice");
    check("{ 1 }", "cannot contain 1");
    check("{ 'modify', {} }", "cannot contain a table");
}

BOOST_AUTO_TEST_CASE(only_a_function_with_a_second_parameter_reads_the_job_before) {
    const auto reads = [](const std::string& keys) {
        return policy_of({{"a.lua", "rule {" + keys + "}"}})->reads_job_before();
    };
    BOOST_TEST(reads(modify));
    BOOST_TEST(reads("modify = function(job, ...) end"));
    BOOST_TEST(!reads("modify = function(job) end"));
    BOOST_TEST(!reads("modify = function() end"));
    BOOST_TEST(!reads(submit));
    BOOST_TEST(!reads("submit = function(...) end"));
}

BOOST_AUTO_TEST_CASE(a_function_has_no_more_parameters_than_it_gets) {
    BOOST_TEST(error_of("submit = function(job, view, now) end") ==
               "a.lua:1: rule: 'submit' is called with two arguments, job and view, and this function has 3 "
               "parameters");
    BOOST_TEST(
        error_of("modify = function(job, before, view, now) end") ==
        "a.lua:1: rule: 'modify' is called with three arguments, job, before and view, and this function has "
        "4 parameters");
    BOOST_TEST(error_of("submit = function() end") == "");
    BOOST_TEST(error_of("local_ = 1," + submit).starts_with("a.lua:1: rule: unknown key 'local_'"));
}

BOOST_AUTO_TEST_CASE(a_misspelt_key_is_found) {
    BOOST_TEST(has_text(error_of("modfy = function(job) end"), "unknown key 'modfy'; did you mean modify?"));
    BOOST_TEST(has_text(error_of("exemt = {}," + submit), "unknown key 'exemt'; did you mean exempt?"));
    BOOST_TEST(has_text(error_of("modify = 'x'"),
                        "rule: 'modify' cannot be \"x\": write function(job, before, view) ... end"));
    BOOST_TEST(has_text(error_of("name = function() end," + submit), "rule: 'name' cannot be a function"));
}

BOOST_AUTO_TEST_CASE(stop_is_true_or_false) {
    BOOST_TEST(!info_of(submit).rejection_stops);
    BOOST_TEST(info_of("stop = true," + submit).rejection_stops);
    BOOST_TEST(!info_of("stop = false," + submit).rejection_stops);
    BOOST_TEST(has_text(error_of("stop = 'yes'," + submit), "'stop' cannot be \"yes\": write true or false"));
}

BOOST_AUTO_TEST_CASE(exempt_is_a_list_of_names) {
    const Exempt exempt = info_of("exempt = {'root', 'ana', 'operators', 'ben'}," + submit).exempt;
    BOOST_TEST(exempt.root);
    BOOST_TEST(exempt.operators);
    BOOST_TEST(exempt.users == (std::vector<std::string>{"ana", "ben"}), boost::test_tools::per_element());
    BOOST_TEST(!info_of(submit).exempt.has_any());
    BOOST_TEST(!info_of("exempt = {}," + submit).exempt.has_any());
}

BOOST_AUTO_TEST_CASE(exempt_is_bounded) {
    const auto error_with = [](int names, int bytes) {
        std::string list;
        for (int i = 0; i < names; ++i)
            list += "('x'):rep(" + std::to_string(bytes) + "), ";
        return error_of("exempt = {" + list + "}," + submit);
    };
    BOOST_TEST(error_with(64, 60) == "");
    BOOST_TEST(has_text(error_with(65, 60), "rule: 'exempt' has too many names: write a list of at most 64"));
    BOOST_TEST(has_text(error_with(1, 61), "rule: 'exempt' cannot contain \"xx"));
    for (const char* wrong : {"{''}", "{1}", "{true}", "{'a\\nb'}", "{{}}"})
        BOOST_TEST(has_text(error_of(std::string("exempt = ") + wrong + "," + submit),
                            "rule: 'exempt' cannot contain"));
    for (const char* wrong : {"'root'", "{ root = true }", "1"})
        BOOST_TEST(
            has_text(error_of(std::string("exempt = ") + wrong + "," + submit), "rule: 'exempt' cannot be"));
}

BOOST_AUTO_TEST_SUITE_END()
