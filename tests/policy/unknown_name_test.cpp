// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/unknown_name.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using qg::policy::list_of_names;
using qg::policy::list_or_pointer;
using qg::policy::pointer_to_names;
using qg::policy::without_lists;

BOOST_AUTO_TEST_SUITE(unknown_name)

BOOST_AUTO_TEST_CASE(lists_of_names_are_taken_out_and_the_rest_stays) {
    const std::string list = list_of_names(std::vector<std::string>{"qos", "name"});
    BOOST_TEST(list == " (there are: qos, name)");
    const std::string complaint = "a.lua:3: unknown field 'qoss' (of job); did you mean qos?";

    BOOST_TEST(without_lists(complaint + list) == complaint);
    BOOST_TEST(without_lists(complaint + list + "; and" + list + ".") == complaint + "; and.");
    BOOST_TEST(without_lists(complaint + list.substr(0, 15)) == complaint); // cut
    const std::string pointer(pointer_to_names());
    BOOST_TEST(without_lists(complaint + pointer) == complaint);
    BOOST_TEST(without_lists(complaint + list + "; and" + pointer + ".") == complaint + "; and.");
    BOOST_TEST(without_lists(complaint) == complaint);
    BOOST_TEST(without_lists("") == "");
}

BOOST_AUTO_TEST_CASE(a_long_list_is_only_pointed_to) {
    std::vector<std::string> names(20, "a");
    BOOST_TEST(list_or_pointer(names) == list_of_names(names));
    names.emplace_back("a");
    BOOST_TEST(list_or_pointer(names) == pointer_to_names());
}

BOOST_AUTO_TEST_SUITE_END()
