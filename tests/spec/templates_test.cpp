// SPDX-License-Identifier: GPL-2.0-or-later
#include "load_setup.hpp"

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

namespace {

/// A spec with these templates (one line each) and a QOS "q" with a body in one line.
std::string spec_with(std::initializer_list<std::string_view> templates, std::string_view body) {
    std::string text = "owner: base\ntemplates:\n";
    for (std::string_view each : templates)
        text += text::format("  {}\n", each);
    return text + text::format("qos:\n  q: {}\n", body);
}

} // namespace

BOOST_AUTO_TEST_SUITE(load_templates)

BOOST_AUTO_TEST_CASE(own_keys_win_over_templates_and_these_over_defaults) {
    const std::string spec = "owner: base\n"
                             "defaults: {Priority: 1, GrpJobs: 1, MaxWall: 1, MaxJobs: 1}\n"
                             "templates:\n"
                             "  low: {Priority: 2, GrpJobs: 2, MaxWall: 2}\n"
                             "  lower: {Priority: 3, GrpJobs: 3}\n"
                             "qos:\n"
                             "  q: {template: [low, lower], Priority: 4}\n";
    BOOST_TEST(show(only_qos(spec)) == "Priority=4 MaxWall=00:02:00 MaxJobsPerUser=1 GrpJobs=3");
}

BOOST_AUTO_TEST_CASE(unset_of_an_own_key_wins) {
    BOOST_TEST(show(only_qos(spec_with({"t: {GrpJobs: 5, GrpTRES: {cpu: 1}}"},
                                       "{template: t, GrpJobs: unset, GrpTRES: unset}"))) ==
               "GrpTRES=unset GrpJobs=unset");
}

BOOST_AUTO_TEST_CASE(counts_replace_the_templates_and_an_alias_one_of_them) {
    const auto counts = [](std::string_view own) {
        return show(only_qos(spec_with({"t: {GrpTRES: {cpu: 1, mem: 1G}}", "n: {GrpTRES: unset}"}, own)));
    };
    BOOST_TEST(counts("{template: t, GrpTRES: {gpu: 2}}") == "GrpTRES=gres/gpu=2");
    BOOST_TEST(counts("{template: t, GrpCPUs: 8}") == "GrpTRES=cpu=8,mem=1G");
    BOOST_TEST(counts("{template: t, GrpCPUs: unset}") == "GrpTRES=cpu=unset,mem=1G");
    BOOST_TEST(counts("{template: n, GrpCPUs: 8}") == "GrpTRES=cpu=8");
    BOOST_TEST(counts("{GrpCPUs: 8}") == "GrpTRES=+cpu=8");
}

BOOST_AUTO_TEST_CASE(templates_build_upon_templates) {
    BOOST_TEST(show(only_qos(
                   spec_with({"a: {Priority: 1, GrpJobs: 1, MaxWall: 1}",
                              "b: {template: a, Priority: 2, GrpJobs: 2}", "c: {template: b, Priority: 3}"},
                             "{template: c}"))) == "Priority=3 MaxWall=00:01:00 GrpJobs=2");
    // What both build upon is below both.
    BOOST_TEST(
        show(only_qos(spec_with({"a: {Priority: 1}", "b: {template: a, Priority: 2}", "c: {template: a}"},
                                "{template: [b, c]}"))) == "Priority=2");
    BOOST_TEST(
        show(only_qos("owner: base\ndefaults: {template: t}\ntemplates: {t: {Priority: 7}}\nqos: {q: {}}")) ==
        "Priority=7");
}

BOOST_AUTO_TEST_CASE(access_and_complete_come_from_templates_too) {
    const DesiredQos qos =
        only_qos(spec_with({"t: {complete: true, access: {accounts: [a], users: [u], complete: true}}"},
                           "{template: t, access: {accounts: [b]}}"));
    BOOST_TEST(qos.is_complete);
    BOOST_TEST(show(qos.access.value()) == "accounts=b users=u default_for= default_users= complete");
}

BOOST_AUTO_TEST_CASE(circles_are_named) {
    BOOST_TEST(problems_in(spec_with({"a: {template: b}", "b: {template: c}", "c: {template: a}"}, "{}")) ==
               "a.yaml:3:3: a: templates build upon each other in a circle: a -> b -> c -> a\n");
    BOOST_TEST(
        contains(problems_in(spec_with({"a: {template: a}"}, "{template: a}")), "in a circle: a -> a"));
}

BOOST_AUTO_TEST_CASE(unknown_templates_are_named_with_the_nearest) {
    BOOST_TEST(problems_in(spec_with({"low: {}"}, "{template: lo}")) ==
               "a.yaml:5:17: template: there is no template 'lo'; did you mean low?\n");
    BOOST_TEST(contains(problems_in(spec_with({"low: {template: [x]}"}, "{}")),
                        "a.yaml:3:20: template: there is no template 'x'"));
    BOOST_TEST(contains(problems_in(spec_with({"low: {}"}, "{template: {low: 1}}")),
                        "needs the name of a template"));
    BOOST_TEST(contains(
        problems_of(load_files({{"a.yaml", "templates: {t: {}}"}, {"b.yaml", "templates: {t: {}}"}})),
        "b.yaml:1:13: t: this template is defined twice; the other one is in a.yaml:1"));
}

BOOST_AUTO_TEST_CASE(what_no_qos_uses_is_checked_all_the_same) {
    BOOST_TEST(contains(problems_in("templates: {t: {MaxWal: 5}}"), "did you mean MaxWall?"));
    BOOST_TEST(contains(problems_in("owner: a\ndefaults: {MaxWal: 5}"), "did you mean MaxWall?"));
    BOOST_TEST(contains(problems_in("templates: {t: {for_each: {a: [b]}}}"), "stands only in a QOS"));
    BOOST_TEST(problems_in("templates: {t: {Priority: '{p}', access: {accounts: ['{a}']}}}") == "");
}

BOOST_AUTO_TEST_CASE(for_each_makes_all_combinations) {
    const auto all = qos_in("owner: base\n"
                            "templates: {t: {access: {accounts: ['{account}']}}}\n"
                            "qos:\n"
                            "  '{account}-{partition}':\n"
                            "    for_each: {account: [Bio, cs], partition: [x, y]}\n"
                            "    template: t\n"
                            "    Description: \"{account} on {partition}, {{account}} {other thing}\"\n"
                            "    GrpTRES: {cpu: '50% of {partition}'}\n");
    BOOST_TEST_REQUIRE(all.size() == 4u);
    BOOST_TEST(all[0].name == "bio-x");
    BOOST_TEST(all[3].name == "cs-y");
    BOOST_TEST(show(all[1]) == "Description=Bio on y, {account} {other thing} GrpTRES=cpu=50% of y");
    BOOST_TEST(show(all[1].access.value()) == "accounts=bio users= default_for= default_users=");
}

BOOST_AUTO_TEST_CASE(for_each_takes_rows) {
    const auto all = qos_in("owner: base\nqos:\n  'dept-{dept}':\n"
                            "    for_each: [{dept: cs, gpus: 4}, {dept: bio, gpus: 2}]\n"
                            "    Priority: '1{gpus}'\n    GrpTRES: {gpu: '{gpus}'}\n");
    BOOST_TEST_REQUIRE(all.size() == 2u);
    BOOST_TEST(all[0].name == "dept-bio");
    BOOST_TEST(show(all[0]) == "Priority=12 GrpTRES=gres/gpu=2");
    BOOST_TEST(show(all[1]) == "Priority=14 GrpTRES=gres/gpu=4");
}

BOOST_AUTO_TEST_CASE(wrong_placeholders_are_told) {
    const auto wrong = [](std::string_view for_each, std::string_view rest = "") {
        return problems_in(
            text::format("owner: base\nqos:\n  'q-{{a}}':\n    for_each: {}\n    {}\n", for_each, rest));
    };
    BOOST_TEST(wrong("{a: [x]}") == "");
    BOOST_TEST(wrong("{a: [x]}", "Priority: '{aa}'") ==
               "a.yaml:5:15: Priority: for_each gives no value for '{aa}'; did you mean a?\n");
    BOOST_TEST(contains(wrong("[{a: x}, {b: y}]"), "for_each gives no value for '{a}'"));
    BOOST_TEST(contains(wrong("{a: [x, X]}"), "this QOS is defined twice"));
    BOOST_TEST(contains(wrong("{a: []}"), "a list of values that is not empty"));
    BOOST_TEST(contains(wrong("{a: x}"), "a list of values that is not empty"));
    BOOST_TEST(contains(wrong("{a: [[x]]}"), "each value must be a text or a number"));
    BOOST_TEST(contains(wrong("{'a b': [x]}"), "cannot name a placeholder"));
    BOOST_TEST(contains(wrong("[x]"), "each row must be a mapping"));
    BOOST_TEST(contains(wrong("{}"), "write {account: [a, b]"));
    BOOST_TEST(contains(wrong("5"), "write {account: [a, b]"));
}

BOOST_AUTO_TEST_CASE(the_number_of_qos_is_bounded) {
    const auto spec = [](int a, int b) {
        const auto list = [](int count) {
            std::string text;
            for (int i = 1; i <= count; ++i)
                text += text::format("{},", i);
            return text;
        };
        return text::format("owner: base\nqos:\n  'q{{a}}x{{b}}': {{for_each: {{a: [{}], b: [{}]}}}}\n",
                            list(a), list(b));
    };
    BOOST_TEST(qos_in(spec(100, 100)).size() == 10'000u);
    BOOST_TEST(contains(problems_in(spec(100, 101)), "too many combinations: at most 10000"));
    BOOST_TEST(contains(problems_in(spec(100, 100) + "  one: {}\n"), "too much: at most 10000 QOSs"));
}

BOOST_AUTO_TEST_SUITE_END()
