// SPDX-License-Identifier: GPL-2.0-or-later
#include "load_setup.hpp"

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

namespace {

/// What the loader makes of one line of a body.
std::string read(std::string_view line) {
    return show(only_qos(with_line(line)));
}

/// The problem that a line is, without its place.
std::string wrong(std::string_view line) {
    const Loaded loaded = load_text(with_line(line));
    return loaded.problems.size() == 1 ? loaded.problems.front().text
                                       : text::format("{} problems", loaded.problems.size());
}

} // namespace

BOOST_AUTO_TEST_SUITE(load_fields)

BOOST_AUTO_TEST_CASE(the_example_of_the_documentation_is_read) {
    const DesiredQos qos = only_qos(R"(owner: base
qos:
  Moonlight:
    description: Moonlight streaming service
    Priority: 100
    GraceTime: 60s
    MaxWall: 8:00:00
    MaxTRESPerUser: { gpu: 2 }
    Flags: [DenyOnLimit]
    access: { accounts: [hpc-users], default_for: [] }
)");

    BOOST_TEST(qos.name == "moonlight");
    BOOST_TEST(qos.owner == "base");
    BOOST_TEST(show(qos) == "Description=Moonlight streaming service Priority=100 MaxWall=08:00:00 "
                            "MaxTRESPerUser=gres/gpu=2 Flags=DenyOnLimit GraceTime=00:01:00");
    BOOST_TEST(show(qos.access.value()) == "accounts=hpc-users users= default_for= default_users=");
    BOOST_TEST(!qos.is_complete);
    BOOST_TEST(show(qos.position) == "a.yaml:3:3");
    BOOST_TEST(show(qos.fields.at(model::get_qos_field("MaxWall")->field).position) == "a.yaml:7:5");
}

BOOST_AUTO_TEST_CASE(json_is_read_too) {
    const DesiredQos qos = only_qos(
        R"({"owner": "base", "qos": {"q": {"MaxWall": "8:00:00", "Priority": 5, "GrpTRES": {"cpu": 3}}}})");
    BOOST_TEST(show(qos) == "Priority=5 MaxWall=08:00:00 GrpTRES=cpu=3");
}

BOOST_AUTO_TEST_CASE(every_name_and_alias_of_a_field_is_a_key_in_any_case) {
    for (const model::QosField& field : model::qos_fields()) {
        if (field.kind == model::FieldKind::name) continue;
        std::vector<std::pair<std::string, bool>> keys{{std::string(field.name), false},
                                                       {text::lower(field.name), false}};
        for (const model::FieldAlias& alias : field.aliases)
            keys.emplace_back(std::string(alias.name), !alias.tres.empty());
        for (const auto& [key, is_one_tres] : keys) {
            BOOST_TEST_CONTEXT(key) {
                const std::string expected = is_one_tres ? "=unset" : "unset";
                const std::string shown = read(key + ": unset");
                BOOST_TEST(shown.starts_with(std::string(field.name) + "="));
                BOOST_TEST(shown.ends_with(expected));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(an_unknown_key_is_named_with_its_place_and_the_nearest_key) {
    BOOST_TEST(
        problems_in(with_line("MaxWal: 5")) ==
        "a.yaml:4:5: MaxWal: there is no such key; did you mean MaxWall? ('qosgate qos fields' lists all "
        "fields; others: access, complete, template, for_each)\n");
    BOOST_TEST(contains(wrong("acess: {}"), "did you mean access?"));
    BOOST_TEST(contains(wrong("prio: 5"), "did you mean Priority?"));
    BOOST_TEST(contains(wrong("Name: r"), "the name of a QOS is the key"));
    BOOST_TEST(contains(problems_in("owner: base\nqoss: {}\n"),
                        "a.yaml:2:1: qoss: there is no such key; did you mean qos?"));
}

BOOST_AUTO_TEST_CASE(times_are_read_with_units_and_in_slurms_spellings) {
    const std::pair<const char*, const char*> cases[]{
        {"8:00:00", "08:00:00"}, {"'8:00:00'", "08:00:00"}, {"1-12:00:00", "1-12:00:00"}, {"90", "01:30:00"},
        {"90m", "01:30:00"},     {"2h", "02:00:00"},        {"1d12h", "1-12:00:00"},      {"60s", "00:01:00"},
        {"61s", "00:02:00"},     {"0", "00:00:00"},         {"12:30", "00:13:00"},
    };
    for (const auto& [text, shown] : cases)
        BOOST_TEST(read(text::format("MaxWall: {}", text)) == text::format("MaxWall={}", shown));
    BOOST_TEST(read("GraceTime: 60") == "GraceTime=00:01:00");
    BOOST_TEST(read("GraceTime: 1m") == "GraceTime=00:01:00");
    BOOST_TEST(read("PreemptExemptTime: 5") == "PreemptExemptTime=00:05:00");
    for (std::string_view text : {"2w", "h", "1h2", "2m1h", "1h1h", "1.5h", "1e3", "soon", "yes", "1:2:3:4",
                                  "''", "unlimited", "2147483648"})
        BOOST_TEST(contains(wrong(text::format("MaxWall: {}", text)), "MaxWall: "), text);
    BOOST_TEST(read("MaxWall: 2147483647") == "MaxWall=1491308-02:07:00");
}

BOOST_AUTO_TEST_CASE(numbers_are_what_they_look_like) {
    BOOST_TEST(read("Priority: 2147483647") == "Priority=2147483647");
    BOOST_TEST(read("MaxJobs: 0") == "MaxJobsPerUser=0");
    BOOST_TEST(read("UsageFactor: 0.5") == "UsageFactor=0.5");
    for (std::string_view text : {"2147483648", "1e3", "0x10", "1_000", "-2", "1.5", "no", "true", "5 jobs"})
        BOOST_TEST(contains(wrong(text::format("Priority: {}", text)), "is not a whole number from 0 to"),
                   text);
    BOOST_TEST(contains(wrong("Priority: 010"), "begins with 0"));
    BOOST_TEST(contains(wrong("Priority: [5]"), "needs a whole number, not a list"));
    BOOST_TEST(contains(wrong("Priority: {a: 5}"), "needs a whole number, not a mapping"));
    BOOST_TEST(contains(wrong("UsageFactor: -0.5"), "is not a decimal number"));
}

BOOST_AUTO_TEST_CASE(unset_null_and_minus_one_clear_and_zero_does_not) {
    for (std::string_view text : {"unset", "UNSET", "null", "~", "-1", ""})
        BOOST_TEST(read(text::format("GrpJobs: {}", text)) == "GrpJobs=unset", text);
    BOOST_TEST(read("GrpJobs: 0") == "GrpJobs=0");
    BOOST_TEST(contains(wrong("GrpJobs: unlimited"), "GrpJobs=unset removes"));
    BOOST_TEST(contains(wrong("GrpTRES: unlimited"), "write NAME=COUNT"));
    BOOST_TEST(read("GrpTRES: unset") == "GrpTRES=unset");
    BOOST_TEST(read("GrpTRES: 'unset'") == "GrpTRES=unset");
    BOOST_TEST(read("GrpJobs: \"unset\"") == "GrpJobs=unset");
    BOOST_TEST(read("GrpTRES: {}") == "GrpTRES=");
    BOOST_TEST(read("Flags: []") == "Flags=unset");
    BOOST_TEST(contains(wrong("Flags: ''"), "no value"));
    BOOST_TEST(read("Description: unset") == "Description=unset");
    BOOST_TEST(
        std::get<model::FieldValue>(only_qos(with_line("Description: unset")).fields.begin()->second.value) ==
        model::FieldValue());
    BOOST_TEST(std::get<model::FieldValue>(
                   only_qos(with_line("Description: 'unset'")).fields.begin()->second.value) ==
               model::FieldValue(std::string("unset")));
}

BOOST_AUTO_TEST_CASE(a_description_is_any_text_of_one_line) {
    BOOST_TEST(read("description: 'It''s \"so\", {fast} = 100% ü'") ==
               "Description=It's \"so\", {fast} = 100% ü");
    BOOST_TEST(read("Desc: -1") == "Description=-1");
    BOOST_TEST(read("Desc: 010") == "Description=010");
    BOOST_TEST(read("Desc: |\n      one\n") == "Description=one");
    BOOST_TEST(contains(wrong("Desc: |\n      one\n      two\n"), "no line breaks"));
    BOOST_TEST(contains(wrong("Desc: [a]"), "needs a text or a number, not a list"));
}

BOOST_AUTO_TEST_CASE(counts_are_a_mapping_or_sacctmgrs_text) {
    BOOST_TEST(read("GrpTRES: {cpu: 24, mem: 1T, gpu: 2, 'gres/gpu:a100': 1}") ==
               "GrpTRES=cpu=24,mem=1T,gres/gpu=2,gres/gpu:a100=1");
    BOOST_TEST(read("GrpTRES: cpu=24,GPU=2") == "GrpTRES=cpu=24,gres/gpu=2");
    BOOST_TEST(read("GrpTRES: {mem: 2TB}") == "GrpTRES=mem=2T");
    BOOST_TEST(contains(wrong("GrpTRES: {mem: 2B}"), "'2B' is not a memory size"));
    BOOST_TEST(read("GrpTRES: {cpu: unset, mem: -1, gpu: 0}") == "GrpTRES=cpu=unset,mem=unset,gres/gpu=0");
    BOOST_TEST(read("GrpTRES: cpu=-1") == "GrpTRES=cpu=unset");
    BOOST_TEST(read("GrpTRES: {cpu: 9223372036854775807}") == "GrpTRES=cpu=9223372036854775807");
    BOOST_TEST(contains(wrong("GrpTRES: {cpu: 9223372036854775808}"), "too large"));
    BOOST_TEST(contains(wrong("GrpTRES: {gpu: 1, gres/gpu: 2}"), "gres/gpu is given twice"));
    BOOST_TEST(
        contains(wrong("GrpTRES: {cpus: 1}"), "this cluster tracks no TRES of that name; did you mean cpu?"));
    BOOST_TEST(contains(wrong("GrpTRES: {cpu: many}"), "'many' is not a count"));
    BOOST_TEST(contains(wrong("GrpTRES: {cpu: 08}"), "begins with 0"));
    BOOST_TEST(contains(wrong("GrpTRES: {cpu: [1]}"), "needs a text or a number, not a list"));
    BOOST_TEST(contains(wrong("GrpTRES: [cpu]"), "needs counts"));
    BOOST_TEST(contains(wrong("GrpTRES: 5"), "write NAME=COUNT"));
    BOOST_TEST(contains(wrong("GrpTRES: ''"), "no value"));
}

BOOST_AUTO_TEST_CASE(an_alias_for_one_tres_leaves_the_others) {
    BOOST_TEST(read("GrpCPUs: 8") == "GrpTRES=+cpu=8");
    BOOST_TEST(read("GrpMem: 2G") == "GrpTRES=+mem=2G");
    BOOST_TEST(read("GrpCPUs: unset") == "GrpTRES=+cpu=unset");
    BOOST_TEST(read("GrpCPUs: 8\n    GrpNodes: 2") == "GrpTRES=+cpu=8,node=2");
    BOOST_TEST(read("GrpTRES: {gpu: 2}\n    GrpNodes: 2") == "GrpTRES=node=2,gres/gpu=2");
    BOOST_TEST(contains(wrong("GrpCPUs: 8\n    GrpTRES: {cpu: 8}"), "GrpTRES is given twice"));
    BOOST_TEST(contains(wrong("MaxWall: 8\n    maxwallpj: 9"), "maxwallpj: MaxWall is given twice"));
}

BOOST_AUTO_TEST_CASE(shares_are_of_the_cluster_or_of_a_partition) {
    BOOST_TEST(read("GrpTRES: {cpu: 50%, gpu: '12.5 % of gpu-long'}") ==
               "GrpTRES=cpu=50%,gres/gpu=12.5% of gpu-long");
    BOOST_TEST(read("GrpCPUs: 100%") == "GrpTRES=+cpu=100%");
    BOOST_TEST(read("GrpTRES: cpu=0%") == "GrpTRES=cpu=0%");
    for (std::string_view text : {"101%", "-1%", "%", "5%x", "5% of", "5% of a b", "nan%", "1e400%"})
        BOOST_TEST(contains(wrong(text::format("GrpCPUs: {}", text::quoted(text))), "is not a share"), text);
    BOOST_TEST(contains(wrong("GrpTRESMins: {cpu: 50%}"), "a share of minutes means nothing"));
    BOOST_TEST(contains(wrong("GrpCPUs: 50%\n    Flags: [Relative]"), "write 50 instead of 50%"));
    BOOST_TEST(read("GrpCPUs: 50\n    Flags: [Relative]") == "GrpTRES=+cpu=50 Flags=Relative");
}

BOOST_AUTO_TEST_CASE(flags_and_lists_of_qos_are_lists_or_texts) {
    BOOST_TEST(read("Flags: [DENY_LIMIT, nodecay]") == "Flags=DenyOnLimit,NoDecay");
    BOOST_TEST(read("Flags: DenyOnLimit,NoDecay") == "Flags=DenyOnLimit,NoDecay");
    BOOST_TEST(read("Preempt: [Low, standby]") == "Preempt=low,standby");
    BOOST_TEST(read("PreemptMode: [REQUEUE, WITHIN]") == "PreemptMode=REQUEUE,WITHIN");
    BOOST_TEST(read("PreemptMode: OFF") == "PreemptMode=unset");
    BOOST_TEST(contains(wrong("Flags: [DenyLimits]"), "'DenyLimits' is not one of its values; did you mean"));
    BOOST_TEST(contains(wrong("Flags: [DenyLimits]"), "allowed: DenyOnLimit"));
    BOOST_TEST(contains(wrong("Flags: [DenyOnLimit, [NoDecay]]"), "not a list"));
    BOOST_TEST(contains(wrong("Flags: {DenyOnLimit: true}"), "not a mapping"));
    BOOST_TEST(contains(wrong("Flags: ['a,b']"), "is not one word"));
    BOOST_TEST(contains(wrong("PreemptMode: [REQUEUE, CANCEL]"), "at most one of"));
}

BOOST_AUTO_TEST_CASE(words_that_yaml_takes_for_booleans_are_names) {
    const auto all = qos_in("owner: base\nqos:\n  no: {Preempt: [off, yes, y, 1e3]}\n  off: {}\n");
    BOOST_TEST_REQUIRE(all.size() == 2u);
    BOOST_TEST(all[0].name == "no");
    BOOST_TEST(show(all[0]) == "Preempt=1e3,off,y,yes");
    BOOST_TEST(all[1].name == "off");
}

BOOST_AUTO_TEST_CASE(without_a_catalogue_names_of_tres_are_checked_as_far_as_possible) {
    const auto read_alone = [](std::string_view tres) {
        const Loaded loaded = load_text(with_line(text::format("GrpTRES: {{{}: 1}}", tres)), nullptr);
        return loaded.problems.empty() ? show(loaded.desired.qos.front()) : loaded.problems.front().text;
    };
    BOOST_TEST(read_alone("CPU") == "GrpTRES=cpu=1");
    BOOST_TEST(read_alone("gpu") == "GrpTRES=gres/gpu=1");
    BOOST_TEST(read_alone("'gpu:a100'") == "GrpTRES=gres/gpu:a100=1");
    BOOST_TEST(read_alone("license/x") == "GrpTRES=license/x=1");
    BOOST_TEST(contains(read_alone("cpus"), "did you mean cpu?"));
    BOOST_TEST(contains(read_alone("zebra"), "other resources are gres/NAME"));
    BOOST_TEST(contains(read_alone("gres/"), "there is no TRES of that name"));
}

BOOST_AUTO_TEST_CASE(all_problems_are_told_at_once) {
    BOOST_TEST(load_text(with_line("MaxWal: 5\n    Priority: x\n    Flags: [y]\n    GrpTRES: {z: 1, cpu: q}"))
                   .problems.size() == 5u);
}

BOOST_AUTO_TEST_SUITE_END()
