// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/plan.hpp"

#include "spec/spec_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

namespace {

std::vector<Conflict> conflicts_of(std::vector<DesiredQos> qos, const LiveState& state) {
    const Planned planned = make_plan(desired(std::move(qos)), state, {});
    BOOST_TEST(!planned.plan.changes_anything());
    return planned.conflicts;
}

DesiredTres share(const std::string& tres, double percent, const std::string& partition = {}) {
    return {{{tres, Share{percent, partition}}}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(plan)

// ---- create and update ----------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_qos_that_does_not_exist_is_created_with_its_owner) {
    const Plan made = plan_of({wanted_qos("night", {"MaxWall=60"})}, live({stored_qos("normal")}));

    BOOST_TEST_REQUIRE(made.created.size() == 1u);
    BOOST_TEST(made.created[0] == stored_qos("night", {"MaxWall=60", "Description=night [qosgate:base*=8]"}));
    BOOST_TEST(made.updated.empty());
    BOOST_TEST(made.cluster == "c");
}

BOOST_AUTO_TEST_CASE(fields_that_are_not_named_stay) {
    const LiveState state = live({stored_qos("night", {"Priority=7", "MaxWall=10"})});

    const Plan made = plan_of({wanted_qos("night", {"MaxWall=60"})}, state);

    BOOST_TEST_REQUIRE(made.updated.size() == 1u);
    BOOST_TEST(made.updated[0].before == state.qos[0]);
    BOOST_TEST(made.updated[0].after ==
               stored_qos("night", {"Priority=7", "MaxWall=60", "Description=night [qosgate:base=8]"}));
}

BOOST_AUTO_TEST_CASE(unset_clears_and_zero_does_not) {
    const LiveState state = live({stored_qos("night", {"GrpJobs=7", "MaxWall=10"})});

    const Plan made = plan_of({wanted_qos("night", {"GrpJobs=0", "MaxWall=unset"})}, state);

    BOOST_TEST_REQUIRE(made.updated.size() == 1u);
    BOOST_TEST(made.updated[0].after.grp_jobs == model::OptionalLimit(0));
    BOOST_TEST(!made.updated[0].after.max_wall_minutes.has_value());
}

BOOST_AUTO_TEST_CASE(complete_clears_what_is_not_named_and_manages_everything) {
    const LiveState state = live({stored_qos("night", {"Priority=7", "MaxWall=10", "Description=Old"})});

    const Plan made = plan_of({complete(wanted_qos("night", {"MaxWall=60"}))}, state);

    BOOST_TEST_REQUIRE(made.updated.size() == 1u);
    BOOST_TEST(made.updated[0].after.priority == 0u);
    BOOST_TEST(made.updated[0].after.max_wall_minutes == model::OptionalLimit(60));
    BOOST_TEST(made.updated[0].after.description == "night [qosgate:base=3fffffffe]");
}

BOOST_AUTO_TEST_CASE(complete_clears_the_tres_that_an_alias_does_not_name) {
    const LiveState state = live({stored_qos("night", {"GrpTRES=cpu=4,gres/gpu=2"})});
    const DesiredQos wanted = with_tres(wanted_qos("night"), "GrpTRES", {{{"cpu", 8u}}, /*is_whole=*/false});

    BOOST_TEST(plan_of({complete(wanted)}, state).updated.at(0).after.grp_tres ==
               (model::TresLimits{{"cpu", 8}}));
    BOOST_TEST(plan_of({wanted}, state).updated.at(0).after.grp_tres ==
               (model::TresLimits{{"cpu", 8}, {"gres/gpu", 2}}));
}

BOOST_AUTO_TEST_CASE(fields_without_a_value_are_released_without_a_word) {
    Ownership all = made_by_base;
    all.managed["base"] = {"GrpJobs", "MaxWall", "Priority"};
    const LiveState state = live({marked(stored_qos("night", {"MaxWall=60"}), all)});

    BOOST_TEST(plan_of({wanted_qos("night")}, state).warnings ==
               (std::vector<std::string>{
                   "QOS 'night': MaxWall is no longer managed by base; its value stays: 01:00:00"}));
}

BOOST_AUTO_TEST_CASE(a_plan_that_was_carried_out_is_empty_afterwards) {
    const std::vector<DesiredQos> wanted{wanted_qos("night", {"MaxWall=60"})};
    const LiveState state = live({stored_qos("normal")});
    const Plan made = plan_of(wanted, state);

    BOOST_TEST(!plan_of(wanted, apply_to(made, state)).changes_anything());
}

BOOST_AUTO_TEST_CASE(a_name_that_slurm_cannot_take_is_a_problem) {
    BOOST_TEST(
        problem_of({wanted_qos("12")}, live({})) ==
        "QOS '12': '12' cannot be the name of a QOS: it is a number, which Slurm could take for a QOS's "
        "id");
    BOOST_TEST(!plan_of({wanted_qos("12", {"MaxWall=1"})}, live({stored_qos("12")})).updated.empty());
}

BOOST_AUTO_TEST_CASE(names_with_the_same_42_bytes_at_the_beginning_are_a_problem) {
    const std::string beginning(42, 'a');
    const auto problem = problem_of({wanted_qos(beginning + "2")}, live({stored_qos(beginning + "1")}));
    BOOST_TEST(problem.find("the first 42 bytes") != std::string::npos);

    Desired both = desired({wanted_qos(beginning + "2")});
    both.pruned_owners = {"base"};
    const auto planned = make_plan(both, live({marked(stored_qos(beginning + "1"), made_by_base)}), {});
    BOOST_TEST_REQUIRE(planned.problems.size() == 1u);
    BOOST_TEST(planned.problems[0].text.find("it is to be deleted, so do that first") != std::string::npos);

    const std::string shorter(41, 'a');
    BOOST_TEST(plan_of({wanted_qos(shorter + "2")}, live({stored_qos(shorter + "1")})).created.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_qos_that_is_defined_twice_is_a_problem) {
    BOOST_TEST(problem_of({wanted_qos("night"), wanted_qos("night")}, live({})) ==
               "QOS 'night': it is defined twice");
}

BOOST_AUTO_TEST_CASE(problems_name_the_place) {
    DesiredQos qos = wanted_qos("night", {"Preempt=normla"});
    qos.fields.begin()->second.position = {"site.yaml", 3, 5};
    BOOST_TEST(problem_of({qos}, live({stored_qos("normal")})) ==
               "site.yaml:3:5: QOS 'night': Preempt: there is no QOS 'normla'; did you mean normal?");
}

// ---- descriptions ---------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(the_description_keeps_its_mark) {
    const LiveState state = live({marked(stored_qos("night"), {"base", {{"ops", {"Priority"}}}})});

    const Plan made = plan_of({wanted_qos("night", {"Description=Long jobs"})}, state);

    BOOST_TEST_REQUIRE(made.updated.size() == 1u);
    BOOST_TEST(made.updated[0].after.description == "Long jobs [qosgate:base*=2,ops=4]");
}

BOOST_AUTO_TEST_CASE(a_description_that_is_unset_is_the_name) {
    const Plan made =
        plan_of({wanted_qos("night", {"Description="})}, live({stored_qos("night", {"Description=Old"})}));

    BOOST_TEST_REQUIRE(made.updated.size() == 1u);
    BOOST_TEST(made.updated[0].after.description == "night [qosgate:base=2]");
}

BOOST_AUTO_TEST_CASE(a_description_with_a_mark_in_the_files_is_a_problem) {
    BOOST_TEST(problem_of({wanted_qos("night", {"Description=x [qosgate:ops=1]"})}, live({})) ==
               "QOS 'night': Description: it ends with a mark of ownership; leave that out");
}

BOOST_AUTO_TEST_CASE(description_and_mark_must_fit_slurmdbds_column) {
    const std::string mark = " [qosgate:base*=2]";
    const std::string fits(65'535 - mark.size(), 'x');
    BOOST_TEST(
        plan_of({wanted_qos("night", {"Description=" + fits})}, live({})).created[0].description.size() ==
        65'535u);
    BOOST_TEST(problem_of({wanted_qos("night", {"Description=" + fits + "x"})}, live({})) ==
               "QOS 'night': Description: with the mark of ownership it has 65536 bytes, and slurmdbd stores "
               "65535");
}

// ---- ownership ------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_field_of_another_owner_is_a_conflict) {
    const LiveState state = live({marked(stored_qos("night", {"MaxWall=10"}), made_by_base)});

    BOOST_TEST(conflicts_of({wanted_qos("night", {"MaxWall=60"}, "ops")}, state) ==
               (std::vector<Conflict>{{"night", "MaxWall", "base", "ops", {}}}));
    // The value is the same, but two cannot manage it.
    BOOST_TEST(conflicts_of({wanted_qos("night", {"MaxWall=10"}, "ops")}, state).size() == 1u);
    // Another field.
    BOOST_TEST(plan_of({wanted_qos("night", {"Priority=1"}, "ops")}, state).updated[0].after.description ==
               "night [qosgate:base*=8,ops=4]");
}

BOOST_AUTO_TEST_CASE(complete_conflicts_with_every_owner_of_a_field) {
    const LiveState state = live({marked(stored_qos("night", {"MaxWall=10"}), made_by_base)});
    BOOST_TEST(conflicts_of({complete(wanted_qos("night", {"Priority=1"}, "ops"))}, state) ==
               (std::vector<Conflict>{{"night", "MaxWall", "base", "ops", {}}}));
}

BOOST_AUTO_TEST_CASE(access_has_one_owner) {
    const LiveState state = live({marked(stored_qos("night"), {"base", {{"base", {"access"}}}})});
    const DesiredQos wanted = with_access(wanted_qos("night", {}, "ops"), {});
    BOOST_TEST(conflicts_of({wanted}, state) ==
               (std::vector<Conflict>{{"night", "access", "base", "ops", {}}}));
}

BOOST_AUTO_TEST_CASE(take_over_makes_a_field_ours) {
    const LiveState state = live({marked(stored_qos("night", {"MaxWall=10"}), made_by_base)});

    const Plan made = plan_of({wanted_qos("night", {"MaxWall=60"}, "ops")}, state, {.take_over = true});

    BOOST_TEST_REQUIRE(made.updated.size() == 1u);
    BOOST_TEST(made.updated[0].after.description == "night [qosgate:base*,ops=8]");
    BOOST_TEST(made.updated[0].after.max_wall_minutes == model::OptionalLimit(60));
}

BOOST_AUTO_TEST_CASE(an_equal_value_that_nobody_manages_is_adopted) {
    const LiveState state = live({stored_qos("night", {"MaxWall=60"})});

    const Plan made = plan_of({wanted_qos("night", {"MaxWall=60"})}, state);

    BOOST_TEST_REQUIRE(made.updated.size() == 1u);
    BOOST_TEST(is_mark_only(made.updated[0]));
    BOOST_TEST(describe_owner_changes(made.updated[0]) == "adopts MaxWall");
}

BOOST_AUTO_TEST_CASE(a_field_that_is_no_longer_named_is_released_and_keeps_its_value) {
    const LiveState state = live(
        {marked(stored_qos("night", {"MaxWall=60"}), {"base", {{"base", {"MaxWall", "access", "bit99"}}}})});

    const Plan made = plan_of({wanted_qos("night")}, state);

    BOOST_TEST_REQUIRE(made.updated.size() == 1u);
    BOOST_TEST(is_mark_only(made.updated[0]));
    BOOST_TEST(describe_owner_changes(made.updated[0]) == "releases MaxWall, access");
    BOOST_TEST(read_mark(made.updated[0].after.description).ownership.managed.at("base").contains("bit99"));
    BOOST_TEST(made.warnings ==
               (std::vector<std::string>{
                   "QOS 'night': MaxWall is no longer managed by base; its value stays: 01:00:00",
                   "QOS 'night': access is no longer managed by base; what was granted stays"}));
}

BOOST_AUTO_TEST_CASE(an_owner_that_no_mark_can_have_is_a_problem) {
    BOOST_TEST(problem_of({wanted_qos("night", {}, "a b")}, live({})) ==
               "QOS 'night': 'a b' cannot be an owner: " + std::string(owner_rule()));
}

// ---- normal ---------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_change_of_normal_is_a_warning_and_a_mark_is_not) {
    const LiveState state = live({stored_qos("normal", {"MaxWall=60"})});
    BOOST_TEST(plan_of({wanted_qos("normal", {"MaxWall=60"})}, state).warnings.empty());
    BOOST_TEST(plan_of({wanted_qos("normal", {"MaxWall=61"})}, state).warnings ==
               (std::vector<std::string>{
                   "QOS 'normal': it changes, and jobs without any other default QOS use it"}));
}

// ---- Preempt --------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(preempt_may_name_what_the_plan_creates) {
    const Plan made = plan_of({wanted_qos("high", {"Preempt=low"}), wanted_qos("low")}, live({}));
    BOOST_TEST_REQUIRE(made.created.size() == 2u);
    BOOST_TEST(made.created[0].preempt == model::NameSet{"low"});
}

// To compare each name with each other would take minutes.
BOOST_AUTO_TEST_CASE(a_long_chain_of_new_qos_is_planned) {
    constexpr int length = 20'000;
    const auto name_of = [](int i) { return "q" + std::to_string(i + length); };
    std::vector<DesiredQos> wanted;
    for (int i = 0; i < length; ++i) {
        DesiredQos& qos = wanted.emplace_back(DesiredQos{.name = name_of(i), .owner = "base"});
        if (i + 1 < length)
            qos.fields[qos_field("Preempt")].value = model::FieldValue(model::NameSet{name_of(i + 1)});
    }

    BOOST_TEST(plan_of(std::move(wanted), live({stored_qos("normal")})).created.size() == length);
}

BOOST_AUTO_TEST_CASE(a_preemption_loop_is_a_problem) {
    BOOST_TEST(
        problem_of({wanted_qos("high", {"Preempt=low"}), wanted_qos("low", {"Preempt=high"})}, live({})) ==
        "Preempt: these QOSs could preempt each other in a loop: high > low > high");
}

BOOST_AUTO_TEST_CASE(a_loop_that_was_there_is_not_the_plans) {
    const LiveState state = live({stored_qos("a", {"Preempt=b"}), stored_qos("b", {"Preempt=a"})});
    BOOST_TEST(plan_of({wanted_qos("a", {"MaxWall=1"})}, state).updated.size() == 1u);
}

// ---- TRES -----------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(whole_tres_replace_and_others_merge) {
    const LiveState state = live({stored_qos("q", {"GrpTRES=cpu=1,mem=2,node=3"})});
    DesiredTres tres{{{"cpu", std::uint64_t{5}}, {"node", std::monostate{}}}};
    const auto grp_tres = [&] {
        return plan_of({with_tres(wanted_qos("q"), "GrpTRES", tres)}, state).updated[0].after.grp_tres;
    };
    BOOST_TEST(grp_tres() == (model::TresLimits{{"cpu", 5}}));
    tres.is_whole = false;
    BOOST_TEST(grp_tres() == (model::TresLimits{{"cpu", 5}, {"mem", 2}}));
}

BOOST_AUTO_TEST_CASE(shares_are_rounded_down_but_not_to_zero) {
    const auto count = [](const std::string& tres, double percent, const std::string& partition = {}) {
        const Plan made =
            plan_of({with_tres(wanted_qos("q"), "GrpTRES", share(tres, percent, partition))}, live({}));
        BOOST_TEST_REQUIRE(made.shares.size() == 1u);
        BOOST_TEST(made.shares[0] ==
                   (ResolvedShare{"q", "GrpTRES", tres, {percent, partition}, made.shares[0].count}));
        BOOST_TEST(made.created[0].grp_tres.at(tres) == made.shares[0].count);
        return made.shares[0].count;
    };
    BOOST_TEST(count("gres/gpu", 50) == 1u);
    BOOST_TEST(count("gres/gpu", 66.6) == 1u);
    BOOST_TEST(count("gres/gpu", 67) == 2u);
    BOOST_TEST(count("gres/gpu", 100) == 3u);
    BOOST_TEST(count("gres/gpu", 1) == 1u);
    BOOST_TEST(count("gres/gpu", 0) == 0u);
    BOOST_TEST(count("cpu", 0.1) == 1u);
    BOOST_TEST(count("cpu", 0.7) == 7u);
    BOOST_TEST(count("cpu", 29) == 290u);
    BOOST_TEST(count("cpu", 50, "gpu") == 32u);
}

BOOST_AUTO_TEST_CASE(shares_of_very_much_are_no_more_than_they_say) {
    LiveState state = live({});
    const auto count = [&](std::uint64_t capacity, double percent) {
        state.capacity[""]["mem"] = capacity;
        return plan_of({with_tres(wanted_qos("q"), "GrpTRES", share("mem", percent))}, state)
            .shares.at(0)
            .count;
    };
    BOOST_TEST(count(20'000'000'000'000, 100) == 20'000'000'000'000u);
    BOOST_TEST(count(20'000'000'000'000, 50) == 10'000'000'000'000u);
    BOOST_TEST(count(20'000'000'000'001, 50) == 10'000'000'000'000u);
    BOOST_TEST(count(10'000'000'000'000, 0.7) == 70'000'000'000u);
    BOOST_TEST(count(9'223'372'036'854'775'807u, 100) == 9'223'372'036'854'775'807u);
}

BOOST_AUTO_TEST_CASE(shares_of_nothing_are_problems) {
    const auto problem = [](const DesiredTres& tres, const char* field = "GrpTRES") {
        return problem_of({with_tres(wanted_qos("q"), field, tres)}, live({}));
    };
    BOOST_TEST(problem(share("gres/gpuu", 50)) ==
               "QOS 'q': GrpTRES: gres/gpuu=50%: the cluster has no gres/gpuu; did you mean gres/gpu?");
    BOOST_TEST(problem(share("node", 50, "gpu")) ==
               "QOS 'q': GrpTRES: node=50%: partition 'gpu' has no node");
    BOOST_TEST(problem(share("cpu", 50, "gpuu")) ==
               "QOS 'q': GrpTRES: cpu=50%: there is no partition 'gpuu'; did you mean gpu?");
    BOOST_TEST(problem(share("cpu", 50), "GrpTRESMins") ==
               "QOS 'q': GrpTRESMins: cpu=50%: a share counts TRES, and this field counts TRES x minutes");
}

BOOST_AUTO_TEST_CASE(without_capacity_only_shares_are_problems) {
    LiveState state = live({});
    state.capacity.clear();
    BOOST_TEST(problem_of({with_tres(wanted_qos("q"), "GrpTRES", share("cpu", 50))}, state) ==
               "QOS 'q': GrpTRES: cpu=50%: slurmctld did not answer, so what the cluster has is not known");
    BOOST_TEST(plan_of({wanted_qos("q", {"GrpTRES=cpu=50"})}, state).created.size() == 1u);
    const auto uncounted = [&](std::string_view field) {
        return make_plan(desired({with_tres(wanted_qos("q"), field, share("cpu", 50))}), state, {})
            .uncounted_shares;
    };
    BOOST_TEST(uncounted("GrpTRES") == 1u);
    BOOST_TEST(uncounted("GrpTRESMins") == 0u); // the file is wrong, whatever the cluster has
}

BOOST_AUTO_TEST_CASE(a_share_of_a_relative_qos_is_a_problem) {
    DesiredQos qos = with_tres(wanted_qos("q"), "GrpTRES", share("cpu", 50));
    BOOST_TEST(problem_of({qos}, live({stored_qos("q", {"Flags=Relative"})})) ==
               "QOS 'q': GrpTRES: cpu=50%: with the flag Relative a TRES limit is a percentage itself; write "
               "cpu=50, or leave the flag out");
    qos.fields[qos_field("Flags")].value = model::FieldValue(model::NameSet{"DenyOnLimit"});
    BOOST_TEST(plan_of({qos}, live({stored_qos("q", {"Flags=Relative"})})).updated.size() == 1u);
}

// ---- order ----------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(the_order_of_the_input_does_not_matter) {
    const auto state = live({stored_qos("a"), stored_qos("b"), stored_qos("c")},
                            {account("root", "", {{"normal"}}), account("x", "root"), account("y", "x"),
                             user("ana", "x"), user("ana", "y"), user("bob", "y")});
    std::vector<DesiredQos> wanted{
        with_access(wanted_qos("a", {"MaxWall=1"}), {.users = {{"ana"}, {"bob", "y"}}}),
        with_access(wanted_qos("b", {"MaxWall=1"}), {.accounts = {"x"}, .default_for_accounts = {"x"}}),
        wanted_qos("d", {"Preempt=a,b"}), with_tres(wanted_qos("e"), "GrpTRES", share("cpu", 10))};
    const Plan first = plan_of(wanted, state);
    BOOST_TEST(first.access.size() == 4u);

    LiveState reversed = state;
    std::reverse(wanted.begin(), wanted.end());
    std::reverse(reversed.qos.begin(), reversed.qos.end());
    std::reverse(reversed.associations.begin(), reversed.associations.end());

    BOOST_TEST(plan_of(wanted, reversed) == first);
}

BOOST_AUTO_TEST_SUITE_END()
