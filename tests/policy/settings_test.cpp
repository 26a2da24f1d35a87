// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/settings.hpp"

#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::policy;
using namespace qg::test;

namespace {

std::string site_error(const std::string& text) {
    return load_error({{"site.lua", text}});
}
Settings settings_of(const std::string& text) {
    return policy_of({{"site.lua", text}})->settings();
}

} // namespace

BOOST_AUTO_TEST_SUITE(settings)

BOOST_AUTO_TEST_CASE(has_defaults_without_a_file_and_with_an_empty_table) {
    BOOST_TEST(policy_of({})->settings() == Settings{});
    BOOST_TEST(settings_of("site {}") == Settings{});
    BOOST_TEST(Settings{}.limits == Level::explain);
}

BOOST_AUTO_TEST_CASE(takes_every_setting) {
    const Settings found =
        settings_of("site { limits = 'enforce', contact = 'help@site', rule_instructions = 2000, "
                    "rule_memory_mib = 4, rule_time_ms = 20 }");

    BOOST_TEST(found.limits == Level::enforce);
    BOOST_TEST(found.contact == "help@site");
    BOOST_TEST(found.rule_instructions == 2000u);
    BOOST_TEST(found.rule_memory_mib == 4u);
    BOOST_TEST(found.rule_time.count() == 20);
}

BOOST_AUTO_TEST_CASE(refuses_an_unknown_setting_with_the_near_miss) {
    BOOST_TEST(
        has_text(site_error("site { limit = 'off' }"),
                 "site.lua:1: unknown setting 'limit'; did you mean limits? (there are: limits, contact, "));
}

BOOST_AUTO_TEST_CASE(refuses_wrong_values_and_says_what_is_allowed) {
    BOOST_TEST(has_text(site_error("site { limits = 'on' }"),
                        "setting 'limits' cannot be \"on\": write \"explain\", \"enforce\" or \"off\""));
    BOOST_TEST(has_text(site_error("site { limits = true }"), "setting 'limits' cannot be true"));
    BOOST_TEST(has_text(site_error("site { contact = 5 }"), "setting 'contact' cannot be 5"));
    BOOST_TEST(has_text(site_error("site { contact = 'a\\nb' }"), "setting 'contact' cannot be"));
    BOOST_TEST(has_text(site_error("site { rule_time_ms = 1.5 }"), "cannot be a fraction"));
}

BOOST_AUTO_TEST_CASE(holds_numbers_to_their_bounds) {
    const auto accepts = [](const std::string& setting) {
        return site_error("site { " + setting + " }").empty();
    };
    BOOST_TEST(accepts("rule_instructions = 1000"));
    BOOST_TEST(!accepts("rule_instructions = 999"));
    BOOST_TEST(accepts("rule_instructions = 10000000"));
    BOOST_TEST(!accepts("rule_instructions = 10000001"));
    BOOST_TEST(accepts("rule_memory_mib = 1"));
    BOOST_TEST(!accepts("rule_memory_mib = 0"));
    BOOST_TEST(accepts("rule_memory_mib = 16"));
    BOOST_TEST(!accepts("rule_memory_mib = 17"));
    BOOST_TEST(accepts("rule_time_ms = 75"));
    BOOST_TEST(!accepts("rule_time_ms = 76"));
}

BOOST_AUTO_TEST_CASE(takes_lists_of_names_that_may_be_suggested) {
    const Settings found = settings_of("site { suggest_qos = { 'long', 'normal' }, suggest_partition = {} }");
    BOOST_TEST(found.suggest_qos.value() == (std::vector<std::string>{"long", "normal"}));
    BOOST_TEST(found.suggest_partition.value().empty());
    BOOST_TEST(!settings_of("site {}").suggest_qos.has_value());

    const std::string allowed = "write a list of at most 64 names of QOSs";
    for (const char* wrong : {"'long'", "5", "{ 5 }", "{ '' }", "{ 'a,b' }", "{ 'a b' }", "{ { 'a' } }"})
        BOOST_TEST(has_text(site_error(std::string("site {\n suggest_qos = ") + wrong + " }"), allowed),
                   wrong);
    BOOST_TEST(has_text(site_error("site {\n\n suggest_partition = true }"), "site.lua:1: setting"));
    const auto with_names = [](int count) {
        std::string names;
        for (int i = 0; i < count; ++i)
            names += "'q" + std::to_string(i) + "',";
        return "site { suggest_qos = { " + names + " } }";
    };
    BOOST_TEST(settings_of(with_names(64)).suggest_qos.value().size() == 64u);
    BOOST_TEST(has_text(site_error(with_names(65)), "setting 'suggest_qos' has more than 64 names"));
}

BOOST_AUTO_TEST_CASE(wants_one_call_with_a_table_of_names) {
    BOOST_TEST(has_text(site_error(""), "site.lua: declares nothing: it must call site { ... }"));
    BOOST_TEST(has_text(site_error("site {} site {}"), "site{} is called a second time"));
    BOOST_TEST(has_text(site_error("site { 'off' }"), "there is a value without a name"));
    BOOST_TEST(has_text(site_error("site 'off'"), "table expected"));
    BOOST_TEST(has_text(site_error("rule {}"), "unknown name 'rule'"));
}

BOOST_AUTO_TEST_CASE(documents_every_setting_with_its_true_default) {
    for (const SettingSpec& spec : setting_specs()) {
        BOOST_TEST_CONTEXT(spec.name) {
            const std::string text =
                "site { " + std::string(spec.name) + " = " + std::string(spec.default_text) + " }";
            BOOST_TEST(settings_of(text) == Settings{});
            BOOST_TEST(!spec.description.empty());
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rule_files)

BOOST_AUTO_TEST_CASE(names_a_rule_after_its_file_where_it_does_not_say) {
    const auto policy =
        policy_of({{"10-a.lua", rule_with("")}, {"b.lua", rule_with("", "name = 'second',")}});

    BOOST_TEST(policy->rules().at(0).name == "10-a");
    BOOST_TEST(policy->rules().at(1).name == "second");
    BOOST_TEST(policy->rules().at(0).mode == RuleMode::enforce);
    BOOST_TEST(policy->rules().at(0).on_error == OnError::deny);
}

BOOST_AUTO_TEST_CASE(refuses_a_file_without_a_rule_or_with_two) {
    BOOST_TEST(has_text(load_error({{"a.lua", ""}}), "a.lua: declares nothing: it must call rule { ... }"));
    BOOST_TEST(
        has_text(load_error({{"a.lua", rule_with("") + rule_with("")}}), "rule{} is called a second time"));
}

BOOST_AUTO_TEST_CASE(refuses_two_rules_of_one_name) {
    BOOST_TEST(
        load_error({{"a.lua", rule_with("", "name = 'x',")}, {"b.lua", rule_with("", "name = 'x',")}}) ==
        "b.lua: rule 'x' has the name of the rule in a.lua");
}

BOOST_AUTO_TEST_CASE(refuses_wrong_keys_and_values) {
    BOOST_TEST(
        has_text(load_error({{"a.lua", rule_with("", "mod = 'warn',")}}),
                 "a.lua:1: rule: unknown key 'mod'; did you mean mode? (there are: name, mode, on_error"));
    BOOST_TEST(has_text(load_error({{"a.lua", rule_with("", "mode = 'loud',")}}),
                        "rule: 'mode' cannot be \"loud\": write \"enforce\", \"warn\" or \"shadow\""));
    BOOST_TEST(
        has_text(load_error({{"a.lua", rule_with("", "on_error = 1,")}}), "rule: 'on_error' cannot be 1"));
    BOOST_TEST(has_text(load_error({{"a.lua", rule_with("", "name = '',")}}), "rule: 'name' cannot be \"\""));
    BOOST_TEST(has_text(load_error({{"a.lua", "rule { submit = 1 }"}}), "rule: 'submit' cannot be 1"));
    BOOST_TEST(has_text(load_error({{"a.lua", "rule {}"}}), "rule: a function is missing"));
    BOOST_TEST(has_text(load_error({{"a.lua", "site {}"}}), "unknown name 'site'"));
}

BOOST_AUTO_TEST_CASE(names_file_and_line_of_a_syntax_error) {
    BOOST_TEST(
        has_text(load_error({{"a.lua", "rule {\n submit = }"}}), "a.lua:2: unexpected symbol near '}'"));
}

BOOST_AUTO_TEST_SUITE_END()
