// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/time_allowance.hpp"

#include <boost/test/unit_test.hpp>

using qg::plugin::TimeAllowance;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t ana = 1001;
constexpr std::uint32_t ben = 1002;
const TimeAllowance::Clock::time_point start{1h};

} // namespace

BOOST_AUTO_TEST_SUITE(time_allowance)

BOOST_AUTO_TEST_CASE(it_ends_with_the_burst) {
    TimeAllowance allowance;

    BOOST_TEST(allowance.has_some(ana, start));
    allowance.spend(ana, 99ms, start);
    BOOST_TEST(allowance.has_some(ana, start));
    allowance.spend(ana, 1ms, start);
    BOOST_TEST(!allowance.has_some(ana, start));
}

BOOST_AUTO_TEST_CASE(a_tenth_of_the_time_comes_back) {
    TimeAllowance allowance;
    allowance.spend(ana, 150ms, start);

    BOOST_TEST(!allowance.has_some(ana, start + 500ms));
    BOOST_TEST(allowance.has_some(ana, start + 501ms));
}

BOOST_AUTO_TEST_CASE(one_user_spends_nothing_of_anothers) {
    TimeAllowance allowance;
    allowance.spend(ana, 1s, start);

    BOOST_TEST(!allowance.has_some(ana, start));
    BOOST_TEST(allowance.has_some(ben, start));
}

BOOST_AUTO_TEST_CASE(many_users_do_not_make_the_one_who_spent_most_forgotten) {
    TimeAllowance allowance;
    allowance.spend(ana, 1s, start);

    for (std::uint32_t user = 0; user < 2 * TimeAllowance::max_users; ++user)
        if (user != ana) allowance.spend(user, 1ms, start);

    BOOST_TEST(!allowance.has_some(ana, start));
}

BOOST_AUTO_TEST_SUITE_END()
