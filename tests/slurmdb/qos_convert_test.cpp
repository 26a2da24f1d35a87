// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/qos_convert.hpp"

#include "qosgate/model/qos_change.hpp"
#include "qosgate/model/qos_flags.hpp"
#include "qosgate/slurmdb/qos_stages.hpp"

#include <boost/test/unit_test.hpp>

template <>
inline constexpr auto qg::test::fields_of<qg::slurmdb::QosPatch> = std::tuple(
    field("numbers", &slurmdb::QosPatch::numbers), field("factors", &slurmdb::QosPatch::factors),
    field("tres", &slurmdb::QosPatch::tres), field("description", &slurmdb::QosPatch::description),
    field("preempt", &slurmdb::QosPatch::preempt), field("preempt_mode", &slurmdb::QosPatch::preempt_mode),
    field("flags", &slurmdb::QosPatch::flags));

using namespace qg;
using namespace qg::slurmdb;
using model::NameSet;
using model::QosRecord;

namespace {

const TresTable tres({{1, "cpu"}, {2, "mem"}, {4, "node"}, {1001, "gres/gpu"}});
const QosNames names{{1, "normal"}, {7, "low"}};

QosRecord with(const std::vector<std::string>& assignments, const QosRecord& base = {}) {
    return model::QosChange::parse(assignments, tres.catalogue()).value().apply_to(base);
}

QosRecord named(const std::string& name) {
    QosRecord record;
    record.name = name;
    return record;
}

QosPatch patch(const QosRecord& before, const QosRecord& after) {
    return make_patch(before, after, tres, names).value();
}

/// The record as slurmdbd would store it: a request's NO_VAL fields are left unset there.
QosRecord there_and_back(const QosRecord& record) {
    WireQos wire(record.name, patch({}, record));
    return from_slurm(*wire.get(), tres, names);
}

/// A row of `text` that is not in any patch, found by its member.
std::string tres_text(const QosPatch& change) {
    return change.tres.empty() ? "" : change.tres.begin()->second;
}

/// What removes the limit of a TRES.
const std::string none = "18446744073709551615";

} // namespace

BOOST_AUTO_TEST_SUITE(qos_convert)

BOOST_AUTO_TEST_CASE(each_field_survives_the_way_to_slurm_and_back) {
    for (const model::QosField& field : model::qos_fields()) {
        QosRecord record;
        switch (field.kind) {
        case model::FieldKind::name:
        case model::FieldKind::text: model::put_field(field, record, std::string("text")); break;
        case model::FieldKind::number:
        case model::FieldKind::duration: model::put_field(field, record, 5u); break;
        case model::FieldKind::factor: model::put_field(field, record, 0.123456); break;
        case model::FieldKind::tres:
            model::put_field(field, record, model::TresLimits{{"cpu", 0}, {"gres/gpu", 2}});
            break;
        case model::FieldKind::flags:
            model::put_field(field, record, NameSet{"NoDecay", "DenyOnLimit"});
            break;
        case model::FieldKind::preempt_mode:
            model::put_field(field, record, NameSet{"REQUEUE", "WITHIN"});
            break;
        case model::FieldKind::qos_names: continue; // a request has it in another member than an answer
        }
        BOOST_TEST(there_and_back(record) == record, field.name);
    }
}

BOOST_AUTO_TEST_CASE(zero_limits_are_not_unset) {
    const QosRecord record = with({"MaxWall=0", "MaxJobsPU=0", "LimitFactor=0", "PreemptExemptTime=0"});

    BOOST_TEST(there_and_back(record) == record);
}

BOOST_AUTO_TEST_CASE(slurms_infinite_is_unset) {
    slurmdb_qos_rec_t record;
    slurmdb_init_qos_rec(&record, false, INFINITE);

    BOOST_TEST(from_slurm(record, tres, names) == QosRecord{});
}

BOOST_AUTO_TEST_CASE(a_patch_has_only_what_differs) {
    const QosRecord before = with({"MaxWall=8:00:00", "GrpTRES=cpu=8,gpu=4", "Flags=NoDecay", "Priority=3"});

    BOOST_TEST(patch(before, before) == QosPatch{});
    const QosPatch change = patch(before, with({"GrpTRES=cpu=16"}, before));
    BOOST_TEST(change.numbers.empty());
    BOOST_TEST(!change.flags.has_value());
    BOOST_TEST(tres_text(change) == "1=16");
}

BOOST_AUTO_TEST_CASE(a_cleared_tres_is_named_with_minus_one) {
    const QosRecord before = with({"GrpTRES=cpu=8,gpu=4"});

    BOOST_TEST(tres_text(patch(before, with({"GrpTRES=gpu=-1"}, before))) == "1001=" + none);
    BOOST_TEST(tres_text(patch(before, with({"GrpTRES=unset"}, before))) == "1=" + none + ",1001=" + none);
}

BOOST_AUTO_TEST_CASE(run_minutes_per_account_are_written_whole_where_slurmdbd_mixes_them_up) {
    const QosRecord before = with({"MaxTRESRunMinsPU=cpu=5,node=7", "MaxTRESRunMinsPA=cpu=1,mem=9"});

    const QosPatch change = patch(before, with({"MaxTRESRunMinsPA=gpu=2,mem=-1"}, before));

    BOOST_TEST(tres_text(change) ==
               (slurm::mixes_up_run_minutes ? "1=1,1001=2,2=" + none + ",4=" + none : "1001=2,2=" + none));
}

BOOST_AUTO_TEST_CASE(run_minutes_per_user_move_aside_only_where_slurmdbd_mixes_them_up) {
    const QosRecord before = with({"MaxTRESRunMinsPU=cpu=5"});

    const auto as_per_user = intermediate_records(before, with({"MaxTRESRunMinsPA=cpu=5"}, before));
    const auto other = intermediate_records(before, with({"MaxTRESRunMinsPA=cpu=6"}, before));

    BOOST_TEST(as_per_user.size() == (slurm::mixes_up_run_minutes ? 3u : 1u));
    BOOST_TEST(other.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_cleared_number_is_infinite_and_a_cleared_factor_too) {
    const QosRecord before = with({"MaxWall=5", "LimitFactor=2"});
    WireQos wire({}, patch(before, {}));

    BOOST_TEST(wire.get()->max_wall_pj == INFINITE);
    BOOST_TEST(wire.get()->limit_factor == static_cast<double>(INFINITE));
    BOOST_TEST(wire.get()->grp_wall == NO_VAL);
}

BOOST_AUTO_TEST_CASE(flags_that_only_come_or_only_go_are_added_or_removed_by_name) {
    const QosRecord none = with({}, named("q"));
    const QosRecord both = with({"Flags=NoDecay,DenyOnLimit"}, none);
    const QosRecord one = with({"Flags=NoDecay"}, none);

    BOOST_TEST(patch(both, none).flags.value() ==
               (QOS_FLAG_REMOVE | QOS_FLAG_NO_DECAY | QOS_FLAG_DENY_LIMIT));
    BOOST_TEST(patch(both, one).flags.value() == (QOS_FLAG_REMOVE | QOS_FLAG_DENY_LIMIT));
    BOOST_TEST(patch(one, both).flags.value() == (QOS_FLAG_ADD | QOS_FLAG_DENY_LIMIT));
    BOOST_TEST(patch(none, one).flags.value() == (QOS_FLAG_ADD | QOS_FLAG_NO_DECAY));
    BOOST_TEST(patch(one, with({"Flags=DenyOnLimit"}, none)).flags.value() == QOS_FLAG_DENY_LIMIT);
}

BOOST_AUTO_TEST_CASE(each_flag_is_read_by_its_bit) {
    const std::pair<std::uint32_t, std::string_view> flags[] = {
        {QOS_FLAG_PART_MIN_NODE, "PartitionMinNodes"},
        {QOS_FLAG_PART_MAX_NODE, "PartitionMaxNodes"},
        {QOS_FLAG_PART_TIME_LIMIT, "PartitionTimeLimit"},
        {QOS_FLAG_ENFORCE_USAGE_THRES, "EnforceUsageThreshold"},
        {QOS_FLAG_NO_RESERVE, "NoReserve"},
        {QOS_FLAG_REQ_RESV, "RequiresReservation"},
        {QOS_FLAG_DENY_LIMIT, "DenyOnLimit"},
        {QOS_FLAG_OVER_PART_QOS, "OverPartQOS"},
        {QOS_FLAG_NO_DECAY, "NoDecay"},
        {QOS_FLAG_USAGE_FACTOR_SAFE, "UsageFactorSafe"},
        {1u << 10, "Relative"}, // older headers do not define it
    };
    for (const model::QosFlagFacts& row : model::qos_flag_facts)
        BOOST_TEST(std::ranges::count(flags, row.name, [](const auto& line) { return line.second; }) == 1,
                   row.name << " needs a line here");
    for (const auto& [bit, name] : flags) {
        slurmdb_qos_rec_t stored;
        slurmdb_init_qos_rec(&stored, false, INFINITE);
        slurm::assign_flags(stored.flags, bit);

        BOOST_TEST(from_slurm(stored, tres, names).flags == NameSet{std::string(name)}, name);
    }
}

BOOST_AUTO_TEST_CASE(a_new_qos_gets_its_flags_as_a_whole) {
    BOOST_TEST(patch({}, with({"Flags=NoDecay"}, named("q"))).flags.value() == QOS_FLAG_NO_DECAY);
}

BOOST_AUTO_TEST_CASE(a_flag_without_a_name_is_shown_and_kept) {
    slurmdb_qos_rec_t stored;
    slurmdb_init_qos_rec(&stored, false, INFINITE);
    slurm::assign_flags(stored.flags, QOS_FLAG_NO_DECAY | 1u << 20);
    char name[] = "q";
    stored.name = name;

    const QosRecord record = from_slurm(stored, tres, names);

    BOOST_TEST(record.flags == (NameSet{"NoDecay", "bit20"}));
    BOOST_TEST(patch(record, with({"Flags-=NoDecay"}, record)).flags.value() ==
               (QOS_FLAG_REMOVE | QOS_FLAG_NO_DECAY));
}

BOOST_AUTO_TEST_CASE(preempt_is_written_with_ids_that_come_and_go) {
    using Words = std::vector<std::string>;
    const QosRecord before = with({"Preempt=normal"}, named("q"));

    BOOST_TEST(patch(named("q"), before).preempt == Words{"+1"}, boost::test_tools::per_element());
    BOOST_TEST(patch({}, before).preempt == Words{"1"}, boost::test_tools::per_element());
    BOOST_TEST(patch(before, with({"Preempt+=low"}, before)).preempt == Words{"+7"},
               boost::test_tools::per_element());
    BOOST_TEST(patch(before, with({"Preempt=low"}, before)).preempt == (Words{"+7", "-1"}),
               boost::test_tools::per_element());
    BOOST_TEST(patch(before, named("q")).preempt == Words{"-1"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(preempt_of_an_unknown_qos_is_not_found) {
    const auto change = make_patch({}, with({"Preempt=gone"}), tres, names);

    BOOST_TEST_REQUIRE(!change.has_value());
    BOOST_TEST(change.error().code == ErrorCode::not_found);
    BOOST_TEST(change.error().message == "Preempt: there is no QOS 'gone'");
}

BOOST_AUTO_TEST_CASE(a_flag_that_this_release_lacks_is_unsupported) {
    const auto change = make_patch({}, with({"Flags=Relative"}), tres, names);

    BOOST_TEST(change.has_value() == slurm::knows_relative_qos);
    if (!change) BOOST_TEST(change.error().code == ErrorCode::unsupported);
}

BOOST_AUTO_TEST_CASE(equal_changes_make_equal_patches) {
    const QosRecord day = with({"MaxWall=5", "Priority=1"});
    const QosRecord night = with({"MaxWall=5", "Priority=2"});

    BOOST_TEST(patch(day, with({"MaxWall=9"}, day)) == patch(night, with({"MaxWall=9"}, night)));
    BOOST_TEST(patch(day, with({"MaxWall=9"}, day)) != patch(night, with({"MaxWall=8"}, night)));
}

BOOST_AUTO_TEST_CASE(a_tres_without_a_name_is_shown_by_its_id_and_can_be_cleared) {
    QosRecord record;
    record.grp_tres = tres.parse("1=8,1009=3,2=18446744073709551615");

    BOOST_TEST(record.grp_tres == (model::TresLimits{{"cpu", 8}, {"1009", 3}}));
    BOOST_TEST(tres_text(patch(record, with({"GrpTRES=unset"}, record))) == "1=" + none + ",1009=" + none);
}

BOOST_AUTO_TEST_SUITE_END()
