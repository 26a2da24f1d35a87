// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/preempt_loops.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::model;
using Loops = std::vector<std::vector<std::string>>;

BOOST_AUTO_TEST_SUITE(preempt_loops)

BOOST_AUTO_TEST_CASE(a_chain_is_no_loop) {
    BOOST_TEST(find_new_loops({}, {{"a", {"b", "c"}}, {"b", {"c"}}, {"c", {}}}) == Loops{});
}

BOOST_AUTO_TEST_CASE(a_loop_is_named_from_its_smallest_name) {
    BOOST_TEST(find_new_loops({}, {{"c", {"b"}}, {"b", {"a"}}, {"a", {"c"}}}) == (Loops{{"a", "c", "b"}}));
}

BOOST_AUTO_TEST_CASE(a_qos_that_preempts_itself_is_a_loop) {
    BOOST_TEST(find_new_loops({}, {{"a", {"a"}}}) == (Loops{{"a"}}));
}

BOOST_AUTO_TEST_CASE(an_old_loop_is_not_new_and_one_more_step_is) {
    const PreemptMap old{{"a", {"b"}}, {"b", {"a"}}, {"c", {"a"}}};
    PreemptMap now = old;
    BOOST_TEST(find_new_loops(old, now) == Loops{});
    now["b"].insert("c");
    BOOST_TEST(find_new_loops(old, now) == (Loops{{"a", "b", "c"}}));
}

BOOST_AUTO_TEST_CASE(each_group_is_reported_once) {
    const PreemptMap now{{"a", {"b"}}, {"b", {"a", "c"}}, {"c", {"a"}}, {"x", {"y"}}, {"y", {"x"}}};
    BOOST_TEST(find_new_loops({}, now) == (Loops{{"a", "b"}, {"x", "y"}}));
}

BOOST_AUTO_TEST_CASE(hundreds_of_qos_that_preempt_all_below_have_no_loop) {
    PreemptMap now;
    for (int i = 0; i < 400; ++i)
        for (int below = 0; below < i; ++below)
            now[std::to_string(i)].insert(std::to_string(below));
    BOOST_TEST(find_new_loops({}, now) == Loops{});
    now["0"].insert("399");
    BOOST_TEST(find_new_loops({}, now) == (Loops{{"0", "399"}}));
}

BOOST_AUTO_TEST_SUITE_END()
