// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/saturate.hpp"

#include <boost/test/unit_test.hpp>

using qg::divide_up;
using qg::saturate;

namespace {
constexpr std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();
}

BOOST_AUTO_TEST_SUITE(saturate_module)

BOOST_AUTO_TEST_CASE(a_number_that_fits_is_cut) {
    BOOST_TEST(saturate(0.0) == 0u);
    BOOST_TEST(saturate(2.9) == 2u);
    BOOST_TEST(saturate(2.9L) == 2u);
    BOOST_TEST(saturate(0x1p63) == std::uint64_t{1} << 63);
    BOOST_TEST(saturate(0x1.fffffffffffffp63) == greatest - 2047);
}

BOOST_AUTO_TEST_CASE(a_number_that_does_not_fit_becomes_the_nearest_that_does) {
    BOOST_TEST(saturate(0x1p64) == greatest);
    BOOST_TEST(saturate(0x1p64L) == greatest);
    BOOST_TEST(saturate(std::numeric_limits<double>::infinity()) == greatest);
    BOOST_TEST(saturate(-1.0) == 0u);
    BOOST_TEST(saturate(-std::numeric_limits<double>::infinity()) == 0u);
    BOOST_TEST(saturate(std::numeric_limits<double>::quiet_NaN()) == 0u);
}

BOOST_AUTO_TEST_CASE(a_quotient_is_rounded_up_without_an_overflow) {
    BOOST_TEST(divide_up(0, 4) == 0u);
    BOOST_TEST(divide_up(1, 4) == 1u);
    BOOST_TEST(divide_up(4, 4) == 1u);
    BOOST_TEST(divide_up(5, 4) == 2u);
    BOOST_TEST(divide_up(greatest, 2) == greatest / 2 + 1);
    BOOST_TEST(divide_up(greatest, greatest) == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
