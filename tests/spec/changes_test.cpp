// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/changes.hpp"

#include "spec/spec_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

BOOST_AUTO_TEST_SUITE(changes)

BOOST_AUTO_TEST_CASE(differences_hide_the_mark) {
    const PlannedUpdate update{stored_qos("q", {"MaxWall=60", "Description=Old [qosgate:ops=c]"}),
                               stored_qos("q", {"MaxWall=90", "Description=New [qosgate:base=a,ops=4]"})};

    const auto found = differences(update);

    BOOST_TEST_REQUIRE(found.size() == 2u);
    BOOST_TEST(found[0].field->name == "Description");
    BOOST_TEST(found[0].before == "Old");
    BOOST_TEST(found[0].after == "New");
    BOOST_TEST(found[1].after == "01:30:00");
    BOOST_TEST(!is_mark_only(update));
    BOOST_TEST(describe_owner_changes(update) == "adopts Description; takes MaxWall from ops");
}

BOOST_AUTO_TEST_CASE(an_update_without_any_change_is_not_mark_only) {
    BOOST_TEST(!is_mark_only({stored_qos("q"), stored_qos("q")}));
    BOOST_TEST(is_mark_only({stored_qos("q"), stored_qos("q", {"Description=q [qosgate:a=1]"})}));
    BOOST_TEST(!is_mark_only({stored_qos("q"), stored_qos("q", {"Description=r [qosgate:a=1]"})}));
}

BOOST_AUTO_TEST_CASE(access_is_summarized_by_qos) {
    const model::AssociationName physics{"c", "physics", {}, {}};
    const model::AssociationName ana{"c", "physics", "ana", "gpu"};
    Plan made;
    made.access = {{physics, {"night", "long"}, {"old"}, "night"}, {ana, {"night"}, {}, ""}};
    made.access_base = {{.name = physics}, {.name = ana, .own_default_qos = "day"}};

    const auto summaries = summarize_access(made);

    BOOST_TEST_REQUIRE(summaries.size() == 4u);
    BOOST_TEST(summaries[0] == (AccessSummary{"day", {}, {}, {}, {ana}}));
    BOOST_TEST(summaries[1] == (AccessSummary{"long", {physics}, {}, {}}));
    BOOST_TEST(summaries[2] == (AccessSummary{"night", {physics, ana}, {}, {physics}}));
    BOOST_TEST(summaries[3] == (AccessSummary{"old", {}, {physics}, {}}));
    BOOST_TEST(list_associations(summaries[2].granted) ==
               "account physics; user ana in physics (partition gpu)");
    BOOST_TEST(list_associations(summaries[3].granted) == "");
}

BOOST_AUTO_TEST_CASE(own_lists_are_told_as_they_were_and_will_be) {
    Plan made;
    made.access = {{.name = {"c", "sub"}, .own = model::OwnAccess{{"b", "a"}}},
                   {.name = {"c", "astro", "ana", "gpu"}, .own = model::OwnAccess{.added = {"x"}}},
                   {.name = {"c", "top"}, .granted = {"x"}},
                   {.name = {"c", "bio"}, .own = model::OwnAccess{}}};
    made.access_base = {account("sub", "top"), user("ana", "astro", {{"a"}}, "gpu"), account("top", "root"),
                        account("bio", "root")};
    made.access_base[0].added_qos = {"c"};
    made.access_base[0].removed_qos = {"a", "b"};
    made.access_base[3].removed_qos = {"x"};

    const auto changes = list_changes(made);

    BOOST_TEST_REQUIRE(changes.size() == 3u);
    BOOST_TEST(describe(changes[0]) == "own list of user ana in astro (partition gpu): none, but the list of "
                                       "the account above with x; before: a");
    BOOST_TEST(describe(changes[1]) == "own list of account bio: none, but the list of the account above; "
                                       "before: none, but the list of the account above without x");
    BOOST_TEST(describe(changes[2]) == "own list of account sub: a, b; before: none, but the list of the "
                                       "account above with c and without a, b");
    BOOST_TEST(summarize_access(made).size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_description_with_a_mark_is_refused) {
    BOOST_TEST(expect_no_mark("mine [qosgate:]").has_value());
    BOOST_TEST(expect_no_mark("mine [qosgate:b4*=8] more").has_value());
    const auto refused = expect_no_mark("mine [qosgate:b4*=8]");
    BOOST_TEST_REQUIRE(!refused.has_value());
    BOOST_TEST(refused.error().message.starts_with("Description: it ends with a mark"));
}

BOOST_AUTO_TEST_CASE(long_lists_of_associations_name_each) {
    std::vector<model::AssociationName> names;
    for (int i = 0; i < 20; ++i)
        names.push_back({"c", "a" + std::to_string(i), {}, {}});
    BOOST_TEST(list_associations(names).ends_with(", a18, a19"));
}

BOOST_AUTO_TEST_CASE(apply_to_creates_changes_and_removes) {
    const LiveState before =
        live({stored_qos("a"), stored_qos("b"), stored_qos("c")},
             {account("root", "", {{"a", "b"}}), account("x", "root"), user("ana", "x")});
    Plan made;
    made.created = {stored_qos("d")};
    made.updated = {{stored_qos("a"), stored_qos("a", {"MaxWall=1"})}};
    made.removed = {stored_qos("b")};
    made.access = {{before.associations[1].name, {"d"}, {}, "d"}};

    const LiveState after = apply_to(made, before);

    BOOST_TEST(after.qos == (std::vector{stored_qos("a", {"MaxWall=1"}), stored_qos("c"), stored_qos("d")}));
    BOOST_TEST(after.associations[0].qos == model::NameSet{"a"});
    BOOST_TEST(!after.associations[1].own_qos.has_value());
    BOOST_TEST(after.associations[2].qos == (model::NameSet{"a", "d"}));
    BOOST_TEST(after.associations[2].default_qos.value() == "d");
    BOOST_TEST(after.cluster == "c");
    BOOST_TEST(after.capacity == before.capacity);
}

BOOST_AUTO_TEST_SUITE_END()
