// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/json_text.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace qg;

BOOST_AUTO_TEST_SUITE(json_text)

BOOST_AUTO_TEST_CASE(a_text_cannot_end_itself_and_is_bounded) {
    BOOST_TEST(json::quote("plain {}[]:, ~") == R"("plain {}[]:, ~")");
    BOOST_TEST(json::quote(R"(a "b" \ c)") == R"("a \"b\" \\ c")");
    BOOST_TEST(json::quote("a\nb\x7f") == R"("a?b?")");
    BOOST_TEST(json::quote("größer") == R"("größer")");
    BOOST_TEST(json::quote(std::string(10, 'x'), 10).size() == 12u);
    BOOST_TEST(json::quote(std::string(11, 'x'), 10).size() <= 15u); // with a mark that it was cut
}

BOOST_AUTO_TEST_CASE(an_object_has_its_members_in_order) {
    json::Members members;
    BOOST_TEST(members.is_empty());
    BOOST_TEST(members.object() == "{}");
    members.add_text("a \"name\"", "x");
    members.add_if_any("left out", "");
    members.add_or_null("none", "");
    members.add_or_null("some", "y");
    members.add_number("count", std::uint64_t{18446744073709551615u});
    members.add_number("nothing", std::optional<int>());
    members.add_number("minus", std::optional(-7));
    members.add_flag("on", true);
    members.add("list", json::list(std::vector<std::string>{"1", "2"}));
    BOOST_TEST(members.object() ==
               R"({"a \"name\"": "x", "none": null, "some": "y", "count": 18446744073709551615, )"
               R"("nothing": null, "minus": -7, "on": true, "list": [1, 2]})");
}

BOOST_AUTO_TEST_CASE(members_of_another_object_are_added) {
    json::Members members;
    json::Members others;
    members.add_all(others);
    BOOST_TEST(members.text().empty());
    others.add_flag("b", false);
    members.add_all(others);
    BOOST_TEST(members.text() == R"("b": false)");
    members.add_all(json::Members());
    members.add_all(others);
    BOOST_TEST(members.text() == R"("b": false, "b": false)");
}

BOOST_AUTO_TEST_CASE(lists) {
    BOOST_TEST(json::list({}) == "[]");
    BOOST_TEST(json::quote(std::vector<std::string>{"a", "\""}) == R"(["a", "\""])");
    BOOST_TEST(json::list(std::vector<std::string>{"1", "2"}, ",") == "[1,2]");
}

BOOST_AUTO_TEST_SUITE_END()
