// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/limits.hpp"

#include "qosgate/base/check.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::model;

namespace {

constexpr std::size_t tres_count = 70; // more than one word of bits

Limits some_limits() {
    Limits limits(tres_count);
    limits.set(TresLimit::grp_tres, 0, 24);
    limits.set(TresLimit::grp_tres, 69, 0);
    limits.set(CountLimit::max_wall, 480);
    return limits;
}

} // namespace

BOOST_AUTO_TEST_SUITE(limits)

BOOST_AUTO_TEST_CASE(unset_and_zero_are_different) {
    const Limits limits = some_limits();

    BOOST_TEST(limits.get(TresLimit::grp_tres, 0).value() == 24u);
    BOOST_TEST(limits.get(TresLimit::grp_tres, 69).value() == 0u);
    BOOST_TEST(!limits.get(TresLimit::grp_tres, 1).has_value());
    BOOST_TEST(!limits.get(TresLimit::max_tres_per_job, 0).has_value());
    BOOST_TEST(limits.set_bits(TresLimit::grp_tres, 0) == 1u);
    BOOST_TEST(limits.set_bits(TresLimit::grp_tres, 1) == 1u << 5);
}

BOOST_AUTO_TEST_CASE(a_value_can_be_taken_away_again) {
    Limits limits = some_limits();

    limits.set(TresLimit::grp_tres, 0, ~std::uint64_t{0});

    BOOST_TEST(!limits.get(TresLimit::grp_tres, 0).has_value());
    BOOST_TEST(limits.set_bits(TresLimit::grp_tres, 0) == 0u);
}

BOOST_AUTO_TEST_CASE(a_copy_that_is_changed_leaves_the_original_alone) {
    const Limits original = some_limits();
    Limits copy = original;

    copy.set(TresLimit::grp_tres, 0, 7);
    copy.set(TresLimit::max_tres_per_user, 3, 2);

    BOOST_TEST(copy.get(TresLimit::grp_tres, 0).value() == 7u);
    BOOST_TEST(copy.get(TresLimit::grp_tres, 69).value() == 0u);
    BOOST_TEST(original.get(TresLimit::grp_tres, 0).value() == 24u);
    BOOST_TEST(!original.get(TresLimit::max_tres_per_user, 3).has_value());
}

BOOST_AUTO_TEST_CASE(an_original_that_is_changed_leaves_its_copy_alone) {
    Limits original = some_limits();
    const Limits copy = original;

    original.set(TresLimit::grp_tres, 0, 7);

    BOOST_TEST(copy.get(TresLimit::grp_tres, 0).value() == 24u);
}

BOOST_AUTO_TEST_CASE(every_limit_finds_room) {
    Limits limits(tres_count);
    for (std::size_t i = 0; i < tres_limit_count; ++i)
        limits.set(static_cast<TresLimit>(i), i, 100 + i);

    for (std::size_t i = 0; i < tres_limit_count; ++i) {
        const auto limit = static_cast<TresLimit>(i);
        BOOST_TEST(limits.get(limit, i).value() == 100 + i);
        BOOST_TEST(limits.values(limit).size() == tres_count);
        BOOST_TEST(!limits.get(limit, 60).has_value());
    }
}

BOOST_AUTO_TEST_CASE(a_tres_beyond_the_catalogue_has_no_limit) {
    Limits limits = some_limits();

    BOOST_TEST(!limits.get(TresLimit::grp_tres, tres_count).has_value());
    BOOST_CHECK_THROW(limits.set(TresLimit::grp_tres, tres_count, 1), qg::InternalError);
}

BOOST_AUTO_TEST_SUITE_END()
