// SPDX-License-Identifier: GPL-2.0-or-later
//
// Fields that are lists: job:add, job.license_counts and job.feature_names.
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

/// What `field` is after job:add(field, part), if it was `before` ("" is unset); or the rule's error.
/// `shown`: in front of the field, "#" for its length.
std::string added(const std::string& field, const std::string& before, const std::string& part,
                  const std::string& shown = "") {
    Job job;
    if (!before.empty()) job.run(*one_rule("job." + field + " = '" + before + "'"));
    const auto outcome = job.run(*one_rule("job:add('" + field + "', '" + part + "')"));
    if (outcome.rejected) return "error: " + outcome.events.at(0).text;
    return value_of(shown + "job." + field, job);
}

Job job_with(std::optional<std::string> model::JobRequest::*member, const std::string& text) {
    Job job;
    job.request.*member = text;
    return job;
}

std::string licenses(const std::string& text, const std::string& name) {
    return value_of("job.license_counts['" + name + "']", job_with(&model::JobRequest::licenses, text));
}

const std::string names = "table.concat(job.feature_names, ' ')";

} // namespace

BOOST_AUTO_TEST_SUITE(list_fields)

BOOST_AUTO_TEST_CASE(a_part_is_added_behind_the_others) {
    BOOST_TEST(added("features", "", "fast") == "fast");
    BOOST_TEST(added("features", "big", "fast") == "big&fast");
    BOOST_TEST(added("prefer", "big", "fast") == "big&fast");
    BOOST_TEST(added("excluded_nodes", "node1", "node[3-4]") == "node1,node[3-4]");
    BOOST_TEST(added("licenses", "matlab:2", "abaqus:1") == "matlab:2,abaqus:1");
    BOOST_TEST(added("dependency", "afterok:1", "singleton") == "afterok:1,singleton");
}

BOOST_AUTO_TEST_CASE(a_part_that_is_there_is_not_added) {
    BOOST_TEST(added("features", "big&fast", "fast") == "big&fast");
    BOOST_TEST(added("features", "faster", "fast") == "faster&fast");
    BOOST_TEST(added("licenses", "matlab:2", "matlab") == "matlab:2");
    BOOST_TEST(added("licenses", "matlab", "matlab:2") == "matlab");
    BOOST_TEST(added("licenses", "matlab2", "matlab") == "matlab2,matlab");
    BOOST_TEST(added("dependency", "afterok:1", "afterok:2") == "afterok:1,afterok:2");
}

BOOST_AUTO_TEST_CASE(alternatives_keep_their_meaning) {
    BOOST_TEST(added("features", "a|b", "c") == "(a|b)&c");
    BOOST_TEST(added("features", "(a|b)", "c") == "(a|b)&c");
    BOOST_TEST(added("features", "(a|b)&d", "c") == "(a|b)&d&c");
    BOOST_TEST(added("features", "(a|b)&c", "c") == "(a|b)&c");
    BOOST_TEST(added("features", "c&b|a", "c") == "(c&b|a)&c");
    BOOST_TEST(added("features", "c|(a)", "c").substr(0, 6) == "error:");
    BOOST_TEST(added("features", "a", "b|c") == "a&(b|c)");
    BOOST_TEST(added("features", "a|b", "a|b") == "a|b");
    BOOST_TEST(added("features", "", "b|c") == "b|c");
}

BOOST_AUTO_TEST_CASE(nothing_is_added_to_a_list_whose_parts_need_not_all_hold) {
    const auto refused = [](const char* field, const char* list, const char* part) {
        return has_text(added(field, list, part), "nothing can be added to '");
    };
    BOOST_TEST(refused("dependency", "afterok:1?afterok:2", "singleton"));
    BOOST_TEST(refused("dependency", "afterok:1?singleton", "singleton"));
    for (const char* list :
         {"b*1", "[a*1&c*1]", "[a|b]", "(a)|b", "b|(b&a)", "((a|b))", "(a", "a)", "(a|b))"})
        BOOST_TEST_CONTEXT(list) BOOST_TEST(refused("features", list, "c"));
    BOOST_TEST(refused("licenses", "matlab|abaqus", "matlab"));
}

BOOST_AUTO_TEST_CASE(one_part_is_added) {
    for (const char* part : {"a&b", "a*2", "(a)", "[a]", "a,b"})
        BOOST_TEST(has_text(added("features", "d", part), "add one part, without any of"));
    BOOST_TEST(has_text(added("licenses", "x", "a,b"), "add one part"));
    BOOST_TEST(has_text(added("dependency", "x", "afterok:1?afterok:2"), "add one part"));
}

BOOST_AUTO_TEST_CASE(a_license_of_which_none_is_asked_for_is_added) {
    BOOST_TEST(added("licenses", "matlab:0", "matlab:1") == "matlab:0,matlab:1");
    BOOST_TEST(added("licenses", "abaqus:1;matlab:1", "matlab") == "abaqus:1;matlab:1");
    BOOST_TEST(licenses("matlab:0", "matlab") == "nil");
    BOOST_TEST(licenses("matlab:0,matlab:2", "matlab") == "2");
}

BOOST_AUTO_TEST_CASE(the_part_is_a_short_text_without_blanks) {
    for (const char* part : {"", "a b", "a\\n"})
        BOOST_TEST(has_text(added("features", "big", part), "add a text of 1 to 1024 bytes without blanks"));
    BOOST_TEST(added("features", "", std::string(1024, 'x'), "#") == "1024");
    BOOST_TEST(has_text(added("features", "", std::string(1025, 'x')), "1 to 1024 bytes"));
}

BOOST_AUTO_TEST_CASE(the_same_bound_holds_as_for_writing) {
    std::string longest(1000, 'n');
    for (int i = 0; i < 3; ++i)
        longest += "," + std::string(1000, static_cast<char>('a' + i));
    BOOST_TEST(added("excluded_nodes", longest, std::string(92, 'z'), "#") == "4096");
    BOOST_TEST(has_text(added("excluded_nodes", longest, std::string(93, 'z')), "at most 4096 bytes"));
}

BOOST_AUTO_TEST_CASE(only_lists_take_parts) {
    BOOST_TEST(
        has_text(outcome_of_rule(at_run_time("job:add('qos', 'x')")).events.at(0).text, "'qos' is no list"));
    BOOST_TEST(
        has_text(outcome_of_rule(at_run_time("job:add('gpu', 'x')")).events.at(0).text, "'gpu' is no list"));
    BOOST_TEST(has_text(outcome_of_rule(at_run_time("job:add('featurs', 'x')")).events.at(0).text,
                        "did you mean features?"));
    for (const char* call : {"job:add()", "job:add('features')", "job:add('features', 1)",
                             "job:add('features', 'x', 'y')", "job:add('features', nil)"})
        BOOST_TEST(outcome_of_rule(at_run_time(call)).has_failed);
}

BOOST_AUTO_TEST_CASE(licenses_are_counted_by_name) {
    BOOST_TEST(licenses("matlab:2,abaqus", "matlab") == "2");
    BOOST_TEST(licenses("matlab:2,abaqus", "abaqus") == "1");
    BOOST_TEST(licenses("matlab:2,abaqus", "ansys") == "nil");
    BOOST_TEST(licenses("matlab@server:4", "matlab@server") == "4");
    BOOST_TEST(licenses("matlab:2;matlab:3, matlab", "matlab") == "6");
    BOOST_TEST(licenses(",,", "matlab") == "nil");
    BOOST_TEST(value_of("next(job.license_counts)") == "nil");
    BOOST_TEST(licenses("matlab=2", "matlab") == "2");
    BOOST_TEST(licenses("matlab:", "matlab") == "nil");
    BOOST_TEST(licenses("matlab:4294967298", "matlab") == "2");
    BOOST_TEST(licenses("matlab:2147483647,matlab:2147483647,matlab:4", "matlab") == "2");
    for (const char* text : {"matlab:x", "matlab:-1", "matlab:2147483648", "matlab:99999999999999999999"})
        BOOST_TEST(has_text(licenses(text, "matlab"), "a count in --licenses cannot be read"));
}

BOOST_AUTO_TEST_CASE(features_are_named_without_operators_and_counts) {
    BOOST_TEST(value_of(names) == "");
    BOOST_TEST(value_of(names, job_with(&model::JobRequest::features, "fast")) == "fast");
    BOOST_TEST(value_of(names, job_with(&model::JobRequest::features, "[(a|b*2)&c, d ]")) == "a b c d");
    Job job = job_with(&model::JobRequest::features, "a&b");
    job.request.prefer = "b|c";
    BOOST_TEST(value_of(names, job) == "a b b c");
}

BOOST_AUTO_TEST_SUITE_END()
