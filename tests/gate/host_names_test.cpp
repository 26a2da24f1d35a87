// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nodes/host_names.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;

namespace {

/// The names, and "..." if there are more.
std::string names_of(std::string_view list, std::size_t max = 16) {
    const gate::HostNames hosts = gate::first_hosts(list, max);
    return text::join(hosts.names, " ") + (hosts.is_whole ? "" : " ...");
}

} // namespace

BOOST_AUTO_TEST_SUITE(host_names)

BOOST_AUTO_TEST_CASE(names_stand_between_commas_and_spaces) {
    BOOST_TEST(names_of("") == "");
    BOOST_TEST(names_of("a") == "a");
    BOOST_TEST(names_of("a1,,b a-c\n") == "a1 b a-c");
    BOOST_TEST(names_of("a,a") == "a a");
}

BOOST_AUTO_TEST_CASE(brackets_hold_numbers_and_ranges) {
    BOOST_TEST(names_of("n[1-3,7],x") == "n1 n2 n3 n7 x");
    BOOST_TEST(names_of("n[08-11]") == "n08 n09 n10 n11");
    BOOST_TEST(names_of("r[1-2]n[0,2]s") == "r1n0s r1n2s r2n0s r2n2s");
}

BOOST_AUTO_TEST_CASE(nothing_is_read_from_where_a_list_cannot_be_read) {
    for (const char* wrong : {"n[1-3", "n1]", "n[]", "n[a-b]", "n[2-1]", "n[1-2-3]", "n[[1]]", "n[-1]"})
        BOOST_TEST(names_of("a," + std::string(wrong) + ",b") == "a ...");
    BOOST_TEST(names_of(std::string(255, 'n')) == std::string(255, 'n'));
    BOOST_TEST(names_of(std::string(256, 'n')) == " ...");
}

BOOST_AUTO_TEST_CASE(only_so_many_names_are_read) {
    BOOST_TEST(names_of("n[1-3]", 3) == "n1 n2 n3");
    BOOST_TEST(names_of("n[1-4]", 3) == "n1 n2 n3 ...");
    BOOST_TEST(names_of("a,b,c,d", 3) == "a b c ...");
    BOOST_TEST(names_of("n[1-18446744073709551615]", 2) == "n1 n2 ...");
    BOOST_TEST(names_of("n[1-9]m[1-9]o[1-9]p[1-9]", 2) == "n1m1o1p1 n1m1o1p2 ...");
}

BOOST_AUTO_TEST_SUITE_END()
