// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/start_wait.hpp"

#include <boost/test/unit_test.hpp>

using qg::plugin::StartWait;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(start_wait)

BOOST_AUTO_TEST_CASE(looks_become_seldom_whatever_is_waited_for) {
    for (const bool has_partitions : {false, true}) {
        StartWait wait;
        BOOST_TEST(wait.next(has_partitions) == StartWait::min_interval);
        int looks = 1;
        for (auto waited = StartWait::min_interval; waited < 5s; ++looks)
            waited += wait.next(has_partitions);
        BOOST_TEST(looks <= 100);
        for (int i = 0; i < 1000; ++i)
            BOOST_TEST_REQUIRE(wait.next(has_partitions) >= StartWait::max_interval - 2ms);
        BOOST_TEST(wait.next(has_partitions) == StartWait::max_interval);
    }
}

BOOST_AUTO_TEST_CASE(who_is_in_less_of_a_hurry_waits_longer_each_time) {
    StartWait usual, slow(10);
    for (int i = 0; i < 200; ++i)
        BOOST_TEST_REQUIRE(slow.next(i >= 150) == usual.next(i >= 150) * 10);
    BOOST_TEST(slow.next(true) > StartWait::min_interval * 10);
}

BOOST_AUTO_TEST_CASE(partitions_make_looks_frequent_again_once) {
    StartWait wait;
    for (int i = 0; i < 200; ++i)
        (void)wait.next(false);
    BOOST_TEST(wait.next(true) == StartWait::min_interval);
    BOOST_TEST(wait.next(true) > StartWait::min_interval);
    (void)wait.next(false);
    BOOST_TEST(wait.next(true) == StartWait::min_interval);
}

BOOST_AUTO_TEST_SUITE_END()
