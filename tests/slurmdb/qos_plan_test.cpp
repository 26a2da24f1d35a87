// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/qos_plan.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::slurmdb;
using model::QosRecord;

namespace {

QosRecord record(const std::string& name, const std::vector<std::string>& assignments = {}) {
    QosRecord fresh;
    fresh.name = name;
    return model::QosChange::parse(assignments, *model::TresCatalogue::built_in()).value().apply_to(fresh);
}

model::QosChange change(const std::vector<std::string>& assignments) {
    return model::QosChange::parse(assignments, *model::TresCatalogue::built_in()).value();
}

using Stored = std::vector<StoredQos>;
using Names = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_SUITE(qos_plan)

BOOST_AUTO_TEST_CASE(a_name_that_exists_is_refused_with_what_is_set) {
    const Stored all{{1, record("rc1", {"Priority=1", "MaxWall=11"})}};

    const auto plan = plan_creation(all, {record("rc1", {"Priority=2"})});

    BOOST_TEST_REQUIRE(!plan.has_value());
    BOOST_TEST(plan.error().code == ErrorCode::already_exists);
    BOOST_TEST(plan.error().message == "QOS 'rc1' already exists (Priority=1 MaxWall=00:11:00); 'qosgate qos "
                                       "update rc1 FIELD=VALUE' changes it");
}

BOOST_AUTO_TEST_CASE(names_that_slurms_database_takes_for_one_are_refused) {
    const std::string begin(42, 'x');
    const Stored all{{1, record(begin + "1")}};

    BOOST_TEST(plan_creation(all, {record(begin + "2")}).error().message.find("first 42 bytes") !=
               std::string::npos);
    BOOST_TEST(!plan_creation({}, {record(begin + "1"), record(begin + "2")}).has_value());
    BOOST_TEST(plan_creation(all, {record(begin.substr(1) + "2")}).has_value());
}

BOOST_AUTO_TEST_CASE(a_plan_without_a_difference_changes_nothing) {
    const Stored all{{1, record("a", {"MaxWall=60"})}};

    BOOST_TEST(!plan_update(all, Names{"a"}, change({"MaxWall=60"}))->changes_anything());
    BOOST_TEST(plan_update(all, Names{"a"}, change({"MaxWall=61"}))->changes_anything());
    BOOST_TEST(plan_removal(all, Names{"a"})->changes_anything());
}

BOOST_AUTO_TEST_CASE(a_removal_takes_the_qos_out_of_preempt_of_those_that_stay) {
    const Stored all{
        {1, record("low")}, {2, record("mid", {"Preempt=low"})}, {3, record("high", {"Preempt=low,mid"})}};

    const auto plan = plan_removal(all, Names{"low", "mid"}).value();

    BOOST_TEST(plan.removed.size() == 2u);
    BOOST_TEST_REQUIRE(plan.updated.size() == 1u);
    BOOST_TEST(plan.updated[0].after.name == "high");
    BOOST_TEST(plan.updated[0].after.preempt.empty());
}

BOOST_AUTO_TEST_CASE(a_qos_that_is_named_twice_is_removed_once) {
    const Stored all{{1, record("low")}, {2, record("high", {"Preempt=low"})}};

    const auto plan = plan_removal(all, Names{"low", "LOW", "low"}).value();

    BOOST_TEST_REQUIRE(plan.removed.size() == 1u);
    BOOST_TEST(plan.removed[0].name == "low");
    BOOST_TEST_REQUIRE(plan.updated.size() == 1u);
    BOOST_TEST(plan.updated[0].after.preempt.empty());
}

BOOST_AUTO_TEST_CASE(what_is_preempted_is_created_first) {
    const auto groups = in_preempt_order({record("high", {"Preempt=low,mid"}), record("low", {"Preempt=old"}),
                                          record("mid", {"Preempt=low"})});

    BOOST_TEST_REQUIRE(groups.size() == 3u);
    BOOST_TEST(groups[0][0].name == "low");
    BOOST_TEST(groups[1][0].name == "mid");
    BOOST_TEST(groups[2][0].name == "high");
    BOOST_TEST(in_preempt_order({record("a"), record("b")}).size() == 1u);
}

BOOST_AUTO_TEST_CASE(qos_that_would_preempt_each_other_are_refused) {
    const Stored all{{1, record("low")}, {2, record("mid", {"Preempt=low"})}};
    const QosPlan own{{record("x", {"Preempt=x"})}, {}, {}};
    const QosPlan through_others{
        {record("new", {"Preempt=mid"})}, {{record("low"), record("low", {"Preempt=new"})}}, {}};
    const QosPlan chain{{record("new", {"Preempt=mid"}), record("newer", {"Preempt=new,mid"})}, {}, {}};

    BOOST_TEST(expect_no_preempt_loop(own, all).error().message.find(
                   "each other, directly or through others: x;") != std::string::npos);
    BOOST_TEST(expect_no_preempt_loop(through_others, all).error().message.find("low, mid, new;") !=
               std::string::npos);
    BOOST_TEST(expect_no_preempt_loop(chain, all).has_value());
    // What was there before is not the plan's, also not for what leads there.
    const Stored looping{{1, record("a", {"Preempt=b"})}, {2, record("b", {"Preempt=a"})}, {3, record("c")}};
    const model::QosRecord now = record("c", {"Preempt=a"});
    BOOST_TEST(expect_no_preempt_loop({{}, {{record("c"), now}}, {}}, looping).has_value());
    BOOST_TEST(
        !expect_no_preempt_loop({{}, {{record("c"), record("c", {"Preempt=c"})}}, {}}, looping).has_value());
    // A removal breaks the loop.
    QosPlan without = through_others;
    without.removed = {record("mid", {"Preempt=low"})};
    BOOST_TEST(expect_no_preempt_loop(without, all).has_value());
}

BOOST_AUTO_TEST_CASE(a_base_is_another_one_where_a_touched_record_differs) {
    const Stored then{{1, record("a")}, {2, record("b")}};
    const Stored elsewhere{{1, record("a")}, {2, record("b", {"MaxWall=1"})}};
    const Stored touched{{1, record("a", {"MaxWall=1"})}, {2, record("b")}};
    const Stored gone{{2, record("b")}};
    const Stored remade{{1, record("b")}, {7, record("a")}};
    const auto update = plan_update(then, Names{"a"}, change({"Priority=5"})).value();
    const auto creation = plan_creation(then, {record("c")}).value();

    BOOST_TEST(has_same_base(update, then, then));
    BOOST_TEST(has_same_base(update, then, elsewhere));
    BOOST_TEST(!has_same_base(update, then, touched));
    BOOST_TEST(!has_same_base(update, then, gone));
    BOOST_TEST(!has_same_base(update, then, remade));
    BOOST_TEST(has_same_base(creation, then, elsewhere));
    BOOST_TEST(!has_same_base(creation, then, Stored{{3, record("c")}}));
}

BOOST_AUTO_TEST_CASE(what_others_undid_is_named_with_what_stands) {
    const Stored all{{1, record("a", {"GrpTRES=mem=5"})}, {2, record("b")}};
    const auto update =
        plan_update(all, Names{"a"}, change({"MaxWall=60", "GrpTRES=cpu=4", "Flags=NoDecay"})).value();
    const auto removal = plan_removal(all, Names{"b"}).value();

    const Stored more{
        {1, record("a", {"MaxWall=60", "GrpTRES=cpu=4,mem=7", "Flags=NoDecay,DenyOnLimit", "Priority=3"})}};
    BOOST_TEST(find_overtaken(update, more).empty());
    BOOST_TEST(
        find_overtaken(update, Stored{{1, record("a", {"GrpTRES=mem=9", "MaxWall=60", "Flags=NoDecay"})}}) ==
            Names{"QOS 'a': GrpTRES is mem=9M now, not cpu=4,mem=5M"},
        boost::test_tools::per_element());
    BOOST_TEST(find_overtaken(update, {}) == Names{"QOS 'a' does not exist any more"},
               boost::test_tools::per_element());
    BOOST_TEST(find_overtaken(removal, all) == Names{"QOS 'b' exists again"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
