// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/drift.hpp"

#include "spec/spec_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

namespace {

const std::string mark = "Description=night [qosgate:base*=8]"; // manages MaxWall

Drift drift_of(const DesiredQos& wanted, const LiveState& state) {
    return find_drift(plan_of({wanted}, state), state.qos);
}

} // namespace

BOOST_AUTO_TEST_SUITE(drift)

BOOST_AUTO_TEST_CASE(a_managed_field_that_somebody_changed_is_drift) {
    const LiveState state = live({stored_qos("night", {"MaxWall=10", "Priority=5", mark})});

    const Drift found = drift_of(wanted_qos("night", {"MaxWall=60"}), state);

    BOOST_TEST(found.found());
    BOOST_TEST_REQUIRE(found.fields.size() == 1u);
    BOOST_TEST(found.fields[0] == (DriftedField{"night", "MaxWall", "01:00:00", "00:10:00", true}));
}

BOOST_AUTO_TEST_CASE(a_field_that_was_not_applied_yet_is_told_apart) {
    const LiveState state = live({stored_qos("night", {"MaxWall=60", mark})});

    const Drift found = drift_of(wanted_qos("night", {"MaxWall=60", "Priority=5"}), state);

    BOOST_TEST_REQUIRE(found.fields.size() == 1u);
    BOOST_TEST(found.fields[0] == (DriftedField{"night", "Priority", "5", "0", false}));
}

BOOST_AUTO_TEST_CASE(equal_values_are_no_drift_even_without_a_mark) {
    const Drift same =
        drift_of(wanted_qos("night", {"MaxWall=60"}), live({stored_qos("night", {"MaxWall=60", mark})}));
    BOOST_TEST(!same.found());
    BOOST_TEST(same.unmarked.empty());

    const Drift unmarked =
        drift_of(wanted_qos("night", {"MaxWall=60"}), live({stored_qos("night", {"MaxWall=60"})}));
    BOOST_TEST(!unmarked.found());
    BOOST_TEST(unmarked.unmarked == std::vector<std::string>{"night"});
}

BOOST_AUTO_TEST_CASE(missing_and_left_over_qos_are_drift) {
    BOOST_TEST(drift_of(wanted_qos("night"), live({})).missing == std::vector<std::string>{"night"});

    const LiveState state = live({stored_qos("old", {"Description=old [qosgate:base*]"})});
    const Drift found = find_drift(make_plan({.pruned_owners = {"base"}}, state, {}).plan, state.qos);
    BOOST_TEST(found.leftover == std::vector<std::string>{"old"});
    BOOST_TEST(found.found());
}

BOOST_AUTO_TEST_CASE(access_that_was_taken_away_is_drift) {
    const LiveState state = live({stored_qos("night", {"Description=night [qosgate:base*=1]"})},
                                 {account("root", "", {{"normal"}}), account("physics", "root")});

    const Drift found = drift_of(with_access(wanted_qos("night"), {.accounts = {"physics"}}), state);

    BOOST_TEST_REQUIRE(found.access.size() == 1u);
    BOOST_TEST(list_associations(found.access[0].granted) == "account physics");
    BOOST_TEST(found.managed_access == model::NameSet{"night"});
    BOOST_TEST(found.found());
}

BOOST_AUTO_TEST_CASE(access_that_was_not_applied_yet_is_told_apart) {
    const LiveState state =
        live({stored_qos("night", {mark})}, {account("root", "", {{"normal"}}), account("physics", "root")});

    const Drift found = drift_of(with_access(wanted_qos("night"), {.accounts = {"physics"}}), state);

    BOOST_TEST(found.access.size() == 1u);
    BOOST_TEST(found.managed_access == model::NameSet{});

    LiveState of_others = state; // who took it over has not applied it
    of_others.qos[0].description = "night [qosgate:ops=1]";
    const Planned taken = make_plan({.qos = {with_access(wanted_qos("night"), {.accounts = {"physics"}})}},
                                    of_others, {.take_over = true});
    BOOST_TEST(find_drift(taken.plan, of_others.qos).access.size() == 1u);
    BOOST_TEST(find_drift(taken.plan, of_others.qos).managed_access == model::NameSet{});
}

BOOST_AUTO_TEST_SUITE_END()
