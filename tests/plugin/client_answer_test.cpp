// SPDX-License-Identifier: GPL-2.0-or-later
#include "client_answer.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace qg::plugin;

namespace {

ClientAnswer full_answer() {
    return {.no_opinion = "",
            .is_refused = true,
            .is_bad_news = true,
            .lines = {"first", "", "with = and\nmore"},
            .options = {{"qos", "debug"}, {"comment", "a=b"}, {"reservation", std::nullopt}, {"gres", ""}}};
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
        BOOST_TEST(parsed->is_bad_news == answer.is_bad_news);
        BOOST_TEST(parsed->lines == answer.lines, boost::test_tools::per_element());
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
    BOOST_TEST(!parse_answer(bytes + 'x').has_value());
    BOOST_TEST(!parse_answer(bytes + bytes).has_value());
    BOOST_TEST(!parse_answer(std::string("xwhat\0.\0", 8)).has_value());
    BOOST_TEST(!parse_answer(std::string("sno value\0.\0", 12)).has_value());
    BOOST_TEST(!parse_answer(std::string("\0.\0", 3)).has_value());
}

BOOST_AUTO_TEST_CASE(a_nul_ends_a_text_and_no_more) {
    ClientAnswer answer;
    answer.lines = {std::string("one\0two", 7), "three"};
    const auto parsed = parse_answer(to_bytes(answer));
    BOOST_TEST_REQUIRE(parsed.has_value());
    BOOST_TEST(parsed->lines == (std::vector<std::string>{"one", "three"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(only_so_many_parts_are_sent) {
    ClientAnswer answer;
    answer.lines.assign(max_answer_parts + 1, "line");
    const auto parsed = parse_answer(to_bytes(answer));
    BOOST_TEST_REQUIRE(parsed.has_value());
    BOOST_TEST(parsed->lines.size() == max_answer_parts);
}

BOOST_AUTO_TEST_SUITE_END()
