// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/plan_base.hpp"

#include "spec/spec_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

namespace {

struct Scene {
    LiveState state = live({stored_qos("gone", {"Description=gone [qosgate:base*]"}),
                            stored_qos("night", {"MaxWall=10"}), stored_qos("other")},
                           {account("root", "", {{"other"}}), account("physics", "root")});
    Plan plan = make_plan({.qos = {with_access(wanted_qos("fresh"), {.accounts = {"physics"}}),
                                   wanted_qos("night", {"MaxWall=60"})},
                           .pruned_owners = {"base"}},
                          state, {})
                    .plan;

    [[nodiscard]] std::string error() const {
        const auto same = expect_base(plan, state.qos, state.associations);
        return same ? "" : same.error().message;
    }
};

std::string moved(const std::string& what) {
    return "the records changed since the plan was made: " + what + "; nothing was changed, make a new plan";
}

} // namespace

BOOST_AUTO_TEST_SUITE(plan_base)

BOOST_AUTO_TEST_CASE(what_is_as_it_was_fits) {
    const Scene scene;
    BOOST_TEST_REQUIRE(scene.plan.removed.size() == 1u);
    BOOST_TEST(scene.error() == "");
}

BOOST_AUTO_TEST_CASE(what_the_plan_does_not_touch_may_change) {
    Scene scene;
    scene.state.qos[2].priority = 9;
    scene.state.associations[0].default_qos = scene.state.associations[0].own_default_qos = "other";
    BOOST_TEST(scene.error() == "");
}

BOOST_AUTO_TEST_CASE(each_difference_is_told) {
    Scene scene;
    scene.state.qos[0].priority = 9;
    BOOST_TEST(scene.error() == moved("QOS 'gone': Priority is 9 now, not 0"));

    scene = {};
    scene.state.qos[1].max_wall_minutes = 11;
    BOOST_TEST(scene.error() == moved("QOS 'night': MaxWall is 00:11:00 now, not 00:10:00"));

    scene = {};
    scene.state.qos.erase(scene.state.qos.begin());
    BOOST_TEST(scene.error() == moved("QOS 'gone' does not exist any more"));

    scene = {};
    scene.state.qos.push_back(stored_qos("fresh"));
    BOOST_TEST(scene.error() == moved("QOS 'fresh' exists now"));

    scene = {};
    scene.state.associations[1].qos.insert("night");
    BOOST_TEST(scene.error() == moved("account 'physics': its QOSs are night,other now, not other"));

    scene = {};
    scene.state.associations[1].default_qos = "other";
    BOOST_TEST(scene.error() == moved("account 'physics': its default QOS is other now, not none"));

    scene = {};
    scene.state.associations[1].own_qos = {"other"};
    BOOST_TEST(scene.error() == moved("account 'physics': where it has its QOSs from has changed"));

    scene = {};
    scene.state.associations.pop_back();
    BOOST_TEST(scene.error() == moved("there is no association of account 'physics' any more"));
}

BOOST_AUTO_TEST_CASE(a_long_message_ends_with_how_many_are_left_out) {
    Plan plan;
    for (int i = 0; i < 15; ++i)
        plan.removed.push_back(stored_qos("q" + std::to_string(10 + i)));
    const auto same = expect_base(plan, {}, {});
    BOOST_TEST_REQUIRE(!same.has_value());
    BOOST_TEST(same.error().message.find("QOS 'q21' does not exist any more; and 3 more; nothing was") !=
               std::string::npos);
    BOOST_TEST(same.error().message.find("q22") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
