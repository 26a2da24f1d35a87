// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/size/ranges.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::gate;

BOOST_AUTO_TEST_SUITE(ranges)

BOOST_AUTO_TEST_CASE(counts_distinct_array_tasks) {
    const std::pair<const char*, std::uint32_t> arrays[] = {
        {"0", 1},     {"1-4", 4},     {"0-15:4", 4}, {"0-16:4", 5},
        {"1,3,7", 3}, {"1-4,3-5", 5}, {"1-5%1", 5},  {"1000", 1},
    };
    for (const auto& [text, tasks] : arrays)
        BOOST_TEST_CONTEXT(text) {
            BOOST_TEST(count_array_tasks(text, 1001).value() == tasks);
        }
}

BOOST_AUTO_TEST_CASE(counts_tasks_in_every_spelling_that_slurm_takes) {
    for (const char* text : {"0-9",  "[0-9]",   "[0-9]%5",     "0,1,[2-9]", "+0-9",  "0-+9",   "0- 9",
                             " 0-9", "\t0-\t9", "0-9:+1",      "0-9: 1",    "0-9,",  ",0-9",   "0-4,,5-9",
                             "[0-9", "0-9]",    "[0-4],[5-9]", "[+0-9,]",   "00-09", "0%1,1-9"})
        BOOST_TEST_CONTEXT(text) {
            BOOST_TEST(count_array_tasks(text, 1001).value() == 10u);
        }
    BOOST_TEST(count_array_tasks("%5", 1001).value() == 1u);
    BOOST_TEST(count_array_tasks("[0-9]:2", 1001).value() == 5u);
    BOOST_TEST(count_array_tasks("0-9:2%3,20", 1001).value() == 6u);
}

BOOST_AUTO_TEST_CASE(counts_overlapping_ranges_as_slurm_does_index_by_index) {
    const std::pair<const char*, std::uint32_t> arrays[] = {
        {"5-9,0-4", 10},
        {"0-9,2-3,8-12", 13},
        {"0-10:2,1-9:2", 11},
        {"0-10:2,0-10:5", 7},
        {"0-10:2,4-20", 19},
        {"0-10:3,20-30:3", 8},
        {"7,7,7", 1},
        {"0-1000:500,500-1000:500", 3},
        {"3-3:9,2-4", 3},
        {"0-1000,0-1000", 1001},
        {"0-0:1,1-1:1,2-2:7", 3},
    };
    for (const auto& [text, tasks] : arrays)
        BOOST_TEST_CONTEXT(text) {
            BOOST_TEST(count_array_tasks(text, 1001).value() == tasks);
        }
}

BOOST_AUTO_TEST_CASE(bounds_from_above_what_takes_too_long_to_count) {
    constexpr std::uint32_t largest = 4'000'001;
    BOOST_TEST(count_array_tasks("0-4000000,0-4000000,7-4000000", largest).value() == largest);
    BOOST_TEST(count_array_tasks("0-4000000:2", largest).value() == 2'000'001u);
    // An upper bound, 2,000,001 + 1,000,001: the indices with step 4 are also among those with step 2.
    BOOST_TEST(count_array_tasks("0-4000000:2,0-4000000:4", largest).value() == 3'000'002u);
}

BOOST_AUTO_TEST_CASE(refuses_what_slurm_refuses) {
    for (const char* wrong : {"", "a", "4-1", "1-", "-1", "1-4:0", "1001", "0-4294967295", "1-4:99999999999",
                              ",", "0 -9", "0x1-0x9", "++0-9", "0-9:-1"})
        BOOST_TEST_CONTEXT(wrong) {
            BOOST_TEST(!count_array_tasks(wrong, 1001).has_value());
        }
}

BOOST_AUTO_TEST_CASE(takes_the_first_indices_of_an_array_in_every_spelling) {
    const std::pair<const char*, const char*> arrays[] = {
        {"1-20%2", "1-3%2"},  {"0-20:5", "0-10:5"},      {"7,10-30:10,40-50%3", "7,10-20:10%3"},
        {"[0-9]%5", "0-2%5"}, {"0%1,1-9", "0,1-2%1"},    {"[0-9%4],20", "0-2%4"},
        {"+0-9", "0-2"},      {"0,,4- 9:+2", "0,4-6:2"}, {"0-1", "0-1"},
    };
    for (const auto& [text, first] : arrays)
        BOOST_TEST_CONTEXT(text) {
            BOOST_TEST(first_of_array(text, 3).value() == first);
        }
    BOOST_TEST(first_of_array("4294967294-4294967295:7", 2).value() == "4294967294");
    BOOST_TEST(!first_of_array("0-9", 0).has_value());
    for (const char* wrong : {"", "a", "4-1", "0-9:-1"})
        BOOST_TEST_CONTEXT(wrong) {
            BOOST_TEST(!first_of_array(wrong, 3).has_value());
        }
}

BOOST_AUTO_TEST_CASE(counts_nodes_of_a_host_list) {
    const std::pair<const char*, std::uint32_t> lists[] = {
        {"", 0},
        {"n1", 1},
        {"n1,n2", 2},
        {"n[1-4,7],x", 6},
        {"r[1-2]n[1-3]", 6},
        {"n[", 1},
        {"n[1-2", 1},
        {"]", 1},
        {"n[]", 1},
        {"n[,3,]", 1},
        {"n[1,2]x,y[3-4]z", 4},
        {"n[7-3,a,1-2]", 4},
        {"n[20000001-20000004,00007-00009]", 7},
        {" n1 , ,\tn2", 2},
        {"n1 n2", 2},
        {"n1\tn2\nn3", 3},
        {"n[1-2] n[3-4]", 4},
        {"n[1-+4]", 4},
        {"n[1- 4]", 4},
        {"n[0-4294967295][0-4294967295]", 1u << 24},
    };
    for (const auto& [text, nodes] : lists)
        BOOST_TEST_CONTEXT(text) {
            BOOST_TEST(count_nodes(text) == nodes);
        }
}

BOOST_AUTO_TEST_CASE(the_throttle_of_an_array_is_what_stands_behind_the_percent_sign) {
    BOOST_TEST(throttle_of_array("1-9%4").value() == 4u);
    BOOST_TEST(throttle_of_array("[1-9%4]").value() == 4u);
    BOOST_TEST(throttle_of_array("1-9%0").value() == 0u);
    for (const char* text : {"1-9", "", "1-9%", "1-9%x"})
        BOOST_TEST(!throttle_of_array(text).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
