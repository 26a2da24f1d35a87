// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/client_answer.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace qg::plugin;

namespace {

ClientAnswer full_answer() {
    return {.no_opinion = "",
            .is_refused = true,
            .lines = {{"first"}, {"", true}, {"with = and\nmore", true}},
            .options = {{"qos", {true, "debug"}},
                        {"comment", {true, "a=b"}},
                        {"reservation", {}},
                        {"exclusive", {.is_set = true}},
                        {"gres", {true, ""}}}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(client_answer)

BOOST_AUTO_TEST_CASE(an_answer_comes_through_as_it_was) {
    for (const ClientAnswer& answer :
         {ClientAnswer{}, full_answer(), ClientAnswer{.no_opinion = "slurmctld is down"}}) {
        const auto parsed = parse_answer(to_bytes(answer));
        BOOST_TEST_REQUIRE(parsed.has_value());
        BOOST_TEST(parsed->no_opinion == answer.no_opinion);
        BOOST_TEST(parsed->is_refused == answer.is_refused);
        const bool same_lines = parsed->lines == answer.lines;
        BOOST_TEST(same_lines);
        const bool same_options = parsed->options == answer.options;
        BOOST_TEST(same_options);
    }
}

BOOST_AUTO_TEST_CASE(every_answer_that_is_cut_short_is_none) {
    const std::string bytes = to_bytes(full_answer());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        BOOST_TEST(!parse_answer(bytes.substr(0, size)).has_value(), "cut after " << size);
    BOOST_TEST(parse_answer(bytes).has_value());
}

BOOST_AUTO_TEST_CASE(other_bytes_are_no_answer) {
    const std::string bytes = to_bytes({});
    BOOST_TEST(!parse_answer(bytes + std::string("x\0", 2)).has_value());
    BOOST_TEST(!parse_answer(std::string("xwhat\0.\0", 8)).has_value());
    BOOST_TEST(!parse_answer(std::string("sno value\0.\0", 12)).has_value());
    BOOST_TEST(!parse_answer(std::string("\0.\0", 3)).has_value());
}

BOOST_AUTO_TEST_CASE(the_last_complete_answer_counts) {
    const std::string first = to_bytes({.no_opinion = "late", .lines = {{"from a rule"}}});
    const std::string second = to_bytes(full_answer());
    BOOST_TEST(parse_answer(first + second)->is_refused);
    BOOST_TEST(parse_answer(first + second)->lines.size() == full_answer().lines.size());
    for (std::size_t size = 0; size < second.size(); ++size) {
        const auto parsed = parse_answer(first + second.substr(0, size));
        BOOST_TEST_REQUIRE(parsed.has_value());
        BOOST_TEST(parsed->no_opinion == "late");
        BOOST_TEST(!parsed->is_refused);
    }
}

BOOST_AUTO_TEST_CASE(a_nul_ends_a_text_and_no_more) {
    ClientAnswer answer;
    answer.lines = {{std::string("one\0two", 7)}, {"three"}};
    const auto parsed = parse_answer(to_bytes(answer));
    BOOST_TEST_REQUIRE(parsed.has_value());
    BOOST_TEST_REQUIRE(parsed->lines.size() == 2);
    BOOST_TEST(parsed->lines[0].text == "one");
    BOOST_TEST(parsed->lines[1].text == "three");
}

BOOST_AUTO_TEST_CASE(only_so_many_parts_are_sent) {
    ClientAnswer answer;
    answer.lines.assign(max_answer_parts + 1, {"line"});
    const auto parsed = parse_answer(to_bytes(answer));
    BOOST_TEST_REQUIRE(parsed.has_value());
    BOOST_TEST(parsed->lines.size() == max_answer_parts);
}

BOOST_AUTO_TEST_SUITE_END()
