// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/qos_fields.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <sstream>

using namespace qg;
using namespace qg::model;

namespace {

const QosField& field(std::string_view name) {
    return *get_qos_field(name).value().field;
}

/// A record in which every field has a value that is not its default.
QosRecord full_record() {
    QosRecord record;
    for (const QosField& f : qos_fields()) {
        switch (f.kind) {
        case FieldKind::name:
        case FieldKind::text: put_field(f, record, std::string("text")); break;
        case FieldKind::number:
        case FieldKind::duration: put_field(f, record, 7u); break;
        case FieldKind::factor: put_field(f, record, 0.5); break;
        case FieldKind::tres: put_field(f, record, TresLimits{{"cpu", 3}}); break;
        case FieldKind::flags: put_field(f, record, NameSet{"NoDecay"}); break;
        case FieldKind::preempt_mode: put_field(f, record, NameSet{"CANCEL"}); break;
        case FieldKind::qos_names: put_field(f, record, NameSet{"low"}); break;
        }
    }
    return record;
}

} // namespace

BOOST_AUTO_TEST_SUITE(qos_fields_module)

BOOST_AUTO_TEST_CASE(every_name_and_alias_is_unique) {
    std::set<std::string> seen;
    for (const QosField& f : qos_fields()) {
        BOOST_TEST(seen.insert(text::lower(f.name)).second, f.name);
        for (const FieldAlias& alias : f.aliases)
            BOOST_TEST(seen.insert(text::lower(alias.name)).second, alias.name);
    }
}

BOOST_AUTO_TEST_CASE(every_limit_of_a_qos_is_a_field) {
    for (const LimitFacts& facts : limit_facts) {
        if (!facts.is_of_qos()) continue;
        const auto match = get_qos_field(facts.name);
        BOOST_TEST_REQUIRE(match.has_value(), facts.name);
        BOOST_TEST(match->field->name == facts.name, facts.name);
    }
}

BOOST_AUTO_TEST_CASE(every_field_has_a_help_sentence_and_a_value_description) {
    for (const QosField& f : qos_fields()) {
        BOOST_TEST_CONTEXT(f.name) {
            BOOST_TEST(f.help.ends_with('.') != f.help.ends_with(".."));
            for (std::string_view slang : {"Most ", "Least ", "Longest ", "Lowest "})
                BOOST_TEST(!f.help.starts_with(slang), slang);
            BOOST_TEST(!describe_value(f).empty());
        }
    }
}

BOOST_AUTO_TEST_CASE(every_field_has_its_own_place_in_the_record) {
    const QosRecord full = full_record();

    for (const QosField& f : qos_fields()) {
        BOOST_TEST_CONTEXT(f.name) {
            QosRecord alone;
            put_field(f, alone, get_field(f, full));
            for (const QosField& other : qos_fields())
                BOOST_TEST(is_set(other, alone) == (&other == &f), other.name);
        }
    }
}

BOOST_AUTO_TEST_CASE(an_empty_value_puts_a_field_back_to_its_default) {
    QosRecord record = full_record();

    for (const QosField& f : qos_fields())
        put_field(f, record, {});

    BOOST_TEST(record == QosRecord{});
}

BOOST_AUTO_TEST_CASE(finds_fields_by_name_and_alias_in_any_case) {
    BOOST_TEST(field("maxwall").name == "MaxWall");
    BOOST_TEST(field("MAXTRESPU").name == "MaxTRESPerUser");
    BOOST_TEST(field("MaxSubmit").name == "MaxSubmitJobsPerUser");
    BOOST_TEST(field("MaxJobs").name == "MaxJobsPerUser");
    BOOST_TEST(field("MaxTRES").name == "MaxTRESPerJob");
    BOOST_TEST(get_qos_field("GrpCPUs").value().tres == "cpu");
    BOOST_TEST(get_qos_field("GrpTRES").value().tres == "");
}

BOOST_AUTO_TEST_CASE(names_the_near_miss_of_an_unknown_field) {
    const auto match = get_qos_field("MaxWal");

    BOOST_TEST_REQUIRE(!match.has_value());
    BOOST_TEST(match.error().message ==
               "a QOS has no field 'MaxWal'; did you mean MaxWall? ('qosgate qos fields' lists all)");
}

BOOST_AUTO_TEST_CASE(an_abbreviation_is_refused_with_the_one_field_that_it_begins) {
    const auto guess = [](std::string_view name) { return get_qos_field(name).error().message; };

    BOOST_TEST(guess("prio").find("did you mean Priority?") != std::string::npos);
    BOOST_TEST(guess("maxw").find("did you mean MaxWall?") != std::string::npos);
    BOOST_TEST(guess("MinPrio").find("did you mean MinPrioThreshold?") != std::string::npos);
    BOOST_TEST(guess("grpt").find("did you mean") == std::string::npos); // GrpTRES, GrpTRESMins, ...
    BOOST_TEST(guess("").find("did you mean") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_unknown_field_without_near_miss_says_where_all_are) {
    const auto match = get_qos_field("Colour\n");

    BOOST_TEST_REQUIRE(!match.has_value());
    BOOST_TEST(match.error().message == "a QOS has no field 'Colour?' ('qosgate qos fields' lists all)");
}

BOOST_AUTO_TEST_CASE(knows_flags_in_both_of_slurms_spellings) {
    const QosField& flags = field("Flags");

    BOOST_TEST(parse_allowed_word(flags, "denyonlimit").value() == "DenyOnLimit");
    BOOST_TEST(parse_allowed_word(flags, "DENY_LIMIT").value() == "DenyOnLimit");
    BOOST_TEST(parse_allowed_word(flags, "NO_DECAY").value() == "NoDecay");
    BOOST_TEST(parse_allowed_word(flags, "OVERRIDE_PARTITION_QOS").value() == "OverPartQOS");
    BOOST_TEST(parse_allowed_word(flags, "DenyOnLimits").error().message.find("did you mean DenyOnLimit?") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(prints_values_as_sacctmgr_takes_them) {
    QosRecord record;
    record.max_wall_minutes = 1500;
    record.grace_time_seconds = 90;
    record.grp_tres = {{"gres/gpu", 4}, {"mem", 1048576}, {"cpu", 24}};
    record.usage_factor = 0.3;
    record.preempt_mode = {"WITHIN", "REQUEUE"};

    BOOST_TEST(format_field(field("MaxWall"), record) == "1-01:00:00");
    BOOST_TEST(format_field(field("GraceTime"), record) == "00:01:30");
    BOOST_TEST(format_field(field("GrpTRES"), record) == "cpu=24,mem=1T,gres/gpu=4");
    BOOST_TEST(format_field(field("UsageFactor"), record) == "0.3");
    BOOST_TEST(format_field(field("PreemptMode"), record) == "REQUEUE,WITHIN");
    BOOST_TEST(format_field(field("GrpWall"), record) == "");
}

BOOST_AUTO_TEST_CASE(zero_is_a_value_and_unset_is_none) {
    QosRecord record;
    record.grp_wall_minutes = 0;
    record.max_jobs_per_user = 0;
    record.max_tres_per_job = {{"gres/gpu", 0}};

    BOOST_TEST(is_set(field("GrpWall"), record));
    BOOST_TEST(format_field(field("GrpWall"), record) == "00:00:00");
    BOOST_TEST(format_field(field("MaxJobsPerUser"), record) == "0");
    BOOST_TEST(format_field(field("MaxTRESPerJob"), record) == "gres/gpu=0");
    BOOST_TEST(!is_set(field("MaxWall"), record));
}

BOOST_AUTO_TEST_CASE(sorts_numbers_by_size_and_unset_last) {
    QosRecord nine;
    nine.max_wall_minutes = 9;
    QosRecord ten;
    ten.max_wall_minutes = 10;
    const QosRecord unset;
    const QosField& wall = field("MaxWall");

    BOOST_TEST(sorts_before(wall, nine, ten, /*descending=*/false));
    BOOST_TEST(sorts_before(wall, ten, nine, /*descending=*/true));
    BOOST_TEST(!sorts_before(wall, nine, nine, /*descending=*/false));
    for (const bool descending : {false, true}) {
        BOOST_TEST(sorts_before(wall, nine, unset, descending));
        BOOST_TEST(!sorts_before(wall, unset, nine, descending));
    }
}

BOOST_AUTO_TEST_CASE(tres_stand_in_slurms_order) {
    const TresLimits limits{{"license/a", 1}, {"gres/gpu", 1}, {"node", 1},
                            {"billing", 1},   {"cpu", 1},      {"mem", 1}};
    std::string order;

    for (const auto& [name, count] : limits)
        order += name + " ";

    BOOST_TEST(order == "cpu mem node billing gres/gpu license/a ");
}

BOOST_AUTO_TEST_CASE(a_record_prints_what_is_set) {
    QosRecord record;
    record.name = "moonlight";
    record.max_wall_minutes = 480;
    std::ostringstream out;

    out << record;

    BOOST_TEST(out.str() == "Name=moonlight MaxWall=08:00:00");
}

BOOST_AUTO_TEST_SUITE_END()
