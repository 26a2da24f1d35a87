// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/access_plan.hpp"

#include "qosgate/spec/changes.hpp"
#include "spec/spec_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

using Changes = std::vector<model::AccessChange>;

namespace {

/// root > physics > lasers, chemistry; ana is in physics and chemistry, bob in lasers.
LiveState tree(const std::function<void(std::vector<model::AssociationRecord>&)>& change = {}) {
    std::vector<model::AssociationRecord> all{account("root", "", {{"normal"}}),
                                              account("chemistry", "root"),
                                              account("physics", "root"),
                                              account("lasers", "physics"),
                                              user("ana", "chemistry"),
                                              user("ana", "physics"),
                                              user("bob", "lasers")};
    if (change) change(all);
    return live({stored_qos("normal"), stored_qos("night")}, std::move(all));
}

DesiredQos night(DesiredAccess access) {
    return with_access(wanted_qos("night"), std::move(access));
}

model::AssociationName name(const std::string& of_account, const std::string& of_user = {},
                            const std::string& partition = {}) {
    return {"c", of_account, of_user, partition};
}

Changes changes_of(const DesiredAccess& access, const LiveState& state) {
    return plan_of({night(access)}, state).access;
}

} // namespace

BOOST_AUTO_TEST_SUITE(access_plan)

BOOST_AUTO_TEST_CASE(an_account_gets_a_qos_and_what_is_below_it_inherits) {
    const LiveState state = tree();

    const Plan made =
        plan_of({night({.accounts = {"physics", "lasers"}, .users = {{"ana", "physics"}, {"bob"}}})}, state);

    BOOST_TEST(made.access == (Changes{{name("physics"), {"night"}, {}, {}}}));
    BOOST_TEST(made.access_base == std::vector{state.associations[2]});
}

BOOST_AUTO_TEST_CASE(the_associations_that_the_files_name_are_told) {
    const LiveState state = tree([](auto& all) {
        all.push_back(user("cyd", "physics", {}, "gpu"));
        all.push_back(user("cyd", "physics", {}, "cpu"));
        all[2].own_qos = {"night", "normal"};
    });
    const auto named = [&](const DesiredAccess& access) { return plan_of({night(access)}, state).named; };

    BOOST_TEST(named({.accounts = {"Physics"}}) == (Changes{{name("physics"), {"night"}}}));
    BOOST_TEST(named({.users = {{"cyd"}}}) == (Changes{{name("physics", "cyd", "cpu"), {"night"}},
                                                       {name("physics", "cyd", "gpu"), {"night"}}}));
    BOOST_TEST(named({.users = {{"cyd", "physics", "gpu"}}}) ==
               (Changes{{name("physics", "cyd", "gpu"), {"night"}}}));
    BOOST_TEST(named({.users = {{"ana", "Chemistry"}}}) == (Changes{{name("chemistry", "ana"), {"night"}}}));
    BOOST_TEST(named({}) == Changes{});
}

BOOST_AUTO_TEST_CASE(what_is_granted_already_changes_nothing) {
    const LiveState state = tree([](auto& all) { all[2].own_qos = {"night", "normal"}; });
    BOOST_TEST(changes_of({.accounts = {"physics"}, .users = {{"ana", "physics"}, {"bob"}}}, state) ==
               Changes{});
    BOOST_TEST(changes_of({.accounts = {"chemistry"}}, state) ==
               (Changes{{name("chemistry"), {"night"}, {}, {}}}));
}

BOOST_AUTO_TEST_CASE(an_own_list_does_not_inherit) {
    const LiveState state = tree([](auto& all) { all[3].own_qos = {"normal"}; });
    BOOST_TEST(changes_of({.accounts = {"physics", "lasers"}}, state) ==
               (Changes{{name("lasers"), {"night"}, {}, {}}, {name("physics"), {"night"}, {}, {}}}));
}

BOOST_AUTO_TEST_CASE(a_user_without_account_is_meant_everywhere) {
    BOOST_TEST(changes_of({.users = {{"ana"}}}, tree()) ==
               (Changes{{name("chemistry", "ana"), {"night"}, {}, {}},
                        {name("physics", "ana"), {"night"}, {}, {}}}));
    BOOST_TEST(changes_of({.users = {{"ana", "physics"}}}, tree()) ==
               (Changes{{name("physics", "ana"), {"night"}, {}, {}}}));
}

BOOST_AUTO_TEST_CASE(a_partition_is_exact_and_no_partition_means_all) {
    const LiveState state = tree([](auto& all) {
        all.push_back(user("cyd", "physics", {}, "gpu"));
        all.push_back(user("cyd", "physics", {}, "cpu"));
    });
    BOOST_TEST(changes_of({.users = {{"cyd", "physics", "gpu"}}}, state) ==
               (Changes{{name("physics", "cyd", "gpu"), {"night"}, {}, {}}}));
    BOOST_TEST(changes_of({.users = {{"cyd", "physics"}}}, state).size() == 2u);
    BOOST_TEST(
        problem_of({night({.users = {{"cyd", "physics", "gpuu"}}})}, state) ==
        "QOS 'night': access: there is no user 'cyd' in account 'physics', partition 'gpuu'; this user is "
        "in physics partition cpu, physics partition gpu");
}

BOOST_AUTO_TEST_CASE(names_that_do_not_exist_are_problems) {
    BOOST_TEST(problem_of({night({.accounts = {"phisics"}})}, tree()) ==
               "QOS 'night': access: there is no account 'phisics'; did you mean physics?");
    BOOST_TEST(problem_of({night({.users = {{"anna"}}})}, tree()) ==
               "QOS 'night': access: there is no user 'anna'; did you mean ana?");
    BOOST_TEST(problem_of({night({.users = {{"ana", "lasers"}}})}, tree()) ==
               "QOS 'night': access: there is no user 'ana' in account 'lasers'; this user is in chemistry, "
               "physics");
    BOOST_TEST(problem_of({night({.users = {{"ana", "lesers"}}})}, tree()) ==
               "QOS 'night': access: there is no account 'lesers'; did you mean lasers?");
}

BOOST_AUTO_TEST_CASE(accounts_are_found_in_any_case_as_slurm_does) {
    BOOST_TEST(changes_of({.accounts = {"Physics"}, .users = {{"ana", "CHEMISTRY"}}}, tree()).size() == 2u);
}

// ---- revoke ---------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(complete_revokes_from_lists_that_are_not_covered) {
    const LiveState state = tree([](auto& all) {
        all[1].own_qos = {"night", "normal"};          // chemistry
        all[2].own_qos = {"night", "normal"};          // physics
        all[3].own_qos = {"night", "normal", "other"}; // lasers, below physics
    });

    BOOST_TEST(changes_of({.accounts = {"physics"}}, state) == Changes{});
    BOOST_TEST(changes_of({.accounts = {"physics"}, .is_complete = true}, state) ==
               (Changes{{name("chemistry"), {}, {"night"}, {}}}));
    BOOST_TEST(changes_of({.accounts = {"chemistry"}, .is_complete = true}, state) ==
               (Changes{{name("lasers"), {}, {"night"}, {}}, {name("physics"), {}, {"night"}, {}}}));
}

BOOST_AUTO_TEST_CASE(a_named_user_keeps_what_its_account_loses) {
    const LiveState state = tree([](auto& all) { all[2].own_qos = {"night", "normal"}; });
    BOOST_TEST(changes_of({.users = {{"bob"}}, .is_complete = true}, state) ==
               (Changes{{name("lasers", "bob"), {"night"}, {}, {}}, {name("physics"), {}, {"night"}, {}}}));
}

BOOST_AUTO_TEST_CASE(additions_to_an_inherited_list_are_revoked_too) {
    const LiveState state = tree([](auto& all) { all[6].added_qos = {"night"}; }); // bob

    BOOST_TEST(changes_of({.is_complete = true}, state) ==
               (Changes{{name("lasers", "bob"), {}, {"night"}, {}}}));
}

BOOST_AUTO_TEST_CASE(a_grant_of_a_users_own_stays_when_the_account_loses_the_qos) {
    const LiveState state = tree([](auto& all) {
        all[3].added_qos = {"night"}; // lasers
        all[6].added_qos = {"night"}; // bob
    });

    const DesiredAccess access{.users = {{.user = "bob"}}, .is_complete = true};
    const Plan made = plan_of({night(access)}, state);

    BOOST_TEST(made.access == (Changes{{name("lasers"), {}, {"night"}, {}}}));
    const LiveState after = apply_to(made, state);
    BOOST_TEST(after.associations[6].qos == (model::NameSet{"night", "normal"}));
    BOOST_TEST(changes_of(access, after) == Changes{});
}

BOOST_AUTO_TEST_CASE(a_user_who_only_has_more_than_the_account_loses_what_it_loses) {
    const LiveState state = tree([](auto& all) {
        all[3].added_qos = {"night"};  // lasers
        all[6].added_qos = {"normal"}; // bob
    });

    const Plan made = plan_of({night({.users = {{.user = "bob"}}, .is_complete = true})}, state);

    BOOST_TEST(made.access ==
               (Changes{{name("lasers"), {}, {"night"}, {}}, {name("lasers", "bob"), {"night"}, {}, {}}}));
}

BOOST_AUTO_TEST_CASE(a_user_with_more_than_the_account_gets_the_accounts_default) {
    const LiveState state = tree([](auto& all) { all[6].added_qos = {"normal"}; }); // bob

    const Plan made = plan_of({night({.accounts = {"lasers"}, .default_for_accounts = {"lasers"}})}, state);

    BOOST_TEST(made.access == (Changes{{name("lasers"), {"night"}, {}, "night"}}));
}

BOOST_AUTO_TEST_CASE(a_default_qos_cannot_be_revoked) {
    const LiveState state = tree([](auto& all) {
        all[2] = with_default(account("physics", "root", {{"night", "normal"}}), "night");
    });
    BOOST_TEST(
        problem_of({night({.is_complete = true})}, state) ==
        "QOS 'night': it cannot be revoked from account 'physics' while it is the default QOS there; give "
        "that another default, or name it in access, or clear it: sacctmgr modify account where name=physics "
        "cluster=c set defaultqos=-1");

    const DesiredQos normal = with_access(wanted_qos("normal"), {.default_for_accounts = {"physics"}});
    const Plan made = plan_of({night({.is_complete = true}), normal}, state);
    BOOST_TEST(made.access == (Changes{{name("physics"), {}, {"night"}, "normal"}}));
}

BOOST_AUTO_TEST_CASE(a_users_own_default_does_not_keep_a_qos) {
    const LiveState state = tree([](auto& all) {
        all[2] = with_default(account("physics", "root", {{"night", "normal"}}), "normal");
        all[6] = with_default(user("bob", "lasers"), "night");
    });

    const Plan made = plan_of({night({.is_complete = true})}, state);

    BOOST_TEST(made.access ==
               (Changes{{name("lasers", "bob"), {}, {}, ""}, {name("physics"), {}, {"night"}, {}}}));
    BOOST_TEST(made.warnings ==
               (std::vector<std::string>{
                   "QOS 'night': it was the default QOS of user 'bob' in account 'lasers', which may not use "
                   "it any more: the default is 'normal' then"}));
    const LiveState after = apply_to(made, state);
    BOOST_TEST(after.associations.back().default_qos.value_or("none") == "normal");
    BOOST_TEST(changes_of({.is_complete = true}, after) == Changes{});
}

BOOST_AUTO_TEST_CASE(a_user_who_may_not_use_the_accounts_default_gets_another_one) {
    const LiveState state = tree([](auto& all) {
        all[2] = with_default(account("physics", "root", {{"day", "normal"}}), "day");
        all[6] = with_default(user("bob", "lasers"), "night");
        all[6].own_qos = {"night", "normal"};
    });

    const Plan made = plan_of({night({.is_complete = true})}, state);

    BOOST_TEST(made.access == (Changes{{name("lasers", "bob"), {}, {"night"}, "normal"}}));
}

BOOST_AUTO_TEST_CASE(a_user_who_loses_all_holds_up_nobody) {
    const LiveState state = tree([](auto& all) {
        all[2] = with_default(account("physics", "root", {{"normal"}}), "normal");
        all[6] = with_default(user("bob", "lasers"), "night");
        all[6].own_qos = {"night"};
    });

    const Plan made = plan_of({night({.is_complete = true})}, state);

    BOOST_TEST(made.access == (Changes{{name("lasers", "bob"), {}, {"night"}, ""}}));
    BOOST_TEST(made.warnings.back() == "user 'bob' in account 'lasers' may use no QOS any more");
    BOOST_TEST(plan_of({night({.is_complete = true})}, apply_to(made, state)).access == Changes{});
}

BOOST_AUTO_TEST_CASE(a_new_qos_does_not_become_a_default_by_itself) {
    LiveState state = tree([](auto& all) {
        all[2] = with_default(account("physics", "root", {{"day"}}), "day");
        all[6] = with_default(user("bob", "lasers"), "night");
        all[6].own_qos = {"night", "zed"};
    });
    state.qos.push_back(stored_qos("zed"));

    const Plan made = plan_of(
        {night({.is_complete = true}), with_access(wanted_qos("apple"), {.users = {{"bob"}}})}, state);

    BOOST_TEST(made.access == (Changes{{name("lasers", "bob"), {"apple"}, {"night"}, "zed"}}));
}

BOOST_AUTO_TEST_CASE(a_default_that_the_files_ask_for_does_not_give_way) {
    const LiveState state = tree([](auto& all) {
        all[2] = account("physics", "root", {{"night", "normal"}});
        all[6] = with_default(user("bob", "lasers"), "night");
    });
    BOOST_TEST(problem_of({night({.default_for_users = {{"bob"}}, .is_complete = true})}, state)
                   .starts_with("QOS 'night': it cannot be revoked from user 'bob'"));
}

BOOST_AUTO_TEST_CASE(who_does_not_get_what_the_account_gets_is_a_warning) {
    const LiveState state = tree([](auto& all) {
        all[3].own_qos = {"normal"};    // lasers, with bob
        all[5].removed_qos = {"night"}; // ana in physics
    });

    BOOST_TEST(plan_of({night({.accounts = {"physics"}})}, state).warnings ==
               (std::vector<std::string>{
                   "QOS 'night': access: account 'lasers', user 'ana' in account 'physics' may not use it, "
                   "though the account above is named: an own list shuts it out, or it was revoked there; to "
                   "grant it there, too, name them"}));
    const DesiredAccess both{.accounts = {"physics", "lasers"}, .users = {{.user = "ana"}}};
    BOOST_TEST(plan_of({night(both)}, state).warnings.empty());
}

BOOST_AUTO_TEST_CASE(an_association_without_any_qos_is_a_warning) {
    const LiveState state = tree([](auto& all) { all[1].own_qos = {"night"}; });

    const Plan made = plan_of({night({.is_complete = true})}, state);

    BOOST_TEST(made.warnings == (std::vector<std::string>{"account 'chemistry' may use no QOS any more"}));
}

// ---- default_for ----------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_default_is_set_where_it_differs) {
    const DesiredAccess access{.accounts = {"physics"},
                               .default_for_accounts = {"physics"},
                               .default_for_users = {{"ana", "physics"}}};
    const LiveState state = tree();

    const Plan made = plan_of({night(access)}, state);

    BOOST_TEST(made.access == (Changes{{name("physics"), {"night"}, {}, "night"}}));
    BOOST_TEST(changes_of(access, apply_to(made, state)) == Changes{});
}

BOOST_AUTO_TEST_CASE(a_default_needs_access) {
    BOOST_TEST(
        problem_of({night({.default_for_users = {{"bob"}}})}, tree()) ==
        "QOS 'night': it cannot be the default QOS of user 'bob' in account 'lasers', which may not use it; "
        "name that in access, too");
}

BOOST_AUTO_TEST_CASE(a_default_of_an_account_must_be_usable_below_it) {
    const LiveState state = tree([](auto& all) { all[6].own_qos = {"normal"}; });
    const DesiredAccess access{.accounts = {"physics"}, .default_for_accounts = {"physics"}};
    BOOST_TEST(
        problem_of({night(access)}, state) ==
        "QOS 'night': it cannot be the default QOS of user 'bob' in account 'lasers', which may not use it; "
        "name that in access, too");
}

BOOST_AUTO_TEST_CASE(what_all_below_inherit_is_said_once) {
    const DesiredAccess access{.default_for_accounts = {"root"}};
    BOOST_TEST(problem_of({night(access)}, tree()).find("account 'root'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(two_defaults_of_one_association_are_a_problem) {
    const DesiredQos normal = with_access(wanted_qos("normal"), {.default_for_accounts = {"root"}});
    BOOST_TEST(
        problem_of({night({.accounts = {"root"}, .default_for_accounts = {"root"}}), normal}, tree()) ==
        "QOS 'normal': access: QOS 'night', too, is to be the default of account 'root'");
}

// ---- removal --------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_default_qos_cannot_be_removed) {
    LiveState state = tree([](auto& all) {
        all[2] = with_default(account("physics", "root", {{"night", "normal"}}), "night");
    });
    state.qos[1].description = "night [qosgate:base*]";
    Desired wanted;
    wanted.pruned_owners = {"base"};

    const Planned planned = make_plan(wanted, state, {});

    BOOST_TEST(texts_of(planned.problems) ==
               (std::vector<std::string>{
                   "QOS 'night': it cannot be removed while it is the default QOS of "
                   "account 'physics'; give that another default first, or clear it: sacctmgr modify "
                   "account where name=physics cluster=c set defaultqos=-1"}));
    state.associations[2].own_default_qos.reset();
    for (auto& record : state.associations)
        record.default_qos.reset();
    BOOST_TEST(make_plan(wanted, state, {}).plan.removed.size() == 1u);

    model::AssociationRecord& bob = state.associations.back();
    BOOST_TEST_REQUIRE(bob.name.user == "bob");
    bob.default_qos = bob.own_default_qos = "night"; // a user may choose
    const Planned without = make_plan(wanted, state, {});
    BOOST_TEST(texts_of(without.problems) == std::vector<std::string>{});
    BOOST_TEST(without.plan.removed.size() == 1u);
    BOOST_TEST(without.plan.access == (Changes{{name("lasers", "bob"), {}, {}, ""}}));
}

BOOST_AUTO_TEST_CASE(a_default_that_another_owner_keeps_from_moving_is_a_conflict_alone) {
    LiveState state = tree([](auto& all) {
        all[2] = with_default(account("physics", "root", {{"night", "normal"}}), "night");
    });
    state.qos[0].description = "normal [qosgate:ops=1]";
    state.qos[1].description = "night [qosgate:base*]";
    const Desired wanted{.qos = {with_access(wanted_qos("normal"),
                                             {.accounts = {"physics"}, .default_for_accounts = {"physics"}})},
                         .pruned_owners = {"base"}};

    const Planned planned = make_plan(wanted, state, {});

    BOOST_TEST(texts_of(planned.problems) == std::vector<std::string>{});
    BOOST_TEST_REQUIRE(planned.conflicts.size() == 1u);
    BOOST_TEST(planned.conflicts[0].field == "access");
    BOOST_TEST(make_plan(wanted, state, {.take_over = true}).plan.removed.size() == 1u);
}

// ---- size -----------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(twenty_thousand_associations_and_a_thousand_qos_are_planned) {
    std::vector<model::AssociationRecord> all{account("root", "", {{"normal"}})};
    std::vector<model::QosRecord> qos;
    std::vector<DesiredQos> wanted;
    for (int i = 0; i < 1000; ++i) {
        const std::string number = std::to_string(i);
        all.push_back(account("a" + number, "root"));
        for (int u = 0; u < 19; ++u)
            all.push_back(user("u" + std::to_string(u), "a" + number));
        qos.push_back(stored_qos("q" + number));
        wanted.push_back(
            with_access(wanted_qos("q" + number, {"MaxWall=1"}),
                        {.accounts = {"a" + number}, .users = {{"u0", "a0"}}, .is_complete = true}));
    }
    const LiveState state = live(qos, all);

    // Work that grows with the product of both would not end within the test's time limit.
    BOOST_TEST(plan_of(wanted, state).access.size() == 1001u);
}

BOOST_AUTO_TEST_SUITE_END()
