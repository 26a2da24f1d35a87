// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/record_fields.hpp"

#include "support/script_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string_view>

using namespace qg;

BOOST_AUTO_TEST_SUITE(partition_groups)

namespace {

constexpr std::uint32_t ana = 1000;    // in the groups 50 and 60
constexpr std::uint32_t joe = 1001;    // in the group 70
constexpr std::uint32_t nobody = 4711; // the directory has no such user

/// The group 60 is gpu; there are no others.
bool is_shown_to(std::string_view groups, std::uint32_t user_id) {
    test::FakeHost host;
    return policy::compat::is_shown_to(groups, user_id, host).value();
}

} // namespace

BOOST_AUTO_TEST_CASE(members_of_one_of_the_groups_are_let_in) {
    BOOST_TEST(is_shown_to("gpu", ana));
    BOOST_TEST(!is_shown_to("gpu", joe));
    BOOST_TEST(is_shown_to("none,gpu", ana));
    BOOST_TEST(!is_shown_to("none,gpu", joe));
    BOOST_TEST(!is_shown_to("gpu", nobody));
    BOOST_TEST(!is_shown_to("gpu", 0)); // root is not in it
}

BOOST_AUTO_TEST_CASE(without_groups_everybody_is_let_in) {
    BOOST_TEST(is_shown_to("", joe));
    BOOST_TEST(is_shown_to("", nobody));
}

BOOST_AUTO_TEST_CASE(groups_that_do_not_exist_keep_nobody_out) {
    BOOST_TEST(is_shown_to("none", joe));
    BOOST_TEST(is_shown_to("none,neither", nobody));
}

BOOST_AUTO_TEST_CASE(what_is_not_known_yet_is_an_error) {
    test::FakeHost host;
    host.unknown_id = ana;
    BOOST_TEST(!policy::compat::is_shown_to("gpu", ana, host));
    BOOST_TEST(policy::compat::is_shown_to("none", ana, host).value()); // the user is not asked about
    host.unknown_group = "gpu";
    BOOST_TEST(!policy::compat::is_shown_to("gpu", joe, host));
}

BOOST_AUTO_TEST_SUITE_END()
