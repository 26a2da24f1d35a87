// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/enumerators.hpp"

#include <cstdint>

#include <boost/test/unit_test.hpp>

using namespace qg;

namespace {

enum class Three : std::uint8_t { first, second, third };
enum class None {};
enum class WithGap { first, third = 2 };

} // namespace

BOOST_AUTO_TEST_SUITE(enumerators)

BOOST_AUTO_TEST_CASE(enumerators_are_counted_up_to_the_first_value_without_one) {
    BOOST_TEST(count_enumerators<Three>() == 3u);
    BOOST_TEST(count_enumerators<None>() == 0u);
    BOOST_TEST(count_enumerators<WithGap>() == 1u);
}

BOOST_AUTO_TEST_CASE(a_value_without_a_name_is_no_enumerator) {
    BOOST_TEST(is_enumerator<WithGap::third>());
    BOOST_TEST(!is_enumerator<static_cast<WithGap>(1)>());
}

BOOST_AUTO_TEST_SUITE_END()
