// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/association_tree.hpp"
#include "slurmdb/family.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace qg;
using namespace qg::slurmdb;
using namespace qg::test;
using model::AccessChange;
using model::AssociationName;
using model::AssociationRecord;
using model::NameSet;
using Kind = AccessWrite::Kind;
using Words = std::vector<std::string>;
using Ids = std::vector<std::uint32_t>;

namespace {

const AssociationName root{.cluster = "c", .account = "root"};

/// root {normal} - top {a, b} - sub - ana, bob.
std::vector<StoredAssociation> family() {
    return {{.id = 4, .name = ana},
            {.id = 5, .name = bob},
            {.id = 3, .name = sub, .parent_account = "top"},
            {.id = 2, .name = top, .parent_account = "root", .whole = {"a", "b"}},
            {.id = 1, .name = root, .whole = {"normal"}}};
}

StoredAssociation& one(std::vector<StoredAssociation>& all, const AssociationName& name) {
    return *std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.name == name; });
}

AssociationRecord record_of(const AssociationTree& tree, const AssociationName& name) {
    const auto records = tree.records();
    return *std::find_if(records.begin(), records.end(), [&](const auto& a) { return a.name == name; });
}

NameSet qos_of(const AssociationTree& tree, const AssociationName& name) {
    return record_of(tree, name).qos;
}

AccessPlan plan_of(const std::vector<StoredAssociation>& all, const std::vector<AccessChange>& changes) {
    return AssociationTree(all).plan(changes).value();
}

} // namespace

BOOST_AUTO_TEST_SUITE(association_tree)

BOOST_AUTO_TEST_CASE(accounts_come_before_their_users_by_name) {
    const auto records = AssociationTree(family()).records();

    Words names;
    for (const auto& record : records)
        names.push_back(record.name.account + ":" + record.name.user);
    BOOST_TEST(names == (Words{"root:", "sub:", "sub:ana", "sub:bob", "top:"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_has_no_list_of_its_own_has_the_one_above) {
    const AssociationTree tree(family());

    BOOST_TEST(qos_of(tree, top) == (NameSet{"a", "b"}));
    BOOST_TEST(qos_of(tree, ana) == (NameSet{"a", "b"}));
    BOOST_TEST(!record_of(tree, ana).own_qos.has_value());
    BOOST_TEST(record_of(tree, top).own_qos.value() == (NameSet{"a", "b"}));
}

BOOST_AUTO_TEST_CASE(differences_apply_from_the_top_down_to_the_next_whole_list) {
    auto all = family();
    one(all, sub).removed = {"a"};
    one(all, sub).added = {"x"};
    one(all, ana).added = {"a"};
    one(all, bob).removed = {"x", "b"};
    const AssociationTree tree(all);

    BOOST_TEST(qos_of(tree, sub) == (NameSet{"b", "x"}));
    BOOST_TEST(qos_of(tree, ana) == (NameSet{"a", "b", "x"}));
    BOOST_TEST(qos_of(tree, bob).empty());
    BOOST_TEST(!record_of(tree, bob).own_qos.has_value());
    BOOST_TEST(record_of(tree, bob).removed_qos == (NameSet{"b", "x"}));
    BOOST_TEST(record_of(tree, ana).added_qos == NameSet{"a"});
}

BOOST_AUTO_TEST_CASE(a_default_comes_from_the_next_one_above_that_has_one) {
    auto all = family();
    one(all, top).own_default = "a";
    one(all, bob).own_default = "b";
    const AssociationTree tree(all);

    BOOST_TEST(record_of(tree, ana).default_qos.value() == "a");
    BOOST_TEST(!record_of(tree, ana).own_default_qos.has_value());
    BOOST_TEST(record_of(tree, bob).default_qos.value() == "b");
    BOOST_TEST(!record_of(tree, root).default_qos.has_value());
}

BOOST_AUTO_TEST_CASE(a_circle_of_accounts_ends) {
    auto all = family();
    one(all, top).parent_account = "sub";
    one(all, top).whole.clear();

    BOOST_TEST(qos_of(AssociationTree(all), ana).empty());
}

BOOST_AUTO_TEST_CASE(equal_changes_share_a_call_but_users_not_with_accounts) {
    const auto plan = plan_of(
        family(),
        {{.name = ana, .granted = {"x"}}, {.name = bob, .granted = {"x"}}, {.name = top, .granted = {"x"}}});

    // The users have it from the account then.
    BOOST_TEST_REQUIRE(plan.writes.size() == 1u);
    BOOST_TEST(plan.writes[0].ids == Ids{2}, boost::test_tools::per_element());

    const auto own = plan_of(
        family(),
        {{.name = ana, .granted = {"x"}}, {.name = bob, .granted = {"x"}}, {.name = sub, .granted = {"y"}}});
    BOOST_TEST_REQUIRE(own.writes.size() == 2u);
    BOOST_TEST(own.writes[0].ids == Ids{3}, boost::test_tools::per_element());
    BOOST_TEST(!own.writes[0].is_of_users);
    BOOST_TEST(own.writes[1].ids == (Ids{4, 5}), boost::test_tools::per_element());
    BOOST_TEST(own.writes[1].is_of_users);
    BOOST_TEST(qos_of(own.after, ana) == (NameSet{"a", "b", "x", "y"}));
}

BOOST_AUTO_TEST_CASE(what_is_so_already_needs_no_call) {
    BOOST_TEST(plan_of(family(), {{.name = ana, .granted = {"a"}, .revoked = {"x"}, .default_qos = ""}})
                   .writes.empty());
    BOOST_TEST(!plan_of(family(), {{.name = ana, .granted = {"a2"}}}).writes.empty());
}

BOOST_AUTO_TEST_CASE(a_grant_outlives_a_revocation_above_it) {
    const auto plan = plan_of(family(), {{.name = ana, .granted = {"a"}}, {.name = top, .revoked = {"a"}}});

    BOOST_TEST(qos_of(plan.after, ana) == (NameSet{"a", "b"}));
    BOOST_TEST(qos_of(plan.after, bob) == (NameSet{"b"}));
}

BOOST_AUTO_TEST_CASE(grants_come_first_then_defaults_then_revocations) {
    const auto plan =
        plan_of(family(), {{.name = top, .granted = {"x"}, .revoked = {"a"}, .default_qos = "x"}});

    BOOST_TEST_REQUIRE(plan.writes.size() == 3u);
    BOOST_TEST(plan.writes[0].kind == Kind::grant);
    BOOST_TEST(plan.writes[1].kind == Kind::set_default);
    BOOST_TEST(plan.writes[2].kind == Kind::revoke);
    BOOST_TEST(plan.writes[1].qos == Words{"x"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_list_that_becomes_empty_does_not_open_the_one_above) {
    auto all = family();
    one(all, ana).whole = {"a", "x"};

    const auto plan = plan_of(all, {{.name = ana, .revoked = {"a", "x"}}});

    // slurmdbd keeps only the removal that emptied the list, so "a" is revoked once more.
    BOOST_TEST_REQUIRE(plan.writes.size() == 1u);
    BOOST_TEST(plan.writes[0].qos == (Words{"a", "x", "a", "b"}), boost::test_tools::per_element());
    BOOST_TEST(qos_of(plan.after, ana).empty());

    const auto some = plan_of(all, {{.name = ana, .revoked = {"x"}}});
    BOOST_TEST(some.writes[0].qos == Words{"x"}, boost::test_tools::per_element());
    BOOST_TEST(qos_of(some.after, ana) == NameSet{"a"});
}

BOOST_AUTO_TEST_CASE(the_list_above_is_that_after_the_change) {
    auto all = family();
    one(all, ana).whole = {"x"};

    const auto plan =
        plan_of(all, {{.name = ana, .revoked = {"x"}}, {.name = top, .granted = {"new"}, .revoked = {"a"}}});

    BOOST_TEST(qos_of(plan.after, ana).empty());
    BOOST_TEST(qos_of(plan.after, bob) == (NameSet{"b", "new"}));
}

BOOST_AUTO_TEST_CASE(a_default_that_cannot_be_used_is_refused) {
    auto all = family();
    one(all, ana).own_default = "a";
    const AssociationTree tree(all);
    const auto refusal = [&](const AccessChange& change) {
        const auto plan = tree.plan(std::vector{change});
        return plan ? std::string("none") : plan.error().message;
    };

    // Not only where the change is made, also below.
    BOOST_TEST(
        refusal({.name = top, .revoked = {"a"}}) ==
        "user ana in account sub of cluster c would have QOS 'a' as its default and could not use it: grant "
        "it, or set another default");
    BOOST_TEST(refusal({.name = bob, .default_qos = "x"}).find("user bob in account sub") == 0u);
    BOOST_TEST(refusal({.name = bob, .default_qos = "b"}) == "none");
    BOOST_TEST(refusal({.name = ana, .revoked = {"a"}, .default_qos = ""}) == "none");
    BOOST_TEST(tree.plan(std::vector{AccessChange{.name = top, .revoked = {"a"}},
                                     AccessChange{.name = ana, .default_qos = "b"}})
                   .has_value());
}

BOOST_AUTO_TEST_CASE(a_default_that_was_unusable_before_is_no_reason_to_refuse) {
    auto all = family();
    one(all, ana).own_default = "gone";

    BOOST_TEST(
        AssociationTree(all).plan(std::vector{AccessChange{.name = top, .granted = {"x"}}}).has_value());
}

BOOST_AUTO_TEST_CASE(a_revoked_grant_leaves_no_difference) {
    auto all = family();
    one(all, ana).added = {"x"};

    const auto plan = plan_of(all, {{.name = ana, .revoked = {"x"}}});

    BOOST_TEST_REQUIRE(plan.writes.size() == 1u);
    BOOST_TEST(plan.writes[0].kind == Kind::end);
    BOOST_TEST(plan.writes[0].qos == Words{"-x"}, boost::test_tools::per_element());
    BOOST_TEST(record_of(plan.after, ana).removed_qos.empty());
    const auto later =
        plan_of({plan.after.stored().begin(), plan.after.stored().end()}, {{.name = top, .granted = {"x"}}});
    BOOST_TEST(qos_of(later.after, ana).contains("x"));
}

BOOST_AUTO_TEST_CASE(a_revocation_stays_where_the_list_above_has_the_qos) {
    auto all = family();
    one(all, ana).added = {"a"};

    const auto plan = plan_of(all, {{.name = ana, .revoked = {"a"}}});

    BOOST_TEST(record_of(plan.after, ana).removed_qos == NameSet{"a"});
    for (const AccessWrite& write : plan.writes)
        BOOST_TEST(write.kind == Kind::revoke);
}

BOOST_AUTO_TEST_CASE(differing_changes_are_repeated_as_they_are_stored) {
    const std::vector<AccessChange> changes{{.name = ana, .granted = {"x"}, .revoked = {"a"}},
                                            {.name = top, .granted = {"x"}, .default_qos = "b"}};
    const auto plan = plan_of(family(), changes);

    const auto again = plan.after.repeat(changes);

    BOOST_TEST_REQUIRE(again.size() == 3u);
    BOOST_TEST(again[0].kind == Kind::set_default);
    BOOST_TEST(again[0].qos == Words{"b"}, boost::test_tools::per_element());
    BOOST_TEST(again[1].qos == Words{"+x"}, boost::test_tools::per_element());
    BOOST_TEST(again[1].ids == Ids{2}, boost::test_tools::per_element());
    // She has x from the account.
    BOOST_TEST(again[2].qos == Words{"-a"}, boost::test_tools::per_element());
    BOOST_TEST(again[2].ids == Ids{4}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(changes_of_one_kind_are_not_repeated) {
    const std::vector<AccessChange> grants{{.name = ana, .granted = {"x"}}, {.name = top, .granted = {"y"}}};
    BOOST_TEST(plan_of(family(), grants).after.repeat(grants).empty());
}

BOOST_AUTO_TEST_CASE(defaults_are_set_from_the_top_down) {
    auto all = family();
    one(all, sub).own_default = "a";
    const auto plan = plan_of(all, {{.name = sub, .default_qos = ""}, {.name = top, .default_qos = "b"}});

    BOOST_TEST_REQUIRE(plan.writes.size() == 2u);
    BOOST_TEST(plan.writes[0].ids == Ids{2}, boost::test_tools::per_element());
    BOOST_TEST(plan.writes[1].ids == Ids{3}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_association_that_is_not_there_is_named_with_the_near_miss) {
    const auto plan = AssociationTree(family()).plan(
        std::vector{AccessChange{.name = {.cluster = "c", .account = "tops"}, .granted = {"a"}}});

    BOOST_TEST_REQUIRE(!plan.has_value());
    BOOST_TEST(plan.error().code == ErrorCode::not_found);
    BOOST_TEST(plan.error().message.find("account tops of cluster c") != std::string::npos);
    BOOST_TEST(plan.error().message.find("did you mean top?") != std::string::npos);
}

/// root {normal} - top {a, b} - sub - deep - eve; ana and bob in sub.
std::vector<StoredAssociation> deep_family() {
    auto all = family();
    all.push_back({.id = 6, .name = {.cluster = "c", .account = "deep"}, .parent_account = "sub"});
    all.push_back({.id = 7, .name = {.cluster = "c", .account = "deep", .user = "eve"}});
    return all;
}

std::vector<AccessWrite> told_below(const std::vector<StoredAssociation>& all,
                                    const std::vector<AccessChange>& changes) {
    return plan_of(all, changes).after.tell_below(changes, {"a", "b", "normal"});
}

BOOST_AUTO_TEST_CASE(all_accounts_below_are_told_what_they_inherit_and_nothing_is_stored) {
    const auto told =
        told_below(deep_family(), {{.name = top, .granted = {"x"}, .revoked = {"a"}, .default_qos = "b"}});

    BOOST_TEST_REQUIRE(told.size() == 4u);
    // Its own default is cleared, which it has not.
    for (const std::size_t depth : {0u, 1u}) {
        BOOST_TEST(told[depth].kind == Kind::set_default);
        BOOST_TEST(told[depth].qos == Words{""}, boost::test_tools::per_element());
        BOOST_TEST(told[depth].ids == Ids{depth == 0 ? 3u : 6u}, boost::test_tools::per_element());
    }
    for (const std::size_t place : {2u, 3u}) {
        BOOST_TEST(told[place].kind == Kind::tell);
        BOOST_TEST(!told[place].is_of_users);
        BOOST_TEST(told[place].qos == Words{place == 2 ? "+x" : "-a"}, boost::test_tools::per_element());
        BOOST_TEST(told[place].ids == (Ids{3, 6}), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(a_change_of_users_or_of_the_last_account_is_told_to_nobody_below) {
    BOOST_TEST(told_below(family(), {{.name = ana, .granted = {"x"}}}).empty());
    BOOST_TEST(told_below(family(), {{.name = sub, .granted = {"x"}, .default_qos = "a"}}).empty());
}

BOOST_AUTO_TEST_CASE(what_an_account_has_itself_is_not_told_below_it) {
    auto all = deep_family();
    one(all, sub).whole = {"b"};
    one(all, sub).own_default = "b";
    BOOST_TEST(told_below(all, {{.name = top, .granted = {"x"}, .default_qos = "a"}}).empty());
}

BOOST_AUTO_TEST_CASE(users_of_an_account_with_differences_are_told_themselves) {
    auto all = family();
    one(all, sub).added = {"s"};
    one(all, bob).removed = {"b"};

    const auto told = told_below(all, {{.name = top, .granted = {"x", "s"}}});

    // The account has s anyway. Bob's difference is written anew after that.
    BOOST_TEST_REQUIRE(told.size() == 2u);
    BOOST_TEST(told[0].kind == Kind::tell);
    BOOST_TEST(told[0].is_of_users);
    BOOST_TEST(told[0].qos == Words{"+x"}, boost::test_tools::per_element());
    BOOST_TEST(told[0].ids == (Ids{4, 5}), boost::test_tools::per_element());
    BOOST_TEST(told[1].kind == Kind::restore);
    BOOST_TEST(told[1].qos == Words{"-b"}, boost::test_tools::per_element());
    BOOST_TEST(told[1].ids == Ids{5}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(below_an_account_whose_own_list_is_set_all_is_told) {
    auto all = deep_family();
    const auto told = told_below(all, {{.name = top, .own = qg::model::OwnAccess{.whole = {"b", "normal"}}}});

    Words words;
    for (const AccessWrite& write : told) {
        BOOST_TEST(write.kind == Kind::tell);
        BOOST_TEST(write.ids == (Ids{3, 6}), boost::test_tools::per_element());
        words.insert(words.end(), write.qos.begin(), write.qos.end());
    }
    BOOST_TEST(words == (Words{"+b", "+normal", "-a"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_user_keeps_a_default_that_is_a_difference_of_their_own) {
    auto all = family();
    one(all, sub).added = {"s"};
    one(all, bob).added = {"t"};
    one(all, bob).own_default = "t";

    const auto told = told_below(all, {{.name = top, .granted = {"x"}}});

    // His list is set, and ended by words that leave the default in it.
    BOOST_TEST_REQUIRE(told.size() == 3u);
    BOOST_TEST(told[0].kind == Kind::set_list);
    BOOST_TEST(told[0].ids == Ids{5}, boost::test_tools::per_element());
    BOOST_TEST(told[0].qos == (Words{"a", "b", "s", "t", "x"}), boost::test_tools::per_element());
    BOOST_TEST(told[1].kind == Kind::unlist);
    BOOST_TEST(told[1].ids == Ids{5}, boost::test_tools::per_element());
    BOOST_TEST(told[1].qos == (Words{"-a", "-b", "-s", "-x", "-t", "+t"}), boost::test_tools::per_element());
    BOOST_TEST(told[2].kind == Kind::tell);
    BOOST_TEST(told[2].ids == Ids{4}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
