// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/qos_change.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/amount_text.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::model;
namespace data = boost::unit_test::data;

namespace {

const TresCatalogue catalogue({"cpu", "mem", "energy", "node", "billing", "gres/gpu", "license/matlab"});

using Words = std::vector<std::string>;

QosRecord changed(const Words& assignments, QosRecord record = {}) {
    return QosChange::parse(assignments, catalogue).value().apply_to(std::move(record));
}

std::string why_refused(const Words& assignments) {
    const auto change = QosChange::parse(assignments, catalogue);
    BOOST_TEST_REQUIRE(!change.has_value(), assignments.front() << " must be refused");
    BOOST_TEST(change.error().code == ErrorCode::invalid_input);
    return change.error().message;
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

struct Accepted {
    const char* assignment;
    const char* field;
    const char* printed;
};
std::ostream& operator<<(std::ostream& out, const Accepted& row) {
    return out << row.assignment;
}

const std::vector<Accepted> accepted{
    {"MaxWall=8:00:00", "MaxWall", "08:00:00"},
    {"maxwall = 480", "MaxWall", "08:00:00"},
    {"MaxWall=1-0", "MaxWall", "1-00:00:00"},
    {"MaxWall=0:0:1", "MaxWall", "00:01:00"},
    {"MaxWall=0", "MaxWall", "00:00:00"},
    {"MaxWallDurationPerJob=90:30", "MaxWall", "01:31:00"},
    {"GrpWall=5", "GrpWall", "00:05:00"},
    {"MaxWall=8h", "MaxWall", "08:00:00"},
    {"GraceTime=1d12h", "GraceTime", "1-12:00:00"},
    {"MaxWall=61s", "MaxWall", "00:02:00"},
    {"GrpTRES=mem=2TB", "GrpTRES", "mem=2T"},
    {"GrpTRES=mem=2tib", "GrpTRES", "mem=2T"},
    {"GrpTRES=mem=512MB", "GrpTRES", "mem=512M"},
    {"GraceTime=90", "GraceTime", "00:01:30"},
    {"GraceTime=0:02:00", "GraceTime", "00:02:00"},
    {"PreemptExemptTime=5", "PreemptExemptTime", "00:05:00"},
    {"PreemptExemptTime=0:0:30", "PreemptExemptTime", "00:00:30"},
    {"Priority=2147483647", "Priority", "2147483647"},
    {"MaxJobsPU=0", "MaxJobsPerUser", "0"},
    {"MaxTRESPerUser=gres/gpu=2", "MaxTRESPerUser", "gres/gpu=2"},
    {"MaxTRESPerUser=GPU=2", "MaxTRESPerUser", "gres/gpu=2"},
    {"GrpTRES=cpu=24,mem=1T", "GrpTRES", "cpu=24,mem=1T"},
    {"GrpTRES=mem=500", "GrpTRES", "mem=500M"},
    {"GrpCPUs=8", "GrpTRES", "cpu=8"},
    {"GrpMemory=2G", "GrpTRES", "mem=2G"},
    {"MaxNodes=4", "MaxTRESPerJob", "node=4"},
    {"MaxTRES=license/matlab=1K", "MaxTRESPerJob", "license/matlab=1024"},
    {"GrpTRES=cpu=9223372036854775807", "GrpTRES", "cpu=9223372036854775807"},
    {"Flags=DenyOnLimit,NoDecay", "Flags", "DenyOnLimit,NoDecay"},
    {"Flags=DENY_LIMIT,no_decay", "Flags", "DenyOnLimit,NoDecay"},
    {"Preempt=Low,b", "Preempt", "b,low"},
    {"PreemptMode=requeue", "PreemptMode", "REQUEUE"},
    {"PreemptMode=suspend,gang", "PreemptMode", "GANG,SUSPEND"},
    {"PreemptMode=cluster", "PreemptMode", ""},
    {"PreemptMode=OFF", "PreemptMode", ""},
    {"UsageFactor=0.25", "UsageFactor", "0.25"},
    {"UsageFactor=0", "UsageFactor", "0"},
    {"UsageThres=0.1234567", "UsageThreshold", "0.123457"},
    {"LimitFactor=2", "LimitFactor", "2"},
    {"Description=It's = fine, really", "Description", "It's = fine, really"},
    {"Description=unlimited", "Description", "unlimited"},
    {"Description=", "Description", ""},
};

struct Refused {
    const char* assignment;
    const char* reason;
};
std::ostream& operator<<(std::ostream& out, const Refused& row) {
    return out << row.assignment;
}

const std::vector<Refused> refused{
    {"MaxWall", "write Field=value"},
    {"=5", "write Field=value"},
    {"Name=x", "cannot rename"},
    {"MaxWal=1", "did you mean MaxWall?"},
    {"MaxWall=", "to clear the field write MaxWall=unset"},
    {"Preempt=", "Preempt=unset"},
    {"MaxWall=8y", "not a time"},
    {"MaxWall=UNLIMITED",
     "a QOS cannot store 'UNLIMITED'; MaxWall=unset removes this QOS's limit (other limits still apply)"},
    {"GrpTRES=none", "a QOS cannot store 'none'; GrpTRES=unset"},
    {"MaxWall=99999999-0", "is too long: at most 2147483647 minutes"},
    {"GraceTime=2147483648", "too long"},
    {"GraceTime=50000-0", "too long"},
    {"Priority=2147483648", "from 0 to 2147483647"},
    {"Priority=-5", "from 0 to 2147483647"},
    {"Priority=1.5", "from 0 to 2147483647"},
    {"MaxJobs=4294967295", "from 0 to 2147483647"},
    {"UsageFactor=-0.5", "decimal number"},
    {"UsageFactor=nan", "decimal number"},
    {"UsageFactor=1e30", "decimal number"},
    {"UsageFactor=1,5", "decimal number"},
    {"GrpTRES=gres/gpus=4", "did you mean gres/gpu?"},
    {"GrpTRES=8", "NAME=COUNT"},
    {"GrpTRES=cpu=1,CPU=2", "given twice"},
    {"GrpTRES=cpu=9223372036854775808", "too large"},
    {"GrpCPUs=cpu=8", "not a count"},
    {"MaxTRESPU=cpu=1, mem = Unset", "write mem=-1 to remove one TRES, or MaxTRESPerUser=unset for all"},
    {"Flags=DenyLimits", "DenyOnLimit"},
    {"Flags+=Nothing", "allowed: "},
    {"MaxWall+=5", "only Flags and Preempt"},
    {"PreemptMode+=GANG", "only Flags and Preempt"},
    {"PreemptMode=CANCEL,REQUEUE", "at most one of"},
    {"Preempt=a b", "cannot be the name of a QOS"},
    {"Preempt=-a", "cannot be the name of a QOS"},
    {"Description=two\nlines", "control characters"},
};

} // namespace

BOOST_AUTO_TEST_SUITE(qos_change)

BOOST_DATA_TEST_CASE(takes_assignments, data::make(accepted), row) {
    const QosRecord record = changed({row.assignment});

    BOOST_TEST(format_field(*get_qos_field(row.field).value().field, record) == row.printed);
    for (const QosField& field : qos_fields())
        BOOST_TEST(is_set(field, record) <= (field.name == row.field), field.name);
}

BOOST_DATA_TEST_CASE(refuses_assignments_with_a_reason, data::make(refused), row) {
    const std::string message = why_refused({row.assignment});

    BOOST_TEST(contains(message, row.reason), message);
}

BOOST_AUTO_TEST_CASE(an_error_starts_with_the_assignment) {
    BOOST_TEST(why_refused({"MaxWall=1", "Priority=x"}).starts_with("Priority=x: "));
}

BOOST_AUTO_TEST_CASE(a_tres_field_keeps_the_tres_that_are_not_named) {
    QosRecord record;
    record.grp_tres = {{"cpu", 8}, {"gres/gpu", 4}};

    BOOST_TEST(changed({"GrpTRES=cpu=16"}, record).grp_tres == (TresLimits{{"cpu", 16}, {"gres/gpu", 4}}));
}

BOOST_AUTO_TEST_CASE(minus_one_clears_one_tres_and_unset_clears_all) {
    QosRecord record;
    record.grp_tres = {{"cpu", 8}, {"gres/gpu", 4}};

    BOOST_TEST(changed({"GrpTRES=gpu=-1"}, record).grp_tres == (TresLimits{{"cpu", 8}}));
    BOOST_TEST(changed({"GrpCPUs=-1"}, record).grp_tres == (TresLimits{{"gres/gpu", 4}}));
    BOOST_TEST(changed({"GrpCPUs=unset"}, record).grp_tres == (TresLimits{{"gres/gpu", 4}}));
    BOOST_TEST(changed({"GrpTRES=unset"}, record).grp_tres.empty());
    BOOST_TEST(changed({"GrpTRES=-1"}, record).grp_tres.empty());
}

BOOST_AUTO_TEST_CASE(every_field_but_the_name_can_be_cleared) {
    for (const QosField& field : qos_fields()) {
        if (field.kind == FieldKind::name) continue;
        BOOST_TEST_CONTEXT(field.name) {
            BOOST_TEST(changed({std::string(field.name) + "=unset"}) == QosRecord{});
            BOOST_TEST(changed({std::string(field.name) + "=-1"}) == QosRecord{});
        }
    }
}

BOOST_AUTO_TEST_CASE(adds_and_removes_flags_and_preempted_qos) {
    QosRecord record;
    record.flags = {"NoDecay", "DenyOnLimit"};
    record.preempt = {"low"};

    const QosRecord fresh =
        changed({"Flags+=NoReserve", "Flags-=NO_DECAY,NoReserve", "Preempt+=b", "Preempt-=low,x"}, record);

    BOOST_TEST(fresh.flags == NameSet{"DenyOnLimit"});
    BOOST_TEST(fresh.preempt == NameSet{"b"});
}

BOOST_AUTO_TEST_CASE(a_plain_list_replaces_flags) {
    QosRecord record;
    record.flags = {"NoDecay"};

    BOOST_TEST(changed({"Flags=NoReserve"}, record).flags == NameSet{"NoReserve"});
}

BOOST_AUTO_TEST_CASE(a_field_is_given_once_unless_the_parts_are_apart) {
    BOOST_TEST(contains(why_refused({"MaxWall=1", "MaxWallDurationPerJob=2"}), "MaxWall is given twice"));
    BOOST_TEST(contains(why_refused({"GrpCPUs=1", "GrpTRES=cpu=2"}), "given twice"));
    BOOST_TEST(contains(why_refused({"Flags=NoDecay", "Flags+=NoReserve"}), "given twice"));
    BOOST_TEST(contains(why_refused({"GrpTRES=unset", "GrpTRES=cpu=2"}), "given twice"));
    BOOST_TEST(changed({"GrpCPUs=1", "GrpTRES=gpu=2"}).grp_tres == (TresLimits{{"cpu", 1}, {"gres/gpu", 2}}));
}

BOOST_AUTO_TEST_CASE(differences_name_fields_with_old_and_new_text) {
    QosRecord before;
    before.max_wall_minutes = 480;
    before.grp_jobs = 0;
    QosRecord after;
    after.max_wall_minutes = 720;
    after.flags = {"NoDecay"};

    const auto found = differences(before, after);

    BOOST_TEST_REQUIRE(found.size() == 3u);
    BOOST_TEST(found[0].field->name == "MaxWall");
    BOOST_TEST(found[0].before == "08:00:00");
    BOOST_TEST(found[0].after == "12:00:00");
    BOOST_TEST(found[1].field->name == "GrpJobs");
    BOOST_TEST(found[1].before == "0");
    BOOST_TEST(found[1].after == "unset");
    BOOST_TEST(found[2].field->name == "Flags");
    BOOST_TEST(differences(after, after).empty());
}

BOOST_AUTO_TEST_CASE(the_assignments_for_a_record_make_it_again) {
    QosRecord fresh;
    fresh.name = fresh.description = "q";
    BOOST_TEST(assignments_for(fresh).empty());
    for (const Accepted& row : accepted) {
        const QosRecord record = changed({row.assignment}, fresh);
        BOOST_TEST(changed(assignments_for(record), fresh) == record, row.assignment);
    }
    const QosRecord undescribed = changed({"Description="}, fresh);
    BOOST_TEST(assignments_for(undescribed) == Words{"Description="}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_a_list_only_what_was_changed_can_be_lost) {
    const QosRecord before = changed({"GrpTRES=cpu=1,node=2", "Flags=NoDecay"});
    const QosRecord after = changed({"GrpTRES=cpu=5,node=-1", "Flags+=DenyOnLimit", "MaxWall=5"}, before);
    const auto lost = [&](const Words& others) {
        Words fields;
        for (const FieldDifference& difference : lost_changes(before, after, changed(others, after)))
            fields.emplace_back(difference.field->name);
        return text::join(fields, " ");
    };

    BOOST_TEST(lost({"GrpTRES=mem=1", "Flags-=NoDecay", "Priority=7"}).empty());
    BOOST_TEST(lost({"GrpTRES=cpu=6"}) == "GrpTRES");
    BOOST_TEST(lost({"GrpTRES=node=2"}) == "GrpTRES");
    BOOST_TEST(lost({"Flags-=DenyOnLimit", "MaxWall=unset"}) == "MaxWall Flags");
}

BOOST_AUTO_TEST_CASE(names_become_lower_case) {
    BOOST_TEST(parse_qos_name("Moon-Light_2.x").value() == "moon-light_2.x");
    BOOST_TEST(parse_qos_name(std::string(255, 'a')).has_value());
}

BOOST_DATA_TEST_CASE(refuses_names_that_slurm_cannot_take,
                     data::make({"", "a,b", "a=b", "-a", "+a", "a b", "a'b", "a\"b", "a\\b", "a*", "a\n"}),
                     name) {
    BOOST_TEST(!parse_qos_name(name).has_value());
}

BOOST_DATA_TEST_CASE(refuses_new_names_that_mean_something_else,
                     data::make({"0", "12", "1e5", "1.5", "inf", "a%b", "%s%n", "../x", "a/b", "set", "Where",
                                 "all", "unlimited", "none", "MaxWall", "maxjobs", "priority", "a\xc2\x9bm"}),
                     name) {
    BOOST_TEST(!parse_new_qos_name(name).has_value());
}

BOOST_DATA_TEST_CASE(takes_new_names_beside_those,
                     data::make({"1day", "2gpu", "settle", "all2", "info",
                                 "gr\xc3\xb6\xc3\x9f"
                                 "er",
                                 "a.b-c:d@e"}),
                     name) {
    BOOST_TEST(parse_new_qos_name(name).has_value());
}

BOOST_AUTO_TEST_CASE(existing_qos_with_such_names_can_be_named) {
    BOOST_TEST(parse_qos_name("set").has_value());
    BOOST_TEST(parse_qos_name("100%").has_value());
    BOOST_TEST(!parse_qos_name("a\xc2\x9bm").has_value());
}

BOOST_AUTO_TEST_CASE(the_longest_time_in_the_database_reads_back_as_a_time) {
    QosRecord stored;
    stored.max_wall_minutes = 2147483647u;

    BOOST_TEST(changed(assignments_for(stored)) == stored);
    BOOST_TEST(
        contains(why_refused({"MaxWall=1535431-23:30:00"}), "is too long: at most 2147483647 minutes"));
    BOOST_TEST(contains(why_refused({"MaxWall=99999999999"}), "is too large for a time"));
    BOOST_TEST(contains(why_refused({"MaxWall=8x"}), "'8x' is not a time"));
    BOOST_TEST(contains(why_refused({"MaxWall=99999999d"}), "99999999d is too long"));
    for (const char* size : {"GrpTRES=mem=2B", "GrpTRES=mem=2iB", "GrpTRES=mem=B", "GrpTRES=mem=2TBB"})
        BOOST_TEST(contains(why_refused({size}), "is not a memory size"), size);
    BOOST_TEST(contains(why_refused({"GrpTRES=cpu=2KB"}), "'2KB' is not a count"));
    BOOST_TEST(contains(why_refused({"MaxWall=99999999999999999999999"}), "is too large for a time"));
}

BOOST_AUTO_TEST_CASE(refuses_a_name_that_its_column_cannot_hold) {
    BOOST_TEST(!parse_qos_name(std::string(256, 'a')).has_value());
}

BOOST_AUTO_TEST_CASE(reads_times_with_units) {
    const std::pair<const char*, std::uint64_t> spellings[] = {
        {"0s", 0}, {"60s", 60}, {"90m", 5400}, {"8h", 28'800}, {"1d12h", 129'600}, {"1d2h3m4s", 93'784}};
    for (const auto& [text, seconds] : spellings)
        BOOST_TEST(parse_unit_seconds(text).value() == seconds, text);
    for (const char* none : {"", "8", "8:00", "h", "8H", "2h1d", "1h1h", "8x", "1h ", "10000000000d"})
        BOOST_TEST(!parse_unit_seconds(none).has_value(), none);
}

BOOST_AUTO_TEST_SUITE_END()
