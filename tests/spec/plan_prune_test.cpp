// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/plan.hpp"

#include "spec/spec_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

namespace {

Planned pruned(std::vector<DesiredQos> qos, const LiveState& state) {
    Desired wanted = desired(std::move(qos));
    wanted.pruned_owners = {"base"};
    return make_plan(wanted, state, {});
}

} // namespace

BOOST_AUTO_TEST_SUITE(plan_prune)

BOOST_AUTO_TEST_CASE(what_the_owner_created_and_no_file_names_is_removed) {
    const LiveState state = live({marked(stored_qos("old"), made_by_base), stored_qos("byhand"),
                                  marked(stored_qos("theirs"), {"ops", {}}),
                                  marked(stored_qos("adopted"), {"", {{"base", {"MaxWall"}}}})});

    const Planned planned = pruned({}, state);

    BOOST_TEST_REQUIRE(planned.plan.removed.size() == 1u);
    BOOST_TEST(planned.plan.removed[0] == state.qos[0]);
    BOOST_TEST(planned.plan.updated.empty());
}

BOOST_AUTO_TEST_CASE(without_prune_nothing_is_removed_and_the_option_prunes_the_files_owners) {
    const LiveState state = live({marked(stored_qos("old"), made_by_base)});
    BOOST_TEST(plan_of({wanted_qos("new")}, state).removed.empty());
    BOOST_TEST(plan_of({wanted_qos("new")}, state, {.prune = true}).removed.size() == 1u);
    BOOST_TEST(plan_of({wanted_qos("new", {}, "ops")}, state, {.prune = true}).removed.empty());
}

BOOST_AUTO_TEST_CASE(what_is_named_is_not_removed) {
    const LiveState state = live({marked(stored_qos("old"), made_by_base)});
    BOOST_TEST(pruned({wanted_qos("old")}, state).plan.removed.empty());
}

BOOST_AUTO_TEST_CASE(normal_is_never_removed) {
    const Planned planned = pruned({}, live({marked(stored_qos("normal"), made_by_base)}));
    BOOST_TEST(!planned.plan.changes_anything());
}

BOOST_AUTO_TEST_CASE(what_another_owner_manages_too_is_not_removed) {
    Ownership shared = made_by_base;
    shared.managed["ops"] = {"Priority"};
    const Planned planned = pruned({}, live({marked(stored_qos("old"), shared)}));
    BOOST_TEST(planned.conflicts == (std::vector<Conflict>{{"old", "", "ops", "base", {}}}));
    BOOST_TEST(!planned.plan.changes_anything());
}

BOOST_AUTO_TEST_CASE(to_take_over_removes_what_another_owner_manages_too_and_says_so) {
    Ownership shared = made_by_base;
    shared.managed["ops"] = {"GrpJobs", "Priority"};
    const LiveState state = live({marked(stored_qos("old"), shared)});

    const Plan made = plan_of({wanted_qos("new")}, state, {.take_over = true, .prune = true});

    BOOST_TEST(made.removed == state.qos);
    BOOST_TEST(made.warnings == (std::vector<std::string>{
                                    "QOS 'old': it is deleted, although ops manages GrpJobs, Priority"}));
    BOOST_TEST(plan_of({wanted_qos("new")}, state, {.take_over = true}).removed.empty());
}

BOOST_AUTO_TEST_CASE(what_is_left_alone_is_neither_changed_nor_removed) {
    Ownership shared = made_by_base;
    shared.managed["ops"] = {"GrpJobs", "Priority"};
    const LiveState state =
        live({marked(stored_qos("moved"), made_by_base), marked(stored_qos("old"), shared)});
    const std::vector<DesiredQos> wanted{wanted_qos("moved", {"MaxWall=90"}, "ops"), wanted_qos("new")};

    BOOST_TEST(make_plan(desired(wanted), state, {.prune = true}).conflicts.size() == 2u);
    const Plan made = plan_of(wanted, state, {.prune = true, .left_alone = {"moved", "old"}});

    BOOST_TEST(made.created.size() == 1u);
    BOOST_TEST(made.updated.empty());
    BOOST_TEST(made.removed.empty());
}

BOOST_AUTO_TEST_CASE(what_is_removed_leaves_the_preempt_of_others) {
    const LiveState state = live({marked(stored_qos("old"), made_by_base),
                                  marked(stored_qos("high", {"Preempt=old"}), {"", {{"ops", {"Preempt"}}}})});

    const Planned planned = pruned({}, state);

    BOOST_TEST_REQUIRE(planned.plan.updated.size() == 1u);
    BOOST_TEST(planned.plan.updated[0].after.preempt.empty());
    BOOST_TEST(
        planned.plan.warnings ==
        (std::vector<std::string>{"QOS 'high': Preempt, which ops manages, loses old, which is removed"}));
}

BOOST_AUTO_TEST_CASE(preempt_of_what_is_removed_is_a_problem) {
    const Planned planned =
        pruned({wanted_qos("high", {"Preempt=old"})}, live({marked(stored_qos("old"), made_by_base)}));
    BOOST_TEST(texts_of(planned.problems) ==
               (std::vector<std::string>{"QOS 'high': Preempt: QOS 'old' is to be removed"}));
}

BOOST_AUTO_TEST_SUITE_END()
