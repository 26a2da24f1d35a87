// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/history.hpp"

#include "qosgate/model/own_access.hpp"
#include "qosgate/spec/access_tree.hpp"
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/revert.hpp"
#include "spec/random_spec.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

namespace {

HistoryRecord history_of(const Plan& plan, const LiveState& state) {
    return make_history(plan, state, "2026-11-25T16:00:00Z", "root");
}

struct Scene {
    LiveState before = live({stored_qos("normal"), stored_qos("night", {"MaxWall=10"}),
                             stored_qos("old", {"Description=old [qosgate:base*]"})},
                            {account("root", "", {{"normal"}}),
                             account("physics", "root", {{"normal", "old"}}), user("ana", "physics")});
    Plan plan =
        make_plan({.qos = {with_access(wanted_qos("fresh", {"Priority=1"}), {.accounts = {"physics"}}),
                           wanted_qos("night", {"MaxWall=60"})},
                   .pruned_owners = {"base"}},
                  before, {})
            .plan;
    HistoryRecord record = history_of(plan, before);
    LiveState after = apply_to(plan, before);
};

std::string problem_of(const Planned& planned) {
    BOOST_TEST(!planned.plan.changes_anything());
    BOOST_TEST_REQUIRE(planned.problems.size() == 1u);
    return to_text(planned.problems.front());
}

bool has_usable_default(const model::AssociationRecord& record) {
    return !record.default_qos || record.qos.contains(*record.default_qos);
}

/// Everything must be equal again, also what an association stores itself.
void compare(const LiveState& now, const LiveState& then) {
    const LiveState sorted = apply_to(Plan{}, then);
    BOOST_TEST(now.qos == sorted.qos);
    BOOST_TEST(now.associations == sorted.associations);
}

} // namespace

BOOST_AUTO_TEST_SUITE(history)

BOOST_AUTO_TEST_CASE(what_was_applied_can_be_undone) {
    const Scene scene;
    BOOST_TEST_REQUIRE(scene.plan.created.size() == 1u);
    BOOST_TEST_REQUIRE(scene.plan.updated.size() == 1u);
    BOOST_TEST_REQUIRE(scene.plan.removed.size() == 1u);
    BOOST_TEST_REQUIRE(scene.record.lost_access.size() == 1u);

    const Planned planned = revert(scene.record, scene.after);

    BOOST_TEST(texts_of(planned.problems) == std::vector<std::string>{});
    BOOST_TEST(planned.plan.removed == std::vector{scene.after.qos[0]});
    BOOST_TEST(planned.plan.created == std::vector{scene.before.qos[2]});
    compare(apply_to(planned.plan, scene.after), scene.before);
}

BOOST_AUTO_TEST_CASE(an_apply_is_in_force_if_all_of_it_is_there) {
    const Scene scene;
    BOOST_TEST(is_in_force(scene.record, scene.after));
    BOOST_TEST(!is_in_force(scene.record, scene.before));
    for (const auto& change : std::vector<std::function<void(LiveState&)>>{
             [](LiveState& state) { state.qos[0].grp_jobs = 1; },          // fresh
             [](LiveState& state) { state.qos[1].max_wall_minutes = 10; }, // night
             [](LiveState& state) { state.qos.push_back(stored_qos("old")); },
             [](LiveState& state) { state.qos.erase(state.qos.begin()); },
             [](LiveState& state) { state.associations[1].own_qos = {"normal"}; }, // physics without fresh
             [](LiveState& state) { state.associations.clear(); }}) {
        LiveState other = scene.after;
        change(other);
        BOOST_TEST(!is_in_force(scene.record, other));
    }
    LiveState other = scene.after;
    other.qos.push_back(stored_qos("another"));
    BOOST_TEST(is_in_force(scene.record, other));
}

BOOST_AUTO_TEST_CASE(what_is_undone_already_is_left_alone) {
    const Scene scene;
    BOOST_TEST(!revert(scene.record, scene.before).plan.changes_anything());
    BOOST_TEST(revert(scene.record, scene.before).problems.empty());
}

BOOST_AUTO_TEST_CASE(what_was_changed_since_is_a_problem) {
    Scene scene;
    model::QosRecord& night = scene.after.qos[1];
    BOOST_TEST_REQUIRE(night.name == "night");
    night.max_wall_minutes = 90;
    BOOST_TEST(problem_of(revert(scene.record, scene.after)) ==
               "QOS 'night': it was changed since: MaxWall is 01:30:00 now, not 01:00:00");

    night = scene.plan.updated[0].after;
    night.description = "night [qosgate:ops=8]";
    BOOST_TEST(problem_of(revert(scene.record, scene.after)) ==
               "QOS 'night': it was changed since: 'ops' manages MaxWall now, not 'base'");

    night.description = "night [qosgate:ops*,base=8]";
    BOOST_TEST(revert(scene.record, scene.after).problems.empty()); // the apply did not make it the creator

    night = scene.plan.updated[0].after;
    model::QosRecord& fresh = scene.after.qos[0];
    BOOST_TEST_REQUIRE(fresh.name == "fresh");
    fresh.description = "fresh";
    BOOST_TEST(problem_of(revert(scene.record, scene.after)) ==
               "QOS 'fresh': it was changed since: its mark of ownership differs");
    fresh = scene.plan.created[0];
    fresh.grp_jobs = 4; // a QOS is removed whole, so any change counts
    BOOST_TEST(problem_of(revert(scene.record, scene.after)) ==
               "QOS 'fresh': it was changed since: GrpJobs is 4 now, not unset");
}

BOOST_AUTO_TEST_CASE(fields_that_the_apply_did_not_change_stay) {
    Scene scene;
    model::QosRecord& night = scene.after.qos[1];
    BOOST_TEST_REQUIRE(night.name == "night");
    night.grp_jobs = 7;
    night.description = "nightly [qosgate:base=8,ops=400000]";

    const Planned planned = revert(scene.record, scene.after);

    BOOST_TEST(texts_of(planned.problems) == std::vector<std::string>{});
    BOOST_TEST_REQUIRE(planned.plan.updated.size() == 1u);
    BOOST_TEST(planned.plan.updated[0].before == night);
    model::QosRecord expected = scene.before.qos[1];
    BOOST_TEST_REQUIRE(expected.name == "night");
    expected.grp_jobs = 7;
    expected.description = "nightly [qosgate:ops=400000]";
    BOOST_TEST(planned.plan.updated[0].after == expected);
}

BOOST_AUTO_TEST_CASE(a_number_keeps_its_meaning) {
    Scene scene;
    scene.plan.updated[0].before.flags = {"Relative"};
    scene.plan.updated[0].after.flags = {"DenyOnLimit"};
    scene.record.plan = scene.plan;
    model::QosRecord& night = scene.after.qos[1];
    night = scene.plan.updated[0].after;
    BOOST_TEST(revert(scene.record, scene.after).problems.empty());
    night.grp_tres["cpu"] = 64; // CPUs; it would be 64 % of them
    BOOST_TEST(problem_of(revert(scene.record, scene.after)) ==
               "QOS 'night': it was changed since: GrpTRES is cpu=64 now, not unset");
}

BOOST_AUTO_TEST_CASE(a_lost_mark_does_not_prevent_the_undoing) {
    Scene scene;
    scene.plan.updated[0].before.description = "night [qosgate:ops=8]";
    scene.record.plan = scene.plan;
    scene.after.qos[1].description = "by hand";
    const Planned planned = revert(scene.record, scene.after);
    BOOST_TEST(texts_of(planned.problems) == std::vector<std::string>{});
    BOOST_TEST_REQUIRE(planned.plan.updated.size() == 1u);
    BOOST_TEST(planned.plan.updated[0].after.description == "by hand [qosgate:ops=8]");
}

BOOST_AUTO_TEST_CASE(what_preempts_a_created_qos_by_now_is_told_as_it_is) {
    Scene scene;
    scene.after.qos[1].preempt = {"fresh"}; // night, which the apply changed
    BOOST_TEST(problem_of(revert(scene.record, scene.after)) ==
               "QOS 'fresh': it cannot be removed: Preempt of QOS 'night' names it since");
}

BOOST_AUTO_TEST_CASE(a_field_that_is_undone_already_does_not_prevent_the_rest) {
    Scene scene;
    scene.plan.updated[0].after.grp_jobs = 3;
    scene.record.plan = scene.plan;
    model::QosRecord& night = scene.after.qos[1];
    night = scene.plan.updated[0].after;
    night.max_wall_minutes = 10;
    const Planned planned = revert(scene.record, scene.after);
    BOOST_TEST(texts_of(planned.problems) == std::vector<std::string>{});
    BOOST_TEST_REQUIRE(planned.plan.updated.size() == 1u);
    BOOST_TEST(planned.plan.updated[0].after == scene.before.qos[1]);
}

BOOST_AUTO_TEST_CASE(what_was_removed_or_created_since_is_a_problem) {
    Scene scene;
    std::erase_if(scene.after.qos, [](const auto& record) { return record.name == "night"; });
    BOOST_TEST(problem_of(revert(scene.record, scene.after)) == "QOS 'night': it was removed since");

    Scene other;
    other.after.qos.push_back(stored_qos("old", {"Priority=9"}));
    BOOST_TEST(problem_of(revert(other.record, other.after)) ==
               "QOS 'old': it was created since, with other values");
}

BOOST_AUTO_TEST_CASE(a_qos_that_became_a_default_cannot_be_removed) {
    Scene scene;
    for (auto& record : scene.after.associations)
        if (record.name.account == "physics") record.default_qos = record.own_default_qos = "fresh";
    BOOST_TEST_REQUIRE(!revert(scene.record, scene.after).problems.empty());
    BOOST_TEST(
        revert(scene.record, scene.after).problems.front().text ==
        "QOS 'fresh': it cannot be removed while it is the default QOS of account 'physics'; give that "
        "another default first, or clear it: sacctmgr modify account where name=physics cluster=c set "
        "defaultqos=-1");
}

BOOST_AUTO_TEST_CASE(a_users_choice_of_a_default_does_not_prevent_the_undoing) {
    Scene scene;
    for (auto& record : scene.after.associations)
        if (record.name.user == "ana") record.default_qos = record.own_default_qos = "fresh";

    const Planned planned = revert(scene.record, scene.after);

    BOOST_TEST(texts_of(planned.problems) == std::vector<std::string>{});
    BOOST_TEST(
        planned.plan.warnings ==
        (std::vector<std::string>{"QOS 'fresh': it was the default QOS of user 'ana' in account "
                                  "'physics', which may not use it any more: the default is none then"}));
    compare(apply_to(planned.plan, scene.after), scene.before);
}

BOOST_AUTO_TEST_CASE(a_default_that_a_user_changed_since_stays) {
    Scene scene;
    scene.before = live(
        {stored_qos("normal"), stored_qos("night")},
        {account("root", "", {{"night", "normal"}}), account("physics", "root"), user("ana", "physics")});
    scene.plan = make_plan({.qos = {with_access(wanted_qos("night"), {.default_for_users = {{"ana"}}})}},
                           scene.before, {})
                     .plan;
    scene.record = history_of(scene.plan, scene.before);
    scene.after = apply_to(scene.plan, scene.before);
    model::AssociationRecord& ana = scene.after.associations.back();
    BOOST_TEST_REQUIRE(ana.own_default_qos.value_or("") == "night");
    ana.default_qos = ana.own_default_qos = "normal";

    const Planned planned = revert(scene.record, scene.after);

    BOOST_TEST(texts_of(planned.problems) == std::vector<std::string>{});
    BOOST_TEST(planned.plan.access.empty());
    BOOST_TEST(planned.plan.warnings ==
               (std::vector<std::string>{"the default QOS of user 'ana' in account 'physics' was changed "
                                         "since: it is normal now, not night; it stays"}));
}

BOOST_AUTO_TEST_CASE(a_qos_that_others_may_preempt_since_cannot_be_removed) {
    Scene scene;
    scene.after.qos[2].preempt = {"fresh"};
    BOOST_TEST_REQUIRE(scene.after.qos[2].name == "normal");
    BOOST_TEST(problem_of(revert(scene.record, scene.after)) ==
               "QOS 'fresh': it cannot be removed: Preempt of QOS 'normal' names it since");
}

BOOST_AUTO_TEST_CASE(an_association_that_was_deleted_is_a_warning) {
    Scene scene;
    std::erase_if(scene.after.associations,
                  [](const auto& record) { return record.name.account == "physics"; });
    const Planned planned = revert(scene.record, scene.after);
    BOOST_TEST(planned.problems.empty());
    BOOST_TEST_REQUIRE(!planned.plan.warnings.empty());
    BOOST_TEST(planned.plan.warnings.front() == "account 'physics' does not exist any more");
}

BOOST_AUTO_TEST_CASE(any_plan_can_be_undone) {
    std::size_t plans = 0;
    for (unsigned seed = 0; seed < 500; ++seed) {
        RandomSpec random(seed);
        LiveState before = random.live_state(/*is_plain=*/seed % 2 == 0);
        if (!std::ranges::all_of(before.associations, has_usable_default)) {
            for (model::AssociationRecord& one : before.associations)
                one.own_default_qos.reset(); // one that cannot be used is another matter
            before.associations = associations(std::move(before.associations));
        }
        const Planned planned = make_plan(random.desired(), before, random.options());
        if (!planned.plan.changes_anything()) continue;
        ++plans;
        BOOST_TEST_CONTEXT("seed " << seed) {
            const LiveState after = apply_to(planned.plan, before);
            const Planned back = revert(history_of(planned.plan, before), after);
            BOOST_TEST(texts_of(back.problems) == std::vector<std::string>{});
            compare(apply_to(back.plan, after), before);
        }
    }
    BOOST_TEST(plans > 260u);
}

BOOST_AUTO_TEST_CASE(nobody_gets_more_than_before_or_now_where_a_qos_was_deleted_since) {
    std::size_t undone = 0;
    for (unsigned seed = 0; seed < 500; ++seed) {
        RandomSpec random(seed);
        const LiveState before = random.live_state(/*is_plain=*/seed % 2 == 0);
        const Planned planned = make_plan(random.desired(), before, random.options());
        if (!planned.plan.changes_anything()) continue;
        const LiveState after = apply_to(planned.plan, before);
        Plan deletion;
        deletion.removed = {random.any_of(after.qos)};
        const LiveState now = apply_to(deletion, after);
        BOOST_TEST_CONTEXT("seed " << seed) {
            const Planned back = revert(history_of(planned.plan, before), now);
            undone += back.plan.access.empty() ? 0 : 1;
            const LiveState result = apply_to(back.plan, now);
            const LiveState sorted = apply_to(Plan{}, before);
            BOOST_TEST_REQUIRE(result.associations.size() == sorted.associations.size());
            for (std::size_t i = 0; i < result.associations.size(); ++i) {
                model::NameSet allowed = sorted.associations[i].qos;
                allowed.insert(now.associations[i].qos.begin(), now.associations[i].qos.end());
                BOOST_TEST(model::difference(result.associations[i].qos, allowed) == model::NameSet{},
                           describe(result.associations[i].name));
            }
        }
    }
    BOOST_TEST(undone > 50u);
}

BOOST_AUTO_TEST_CASE(a_list_of_its_own_comes_back_as_one) {
    const LiveState before = live({stored_qos("normal"), stored_qos("ow"), stored_qos("later")},
                                  {account("root", "", {{"normal"}}), account("astro", "root"),
                                   account("sub", "astro", {{"ow"}}), user("bob", "sub")});
    const Plan plan = plan_of({with_access(wanted_qos("ow"), {.is_complete = true})}, before);
    const HistoryRecord record = history_of(plan, before);
    LiveState after = apply_to(plan, before);
    BOOST_TEST(!after.associations[2].own_qos.has_value());

    const Planned back = revert(record, after);

    BOOST_TEST(texts_of(back.problems) == std::vector<std::string>{});
    BOOST_TEST(back.plan.warnings == std::vector<std::string>{});
    BOOST_TEST_REQUIRE(back.plan.access.size() == 1u);
    BOOST_TEST(back.plan.access[0].own.value() == (model::OwnAccess{.whole = {"ow"}}));
    BOOST_TEST(back.plan.access[0].granted.empty());
    compare(apply_to(back.plan, after), before);

    // Somebody gave it something else since: that stays.
    after.associations[2].added_qos = {"later"};
    after = live(after.qos, after.associations);
    const Planned part = revert(record, after);
    BOOST_TEST_REQUIRE(part.plan.access.size() == 1u);
    BOOST_TEST(!part.plan.access[0].own.has_value());
    BOOST_TEST(part.plan.access[0].granted == model::NameSet{"ow"});
    BOOST_TEST(part.plan.access[0].revoked.empty());
    BOOST_TEST_REQUIRE(part.plan.warnings.size() == 1u);
    BOOST_TEST(part.plan.warnings[0] ==
               "account 'sub': its QOSs were changed since, so only what was granted "
               "and revoked is undone");
}

BOOST_AUTO_TEST_CASE(a_revocation_of_a_qos_that_was_removed_comes_back) {
    LiveState before = live({stored_qos("normal"), stored_qos("old", {"Description=old [qosgate:base*]"})},
                            {account("root", "", {{"normal", "old"}}), account("astro", "root"),
                             user("ana", "astro"), user("bob", "astro")});
    before.associations[2].removed_qos = {"old"};
    before = live(before.qos, before.associations);
    const Plan plan = make_plan({.pruned_owners = {"base"}}, before, {}).plan;
    BOOST_TEST_REQUIRE(plan.removed.size() == 1u);
    const LiveState after = apply_to(plan, before);

    const Planned back = revert(history_of(plan, before), after);

    BOOST_TEST(texts_of(back.problems) == std::vector<std::string>{});
    compare(apply_to(back.plan, after), before);
}

BOOST_AUTO_TEST_CASE(a_list_of_which_nothing_is_left_opens_nothing) {
    const LiveState before = live({stored_qos("day"), stored_qos("extra"), stored_qos("night")},
                                  {account("root", "", {{"day"}}), account("astro", "root", {{"day"}}),
                                   user("ana", "astro", {{"night"}})});
    const Plan plan = plan_of({with_access(wanted_qos("night"), {.is_complete = true}),
                               with_access(wanted_qos("extra"), {.users = {{"ana"}}})},
                              before);
    const HistoryRecord record = history_of(plan, before);
    LiveState after = apply_to(plan, before);
    BOOST_TEST(after.associations[2].own_qos.value() == model::NameSet{"extra"});
    // "night" can only be deleted if the apply did not change it.
    HistoryRecord only_access = record;
    only_access.plan.updated.clear();
    std::erase_if(after.qos, [](const auto& qos) { return qos.name == "night"; });

    const Planned back = revert(only_access, after);

    BOOST_TEST(texts_of(back.problems) == std::vector<std::string>{});
    BOOST_TEST_REQUIRE(back.plan.access.size() == 1u);
    BOOST_TEST(back.plan.access[0].own.value() == (model::OwnAccess{.removed = {"day"}}));
    BOOST_TEST(apply_to(back.plan, after).associations[2].qos.empty());
}

BOOST_AUTO_TEST_CASE(a_default_that_comes_back_leaves_nothing_behind) {
    LiveState before =
        live({stored_qos("fresh"), stored_qos("normal"), stored_qos("old")},
             {account("root", "", {{"normal"}}), account("astro", "root"), user("ana", "astro")});
    before.associations[2].added_qos = {"old"};
    before.associations[2].own_default_qos = "old";
    before = live(before.qos, before.associations);
    const Plan plan = plan_of(
        {with_access(wanted_qos("fresh"), {.users = {{"ana"}}, .default_for_users = {{"ana"}}})}, before);
    const LiveState after = apply_to(plan, before);
    BOOST_TEST(after.associations[2].default_qos.value() == "fresh");

    const Planned back = revert(history_of(plan, before), after);

    BOOST_TEST(texts_of(back.problems) == std::vector<std::string>{});
    compare(apply_to(back.plan, after), before);
}

BOOST_AUTO_TEST_CASE(a_record_without_what_was_left_is_undone_by_what_was_granted) {
    const LiveState before = live({stored_qos("normal"), stored_qos("ow")},
                                  {account("root", "", {{"normal"}}), account("sub", "root", {{"ow"}})});
    const Plan plan = plan_of({with_access(wanted_qos("ow"), {.is_complete = true})}, before);
    HistoryRecord record = history_of(plan, before);
    BOOST_TEST_REQUIRE(record.left_access.size() == 1u);
    record.left_access.clear();

    const Planned back = revert(record, apply_to(plan, before));

    BOOST_TEST_REQUIRE(back.plan.access.size() == 1u);
    BOOST_TEST(back.plan.access[0].granted == model::NameSet{"ow"});
    BOOST_TEST(history_from_text(history_to_text(record), "c").value() == record);
}

BOOST_AUTO_TEST_CASE(a_record_is_read_as_it_was_written) {
    const Scene scene;
    const auto read = history_from_text(history_to_text(scene.record), "c");
    BOOST_TEST_REQUIRE(read.has_value());
    BOOST_TEST(*read == scene.record);

    BOOST_TEST(history_from_text(history_to_text(scene.record), "d").error().code == ErrorCode::conflict);
    std::string altered = history_to_text(scene.record);
    altered.replace(altered.find("\"actor\": \"root\""), 15, "\"actor\": \"toor\"");
    BOOST_TEST(history_from_text(altered, "c").error().message.find("checksum") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
