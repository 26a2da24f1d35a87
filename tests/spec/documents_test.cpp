// SPDX-License-Identifier: GPL-2.0-or-later
#include "load_setup.hpp"

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

BOOST_AUTO_TEST_SUITE(load_documents)

BOOST_AUTO_TEST_CASE(a_spec_needs_an_owner_of_the_right_shape) {
    BOOST_TEST(contains(problems_in("qos: {a: {}}"), "a.yaml:1:1: owner: is missing"));
    BOOST_TEST(problems_in("templates: {a: {}}") == "");
    for (std::string_view good : {"base", "0", "a_b.c-d", "abcdefghijklmnopqrstuvwxyz012345"})
        BOOST_TEST(problems_in(text::format("owner: '{}'\nqos: {{a: {{}}}}", good)) == "", good);
    for (std::string_view bad :
         {"", "Base", "-a", ".a", "a b", "a/b", "abcdefghijklmnopqrstuvwxyz0123456", "ü"})
        BOOST_TEST(contains(problems_in(text::format("owner: '{}'\nqos: {{a: {{}}}}", bad)),
                            "a.yaml:1:8: owner: an owner is"),
                   bad);
    BOOST_TEST(contains(problems_in("owner: [a]\nqos: {a: {}}"), "owner: an owner is"));
}

BOOST_AUTO_TEST_CASE(a_qos_stands_in_one_place) {
    const std::string one = "owner: base\nqos:\n  q: {Priority: 1}\n";
    BOOST_TEST(contains(problems_in("owner: base\nqos:\n  q: {}\n  Q: {}\n"),
                        "a.yaml:4:3: q: this QOS is defined twice; a.yaml:3:3 defines it too"));
    BOOST_TEST(contains(problems_in("owner: base\nqos:\n  q: {}\n  q: {}\n"),
                        "a.yaml:4:3: q: given twice; the first is in line 3"));
    BOOST_TEST(
        contains(problems_of(load_files({{"a.yaml", one}, {"b.yaml", "owner: other\nqos: {q: {}}"}})),
                 "b.yaml:2:7: q: this QOS is defined twice; a.yaml:3:3 defines it for the owner base, this "
                 "is other"));
    BOOST_TEST(problems_of(load_files({{"a.yaml", one}, {"b.yaml", "owner: other\nqos: {r: {}}"}})) == "");
}

BOOST_AUTO_TEST_CASE(keys_are_given_once_in_every_mapping) {
    BOOST_TEST(contains(problems_in(with_line("Priority: 1\n    Priority: 1")),
                        "a.yaml:5:5: Priority: given twice; the first is in line 4"));
    BOOST_TEST(contains(problems_in("owner: a\nowner: b\n"), "a.yaml:2:1: owner: given twice"));
    BOOST_TEST(contains(problems_in(with_line("GrpTRES: {cpu: 1, cpu: 1}")), "cpu: given twice"));
    BOOST_TEST(contains(problems_in(with_line("? [a]\n    : 1")), "a key must be a text, not a list"));
    BOOST_TEST(contains(problems_in(with_line("null: 1")), "a key must be a text, not nothing"));
}

BOOST_AUTO_TEST_CASE(complete_is_of_the_file_and_of_a_qos) {
    const auto all = qos_in("owner: base\ncomplete: true\nqos:\n  a: {}\n  b: {complete: false}\n");
    BOOST_TEST(all[0].is_complete);
    BOOST_TEST(!all[1].is_complete);
    BOOST_TEST(only_qos(with_line("complete: true")).is_complete);
    BOOST_TEST(contains(problems_in(with_line("complete: yes")), "complete: needs true or false, not 'yes'"));
    BOOST_TEST(contains(problems_in("owner: base\ncomplete: 1\n"), "complete: needs true or false"));
}

BOOST_AUTO_TEST_CASE(prune_names_the_owner) {
    BOOST_TEST(load_text("owner: base\nprune: true\n").desired.pruned_owners ==
               std::vector<std::string>{"base"});
    BOOST_TEST(load_text("owner: base\nprune: false\n").desired.pruned_owners == std::vector<std::string>{});
    BOOST_TEST(contains(problems_in("prune: true\n"), "owner: is missing"));
}

BOOST_AUTO_TEST_CASE(silenced_findings_have_a_reason) {
    const Loaded loaded =
        load_text("silence:\n  - {code: a, reason: for May}\n  - {code: b, reason: r, qos: Q}\n");
    BOOST_TEST_REQUIRE(problems_of(loaded) == "");
    const auto& silenced = loaded.desired.silenced;
    BOOST_TEST_REQUIRE(silenced.size() == 2u);
    BOOST_TEST(silenced[0].code == "a");
    BOOST_TEST(silenced[0].reason == "for May");
    BOOST_TEST(silenced[0].qos == "");
    BOOST_TEST(silenced[1].qos == "q");
    BOOST_TEST(silenced[1].position.line == 3u);
    BOOST_TEST(contains(problems_in("silence: [{code: a}]"), "silence: needs a reason"));
    BOOST_TEST(contains(problems_in("silence: [{reason: a}]"), "silence: needs a code"));
    BOOST_TEST(contains(problems_in("silence: [{code: a, reason: ''}]"), "reason: needs 1 to 1000 bytes"));
    BOOST_TEST(contains(problems_in("silence: {code: a}"), "needs a list"));
    BOOST_TEST(contains(problems_in("silence: [a]"), "each entry is a mapping"));
    BOOST_TEST(contains(problems_in("silence: [{code: a, reason: b, qs: c}]"), "did you mean qos?"));
}

BOOST_AUTO_TEST_CASE(access_is_read) {
    const auto access = [](std::string_view text) {
        return show(only_qos(with_line(text::format("access: {}", text))).access.value());
    };
    BOOST_TEST(access("{}") == "accounts= users= default_for= default_users=");
    BOOST_TEST(
        access("{accounts: [Phys, no, phys], users: [Alice, {user: bob, account: Phys, partition: gpu}], "
               "default_for: [phys], complete: true}") ==
        "accounts=phys,no users=Alice,bob@phys/gpu default_for=phys default_users= complete");
    BOOST_TEST(access("{accounts: phys, default_for: {accounts: [a], users: [u, {user: v, account: b}]}}") ==
               "accounts=phys users= default_for=a default_users=u,v@b");
    BOOST_TEST(!only_qos(with_line("Priority: 1")).access.has_value());

    const std::pair<const char*, const char*> bad[]{
        {"unset", "needs a mapping"},
        {"{acounts: [a]}", "did you mean accounts?"},
        {"{accounts: {a: b}}", "needs a list of names ([] for none), not a mapping"},
        {"{accounts: unset, users: [[a]]}", "needs a text or a number, not a list"},
        {"{accounts: ['a b']}", "cannot be a name"},
        {"{accounts: ['']}", "cannot be a name"},
        {"{accounts: ['a,b']}", "cannot be a name"},
        {"{users: [{account: a}]}", "needs 'user'"},
        {"{users: [{user: a, partition: p}]}", "a partition needs an account"},
        {"{users: [{user: a, acount: p}]}", "did you mean account?"},
        {"{default_for: {account: [a]}}", "did you mean accounts?"},
        {"{complete: maybe}", "needs true or false"},
    };
    for (const auto& [text, problem] : bad)
        BOOST_TEST(contains(problems_in(with_line(text::format("access: {}", text))), problem), text);
}

BOOST_AUTO_TEST_CASE(several_documents_may_be_in_a_file) {
    const auto all = qos_in("owner: a\nqos: {x: {}}\n---\nowner: b\nqos: {y: {}}\n---\n");
    BOOST_TEST_REQUIRE(all.size() == 2u);
    BOOST_TEST(all[0].owner == "a");
    BOOST_TEST(all[1].owner == "b");
    BOOST_TEST(problems_in("") == "");
    BOOST_TEST(problems_in("# nothing\n") == "");
    BOOST_TEST(contains(problems_in("[1]"), "a spec is a mapping with 'owner' and 'qos', not a list"));
    BOOST_TEST(contains(problems_in("qos"), "a spec is a mapping"));
}

BOOST_AUTO_TEST_CASE(wrong_names_of_qos_are_told) {
    for (std::string_view name : {"'a b'", "'-a'", "'a,b'", "''"})
        BOOST_TEST(contains(problems_in(text::format("owner: a\nqos: {{{}: {{}}}}", name)), "a.yaml:2:7: "),
                   name);
    BOOST_TEST(contains(problems_in("owner: a\nqos: {'{x}': {}}"),
                        "is a placeholder, but this QOS has no for_each"));
    BOOST_TEST(contains(problems_in("owner: a\nqos: [a]"), "needs a mapping from names"));
    BOOST_TEST(
        contains(problems_in("owner: a\nqos: {a: 5}"), "a mapping of fields is needed here, not a text"));
    BOOST_TEST(show(only_qos("owner: a\nqos: {a: }")) == "");
}

BOOST_AUTO_TEST_CASE(the_order_of_files_does_not_matter) {
    const std::pair<std::string, std::string> a{"a.yaml", "owner: x\nqos: {q: {template: low}, a: {}}"};
    const std::pair<std::string, std::string> b{"b.yaml", "templates: {low: {Priority: 3}}"};
    BOOST_TEST(problems_of(load_files({a, b})) == "");
    const bool is_same = load_files({a, b}).desired == load_files({b, a}).desired;
    BOOST_TEST(is_same);
}

BOOST_AUTO_TEST_SUITE_END()
