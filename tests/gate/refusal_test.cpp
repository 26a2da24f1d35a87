// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/refusal.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;

BOOST_AUTO_TEST_SUITE(refusal)

BOOST_AUTO_TEST_CASE(lines_are_told_once_and_of_many_the_first) {
    const auto told = [](std::size_t most) {
        return text::join(gate::lines_once({"a", "b", "a", "c", "b"}, most), "; ");
    };
    BOOST_TEST(told(4) == "a; b; c");
    BOOST_TEST(told(3) == "a; b; c");
    BOOST_TEST(told(2) == "a; and 2 more");
    BOOST_TEST(told(1) == "and 3 more");
    BOOST_TEST(told(0) == "");
    BOOST_TEST(gate::lines_once({}, 0).empty());
}

BOOST_AUTO_TEST_SUITE_END()
