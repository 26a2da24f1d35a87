// SPDX-License-Identifier: GPL-2.0-or-later
#include "load_setup.hpp"

#include "qosgate/spec/yaml_tree.hpp"

#include <algorithm>
#include <random>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

namespace {

std::string repeat(std::string_view part, std::size_t count) {
    std::string text;
    text.reserve(part.size() * count);
    for (std::size_t i = 0; i < count; ++i)
        text += part;
    return text;
}

const std::string seed = R"(owner: base
defaults: {GraceTime: 60s}
templates:
  low: &low {Priority: 10, Flags: [DenyOnLimit, NoDecay]}
  lower: {template: low, MaxWall: 1-12:00:00}
silence: [{code: unused, reason: "for May", qos: a}]
qos:
  "{account}-{n}":
    for_each: {account: [bio, cs], n: [1, 2]}
    template: [low, lower]
    GrpTRES: {cpu: 50%, mem: 1T, gpu: '25% of {account}'}
    access: {accounts: ["{account}"], users: [u, {user: v, account: w, partition: x}], default_for: {users: [u]}}
  standby: *low
  text:
    description: |
      a text
    Preempt: standby,low
---
apiVersion: v1
kind: SlurmQos
metadata: {name: m}
spec: {config: {limits: {max: {tres: {total: [{type: cpu, count: 4}]}, wall_clock: {per: {job: {number: 5}}}}}}}
)";

} // namespace

BOOST_AUTO_TEST_SUITE(hostile_specs)

BOOST_AUTO_TEST_CASE(what_is_not_yaml_is_told_with_its_place) {
    BOOST_TEST(contains(problems_in("owner: base\nqos: {a: [}\n"), "a.yaml:2:"));
    BOOST_TEST(contains(problems_in("owner: base\nqos: {a: [}\n"), "this is not YAML: "));
    BOOST_TEST(contains(problems_in("owner: *nobody\n"), "a.yaml:1:"));
    BOOST_TEST(
        contains(problems_in("owner: base\nqos:\n\tq: {}\n"), "a.yaml:3:1: YAML is not indented by tabs"));
    BOOST_TEST(contains(problems_in("owner: base\nqos:\n  q:\n\t  MaxWall: 5\n"),
                        "a.yaml:4:1: YAML is not indented by tabs"));
    BOOST_TEST(problems_in("{\n\t\"owner\": \"base\"\n}\n") == "");
    BOOST_TEST(contains(problems_in("owner: \xff\n"), "a.yaml:1:8: this is not UTF-8"));
    BOOST_TEST(contains(problems_in("a: 1\nb: \xc0\x80\n"), "a.yaml:2:4: this is not UTF-8"));
    BOOST_TEST(
        contains(problems_in(std::string("a: \0b\n", 6)), "a.yaml:1:4: control characters are not allowed"));
    BOOST_TEST(problems_in("\xef\xbb\xbfowner: base\n") == "");
    BOOST_TEST(contains(problems_in("owner: !!python/object base\n"), "is not supported"));
    BOOST_TEST(contains(problems_in("owner: !x base\n"), "the tag '!x' is not supported"));
    BOOST_TEST(problems_in("owner: !!str base\n") == "");
    BOOST_TEST(contains(problems_in(with_line("<<: {Priority: 1}")), "write 'template:'"));
}

BOOST_AUTO_TEST_CASE(an_alias_is_the_value_of_its_anchor) {
    const auto all = qos_in("owner: base\nqos:\n  a: &x {Priority: 5}\n  b: *x\n");
    BOOST_TEST_REQUIRE(all.size() == 2u);
    BOOST_TEST(show(all[1]) == "Priority=5");
    BOOST_TEST(
        contains(problems_in("qos: &x {a: *x}\n"), "a.yaml:1:13: this alias stands within its own anchor"));
}

BOOST_AUTO_TEST_CASE(aliases_that_multiply_are_stopped_before_they_do) {
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i <= 30; ++i)
        bomb += text::format("a{0}: &a{0} [{1}]\n", i, repeat(text::format("*a{}, ", i - 1), 10));
    BOOST_TEST(contains(problems_in(bomb), "too many values"));
}

BOOST_AUTO_TEST_CASE(depth_and_size_are_bounded) {
    const auto nested = [](std::size_t depth) { return repeat("[", depth) + repeat("]", depth); };
    BOOST_TEST(contains(problems_in(nested(64)), "a spec is a mapping"));
    BOOST_TEST(contains(problems_in(nested(65)), "too deep: at most 64 levels"));
    BOOST_TEST(contains(problems_in(repeat("[", 100'000)), "too deep"));
    BOOST_TEST(contains(problems_in(repeat("- ", 100'000)), "too deep"));
    BOOST_TEST(contains(problems_in(repeat(" ", (std::size_t{4} << 20u) + 1)),
                        "the file is too large: at most 4 MiB"));
    BOOST_TEST(problems_in(repeat("#", std::size_t{4} << 20u)) == "");
}

BOOST_AUTO_TEST_CASE(a_text_has_at_most_the_bytes_of_the_longest_value) {
    const auto with_text = [](std::size_t bytes) {
        return "owner: base\nqos: {a: {description: \"" + repeat("x", bytes) + "\"}}\n";
    };
    BOOST_TEST(problems_in(with_text(TreeBounds::max_text)) == "");
    BOOST_TEST(contains(problems_in(with_text(TreeBounds::max_text + 1)), "too long: a text has at most"));
}

BOOST_AUTO_TEST_CASE(placeholders_do_not_make_texts_longer_than_that) {
    const auto with_row = [](std::size_t uses) {
        return "owner: base\nqos:\n  q:\n    for_each: [{a: " + repeat("x", 1000) +
               "}]\n    description: \"" + repeat("{a}", uses) + "\"\n";
    };
    BOOST_TEST(problems_in(with_row(65)) == "");
    BOOST_TEST(contains(problems_in(with_row(66)), "description: too long: a text has at most"));
    BOOST_TEST(contains(problems_in(with_row(20'000)), "description: too long: a text has at most"));
}

BOOST_AUTO_TEST_CASE(very_many_long_texts_are_too_much) {
    const auto with_rows = [](std::size_t rows) {
        std::string numbers;
        for (std::size_t i = 0; i < rows; ++i)
            numbers += std::to_string(i) + ",";
        return "owner: base\nqos:\n  \"q{n}\":\n    for_each: {n: [" + numbers + "]}\n    description: \"" +
               repeat("x", 60'000) + "\"\n";
    };
    BOOST_TEST(problems_in(with_rows(100)) == "");
    BOOST_TEST(contains(problems_in(with_rows(10'000)), "too much: at most"));
}

BOOST_AUTO_TEST_CASE(problems_are_bounded) {
    std::string text = "owner: base\nqos:\n";
    for (int i = 0; i < 999; ++i)
        text += text::format("  q{}: {{Nothing: 1}}\n", i);
    BOOST_TEST(load_text(text).problems.size() == 999u);
    const Loaded loaded = load_text(text + "  q999: {Nothing: 1}\n");
    BOOST_TEST_REQUIRE(loaded.problems.size() == 1001u);
    BOOST_TEST(loaded.problems.back().text == "too many problems: reading stopped, and there may be more");
}

BOOST_AUTO_TEST_CASE(very_many_wrong_names_cost_a_bounded_time) {
    std::string text = "templates:\n";
    for (int i = 0; i < 20'000; ++i)
        text += text::format("  t{0}: {{template: u{0}}}\n", i);
    BOOST_TEST(load_text(text).problems.size() == 1001u);
    // One wrong key, met again in each QOS that uses the template.
    text = "owner: base\ntemplates: {t: {Nothing: 1}}\nqos:\n";
    for (int i = 0; i < 9'000; ++i)
        text += text::format("  q{}: {{template: t}}\n", i);
    BOOST_TEST(load_text(text).problems.size() == 2u);
}

BOOST_AUTO_TEST_CASE(one_template_in_very_many_qos_costs_a_bounded_time) {
    std::string text =
        "owner: base\ntemplates:\n  t: {access: {accounts: [" + repeat("a, ", 2000) + "]}}\nqos:\n";
    text += "  'q{a}x{b}': {for_each: {a: [";
    for (int i = 0; i < 100; ++i)
        text += text::format("{}, ", i);
    text += "], b: [";
    for (int i = 0; i < 100; ++i)
        text += text::format("{}, ", i);
    text += "]}, template: t}\n";
    BOOST_TEST(contains(problems_in(text), "too much"));
}

BOOST_AUTO_TEST_CASE(mutated_specs_end_in_values_or_problems) {
    BOOST_TEST_REQUIRE(problems_in(seed) == "");
    std::mt19937 random(15);
    const std::string_view parts[]{
        "{", "}", "[",     "]",     ":",    "- ", "\n", "  ", "&low ", "*low",       "'",         "\"", "|",
        ">", "%", "---\n", "unset", "null", "-1", "!!", "\t", "\xff",  "for_each: ", "{account}", "#"};
    const auto below = [&](std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
    };
    std::size_t accepted = 0;
    for (int round = 0; round < 1000; ++round) {
        std::string text = seed;
        for (std::size_t change = below(4) + 1; change > 0; --change) {
            const std::size_t at = below(text.size());
            switch (below(4)) {
            case 0: text.insert(at, parts[below(std::size(parts))]); break;
            case 1: text.erase(at, below(12) + 1); break;
            case 2: text[at] = static_cast<char>(below(256)); break;
            default: text.insert(below(text.size()), text.substr(at, below(40))); break;
            }
        }
        const Loaded loaded = load_text(text);
        accepted += loaded.problems.empty() ? 1 : 0;
        for (const Problem& problem : loaded.problems) {
            BOOST_TEST(!problem.text.empty());
            BOOST_TEST(problem.position.line <=
                       static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 2);
        }
    }
    BOOST_TEST(accepted > 0u);
    BOOST_TEST(accepted < 1000u);
}

BOOST_AUTO_TEST_SUITE_END()
