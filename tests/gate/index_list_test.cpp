// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/index_list.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::gate;

BOOST_AUTO_TEST_SUITE(index_list)

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

BOOST_AUTO_TEST_CASE(refuses_what_slurm_refuses) {
    for (const char* wrong :
         {"", "a", "4-1", "1-", "-1", "1-4:0", "1001", "0-4294967295", "1,,2", "1-4:99999999999"})
        BOOST_TEST_CONTEXT(wrong) {
            BOOST_TEST(!count_array_tasks(wrong, 1001).has_value());
        }
}

BOOST_AUTO_TEST_CASE(counts_nodes_of_a_host_list) {
    const std::pair<const char*, std::uint32_t> lists[] = {
        {"", 0},   {"n1", 1},    {"n1,n2", 2}, {"n[1-4,7],x", 6}, {"r[1-2]n[1-3]", 6},
        {"n[", 1}, {"n[1-2", 1}, {"]", 1},
    };
    for (const auto& [text, nodes] : lists)
        BOOST_TEST_CONTEXT(text) {
            BOOST_TEST(count_nodes(text) == nodes);
        }
}

BOOST_AUTO_TEST_SUITE_END()
