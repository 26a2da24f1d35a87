// SPDX-License-Identifier: GPL-2.0-or-later
//
// require("NAME") in rules and modules.
#include "qosgate/policy/files/modules.hpp"

#include "qosgate/policy/findings.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

const std::string limits_module =
    "local M = { most = { gpu = 4, list = { 'a', 'b', 'c' } } }\n"
    "function M.check(job)\n"
    "    if job.nodes > M.most.gpu then job:reject('at most %d', M.most.gpu) end\n"
    "end\n"
    "return M\n";

/// A rule that warns with the value of an expression about the module `limits`.
std::string rule_about(const std::string& expression) {
    return "local limits = require('limits')\n" +
           rule_with(at_run_time("job:warn('%s', tostring(" + expression + "))"));
}

/// The value of an expression about the module; "error: ..." if it fails.
std::string value_about(const std::string& expression) {
    const auto policy = policy_of({{"t.lua", rule_about(expression)}, {"lib/limits.lua", limits_module}});
    const auto outcome = Job().run(*policy);
    return outcome.rejected ? "error: " + outcome.events.at(0).text : outcome.warnings.at(0);
}

/// Why a policy with this module and a rule that requires it does not load.
std::string problem_with(const std::string& module) {
    return load_error(
        {{"t.lua", "local m = require('m') " + rule_with("job:warn('x')")}, {"lib/m.lua", module}});
}

/// Why a rule file with this text does not load, beside a module `limits`.
std::string problem_of_rule(const std::string& source) {
    return load_error({{"t.lua", source}, {"lib/limits.lua", limits_module}});
}

/// A module that is wrong, and its error.
struct WrongModule {
    const char* module;
    const char* complaint;
    friend std::ostream& operator<<(std::ostream& out, const WrongModule& mistake) {
        return out << mistake.module;
    }
};

const WrongModule wrong_modules[] = {
    {"return {", "lib/m.lua:1: unexpected symbol near <eof>"},
    {"\nreturn nothing", "lib/m.lua:2: unknown name 'nothing'"},
    {"\nreturn 1", "lib/m.lua: a module returns a table: end the file with 'return M'"},
    {"local M = {}", "lib/m.lua: a module returns a table: end the file with 'return M'"},
    {"\nwhile true do end", "lib/m.lua:2: more than 1000000 instructions"},
    {"local t = {} for i = 1, 1000 do t[i] = ('x'):rep(60000) end return t",
     "lib/m.lua:1: more memory than a rule may use"},
    {"error('no')", "lib/m.lua:1: no"},
    {"x = 1 return {}", "lib/m.lua:1: 'x' is not declared"},
    {"\nlocal M = {} function M.f(job) return job.node end return M",
     "lib/m.lua:2: unknown field 'node' of job; did you mean nodes?"},
    {"local M = {} function M.f(before) before.qos = 'x' end return M",
     "lib/m.lua:1: before.qos cannot be changed"},
    {"local M = {} local f = function(x, job) job.reject('no') end return M",
     "lib/m.lua:1: write job:reject(...), with a colon"},
    {"local M = {} function M.f() return strng end return M", "lib/m.lua:1: unknown name 'strng'"},
    {"local M = {} function M.f() rule {} end return M", "lib/m.lua:1: unknown name 'rule'"},
    {"return { f = require('limts') }", "lib/m.lua:1: there is no module 'limts'"},
};

const char* const good_modules[] = {
    "return {}",
    "local M = {} function M.f(job) return job.nodes end return M",
    "local M = {} function M.f(job) job = { node = 1 } return job.node end return M", // assigned
    "local M = {} function M.f(other) return other.node end return M",
    "local M = { rule = 1 } return M",
    "return require('names')",
    "local M = {} M.require = M return M",
};

} // namespace

BOOST_AUTO_TEST_SUITE(modules)

BOOST_AUTO_TEST_CASE(give_rules_their_tables_and_functions) {
    const auto policy =
        policy_of({{"t.lua", "local limits = require 'limits'\n" + rule_with("limits.check(job)")},
                   {"lib/limits.lua", limits_module}});

    BOOST_TEST(!Job().nodes(4).run(*policy).rejected);
    BOOST_TEST(Job().nodes(5).run(*policy).reject_message == "at most 4");
    BOOST_TEST(value_about("limits.most.gpu") == "4");
    BOOST_TEST(policy->rules().size() == 1u);
}

BOOST_AUTO_TEST_CASE(are_found_at_any_time) {
    BOOST_TEST(value_about("require('limits').most.gpu") == "4");
    BOOST_TEST(value_about("require('limits') == limits") == "true");
    BOOST_TEST(value_about("#require('names').list('a,b')") == "2");
    BOOST_TEST(value_about("require('lim' .. 'its') == limits") == "true");
}

BOOST_AUTO_TEST_CASE(run_once_and_before_those_that_require_them) {
    const auto policy =
        policy_of({{"t.lua", "local a, b = require('a'), require('b')\n" +
                                 rule_with("job:warn('%s %s', a.first == b, b.count)")},
                   {"lib/a.lua", "return { first = require('b') }"},
                   {"lib/b.lua", "local count = 0 count = count + 1 return { count = count }"}});

    BOOST_TEST(Job().run(*policy).warnings.at(0) == "true 1");
}

BOOST_AUTO_TEST_CASE(cannot_be_written_anywhere) {
    for (const std::string write :
         {"limits.most = 1", "limits.new = 1", "limits.most.gpu = 8", "limits.most.list[1] = 'x'",
          "limits.most.list[4] = 'x'", "limits.check = nil", "table.insert(limits.most.list, 'x')",
          "table.remove(limits.most.list)", "table.sort(limits.most.list, function(a, b) return a > b end)",
          "local all = { require('names') } all[1].list = nil", "local _, t = pairs(limits) t.most = 1",
          "local _, t = ipairs(limits.most.list) t[1] = 1"}) {
        BOOST_TEST_CONTEXT(write) {
            const auto policy =
                policy_of({{"t.lua", "local limits = require(('limits'))\n" + rule_with(at_run_time(write))},
                           {"lib/limits.lua", limits_module}});
            const auto outcome = Job().run(*policy);

            BOOST_TEST_REQUIRE(outcome.rejected);
            BOOST_TEST(has_text(outcome.events.at(0).text, "module '"), outcome.events.at(0).text);
            BOOST_TEST(has_text(outcome.events.at(0).text, "' cannot be changed (field '"));
        }
    }
}

BOOST_AUTO_TEST_CASE(cannot_change_themselves_when_they_are_loaded) {
    const auto policy =
        policy_of({{"t.lua", "local m = require('m')\n" + rule_with("m.f()")},
                   {"lib/m.lua", "local M = { count = 0 }\nfunction M.f() M.count = 1 end\nreturn M"}});

    BOOST_TEST(has_text(Job().run(*policy).events.at(0).text,
                        "lib/m.lua:2: module 'm' cannot be changed (field 'count')"));
}

BOOST_AUTO_TEST_CASE(read_like_tables) {
    const std::string list = "limits.most.list";
    BOOST_TEST(value_about("#" + list) == "3");
    BOOST_TEST(value_about("table.concat(" + list + ")") == "abc");
    BOOST_TEST(value_about("table.unpack(" + list + ", 3)") == "c");
    BOOST_TEST(value_about("type(limits)") == "table");
    BOOST_TEST(value_about("next(limits.most) ~= nil and next(" + list + ")") == "1");
    BOOST_TEST(value_about("(function() local n = 0 for k, v in pairs(limits.most) do "
                           "assert(limits.most[k] == v) n = n + 1 end return n end)()") == "2");
    BOOST_TEST(value_about("(function() local s = '' for i, v in ipairs(" + list +
                           ") do s = s .. i .. v end return s end)()") == "1a2b3c");
    BOOST_TEST(value_about("limits.nothing") == "nil");
    BOOST_TEST(value_about("(function() for i, v in next, " + list + " do return v end end)()") == "a");
    BOOST_TEST(has_text(value_about("next(limits, 'nothing')"), "invalid key to 'next'"));
}

BOOST_AUTO_TEST_CASE(may_hold_tables_in_a_circle_and_as_keys) {
    const auto policy =
        policy_of({{"t.lua", "local m = require('m')\n" +
                                 rule_with("job:warn('%s %s', m.self == m, m[m.key]) m.key.x = 1",
                                           "mode = 'enforce',")},
                   {"lib/m.lua", "local M = { key = {} } M.self = M M[M.key] = 'by key' return M"}});
    const auto outcome = Job().run(*policy);

    BOOST_TEST(has_text(outcome.reject_message, "module 'm' cannot be changed (field 'x')"));
    BOOST_TEST(outcome.warnings.empty());
}

BOOST_AUTO_TEST_CASE(may_hold_the_lists_and_the_table_of_a_rule) {
    const auto policy = policy_of(
        {{"t.lua", "rule(require('m').rule)"},
         {"lib/m.lua",
          "return { rule = { exempt = { 'root', 'ana' }, submit = function(job) job:reject('no') end } }"}});

    BOOST_TEST(policy->rules().at(0).exempt.root);
    BOOST_TEST(policy->rules().at(0).exempt.users.at(0) == "ana");
    BOOST_TEST(!Job().run(*policy).rejected);
}

BOOST_DATA_TEST_CASE(that_are_wrong_keep_the_policy_from_loading, wrong_modules, mistake) {
    const std::string problem = problem_with(mistake.module);

    BOOST_TEST(problem.starts_with(mistake.complaint), problem);
}

BOOST_DATA_TEST_CASE(that_are_right_load, good_modules, module) {
    BOOST_TEST(problem_with(module) == "");
}

BOOST_AUTO_TEST_CASE(are_checked_also_if_no_rule_requires_them) {
    const std::string rule = rule_with("job:warn('x')");
    BOOST_TEST(has_text(load_error({{"t.lua", rule}, {"lib/m.lua", "return {"}}), "lib/m.lua:1: "));
    BOOST_TEST(has_text(load_error({{"lib/m.lua", "return 1"}}), "lib/m.lua: a module returns a table"));
    BOOST_TEST(load_error({{"t.lua", rule}, {"lib/m.lua", "return {}"}}) == "");
}

BOOST_AUTO_TEST_CASE(that_do_not_exist_are_named_with_the_ones_meant) {
    const std::string problem = problem_of_rule("local l = require('limts')\n" + rule_with("job:warn('x')"));
    BOOST_TEST(problem.starts_with("t.lua:1: there is no module 'limts'"), problem);
    BOOST_TEST(problem_of_rule(rule_with("job:warn('x')\nrequire('limts')"))
                   .starts_with("t.lua:3: there is no module 'limts'; did you mean limits? (there are: "));
    BOOST_TEST(problem_of_rule(rule_with("require 'os'")).starts_with("t.lua:2: there is no module 'os'"));
    BOOST_TEST(has_text(value_about("require('no' .. 'thing')"), "there is no module 'nothing'"));
    BOOST_TEST(has_text(value_about("require('na' .. 'mes')"), "module 'names' is not loaded: write its"));
    BOOST_TEST(has_text(value_about("require(1)"), "bad argument #1 to 'require'"));
    BOOST_TEST(problem_of_rule(rule_with("local require = function() end require('limts')")) == "");
}

BOOST_AUTO_TEST_CASE(have_names_without_a_path) {
    const std::string rule = rule_with("job:warn('x')");
    for (const char* name :
         {"a b", "a.b", "", "a/b", "\xc3\xa4", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
        BOOST_TEST_CONTEXT(name) {
            const std::string file = text::format("lib/{}.lua", name);
            const std::string problem = load_error({{"t.lua", rule}, {file, "return {}"}});
            BOOST_TEST(problem.starts_with(file + ": the name of a module has at most 40 letters"), problem);
        }
    }
    for (const char* name : {"a", "A-b_9", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})
        BOOST_TEST(load_error({{"t.lua", rule}, {text::format("lib/{}.lua", name), "return {}"}}) == "");
    BOOST_TEST(has_text(problem_of_rule("local m = require('../limits') " + rule),
                        "t.lua:1: there is no module '../limits'"));
}

BOOST_AUTO_TEST_CASE(of_the_site_replace_none_that_is_built_in) {
    BOOST_TEST(load_error({{"lib/names.lua", "return {}"}}) ==
               "lib/names.lua: qosgate has a module 'names' of its own: rename the file");
}

BOOST_AUTO_TEST_CASE(that_require_each_other_are_named_with_the_circle) {
    const std::string rule = rule_with("job:warn('x')");
    BOOST_TEST(load_error({{"t.lua", rule},
                           {"lib/a.lua", "local b = require('b') return {}"},
                           {"lib/b.lua", "return {\nc = require('c') }"},
                           {"lib/c.lua", "return {\n\n a = require 'a' }"}}) ==
               "lib/c.lua:3: modules require each other: a -> b -> c -> a");
    BOOST_TEST(load_error({{"t.lua", rule}, {"lib/a.lua", "return { require('a') }"}}) ==
               "lib/a.lua:1: modules require each other: a -> a");
    BOOST_TEST(load_error({{"t.lua", rule},
                           {"lib/a.lua", "return { require('b'), require('c') }"},
                           {"lib/b.lua", "return { require('c') }"},
                           {"lib/c.lua", "return {}"}}) == "");
}

BOOST_AUTO_TEST_CASE(count_for_the_memory_of_a_state) {
    const std::string large = "local t = {} for i = 1, 3000 do t[i] = { i } end return t";
    const std::string rule = rule_with("job:warn('x')");
    const std::string site = "site { rule_memory_mib = 1 }";
    BOOST_TEST(load_error({{"site.lua", site}, {"t.lua", rule}, {"lib/a.lua", "return {}"}}) == "");
    BOOST_TEST(has_text(load_error({{"site.lua", site},
                                    {"t.lua", rule},
                                    {"lib/a.lua", large},
                                    {"lib/b.lua", large},
                                    {"lib/c.lua", large}}),
                        "more memory than a rule may use"));
}

BOOST_AUTO_TEST_CASE(have_errors_with_file_and_line_when_rules_run) {
    const auto policy = policy_of(
        {{"t.lua", "local m = require('m')\n" + rule_with("m.f(job)")},
         {"lib/m.lua", "local M = {}\nfunction M.f(job)\n    return job.tasks + 1\nend\nreturn M"}});
    const auto outcome = Job().run(*policy);

    BOOST_TEST(
        has_text(outcome.events.at(0).text, "lib/m.lua:3: attempt to perform arithmetic on a nil value"));
    BOOST_TEST(has_text(outcome.events.at(0).detail, "t.lua:3: in function"), outcome.events.at(0).detail);
}

BOOST_AUTO_TEST_CASE(change_the_hash) {
    const Texts files = {{"t.lua", rule_with("job:warn('x')")}, {"lib/m.lua", "return {}"}};
    Texts changed = files;
    changed[1].second = "return { }";

    BOOST_TEST(policy_of(files)->hash() != policy_of(changed)->hash());
    BOOST_TEST(policy_of(files)->hash() == policy_of(files)->hash());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(module_findings)

BOOST_AUTO_TEST_CASE(tell_all_mistakes_of_modules_and_rules) {
    SourceDirectory directory{true,
                              {{"10.lua", "local a = require('a')\n" + rule_with("a.f(job) job.nodse = 1")},
                               {"lib/a.lua", "local M = {}\nfunction M.f(job)\n    job.qoss = 'x'\nend\n"
                                             "function M.g(job) job:warn() end\nreturn M"},
                               {"lib/b c.lua", "return {}"},
                               {"lib/d.lua", "return {"}}};
    const auto findings = check_sources(directory).findings;
    std::vector<std::string> texts;
    for (const Finding& finding : findings)
        texts.push_back(text::format("{}:{}: {}", finding.file, finding.line, finding.message));

    BOOST_TEST_REQUIRE(texts.size() == 5u, text::join(texts, "\n"));
    BOOST_TEST(texts[0].starts_with("10.lua:3: unknown field 'nodse' of job"), texts[0]);
    BOOST_TEST(texts[1].starts_with("lib/a.lua:3: unknown field 'qoss' of job; did you mean qos?"), texts[1]);
    BOOST_TEST(texts[2] == "lib/a.lua:5: job:warn() has no message");
    BOOST_TEST(texts[3].starts_with("lib/b c.lua:0: the name of a module has at most"), texts[3]);
    BOOST_TEST(texts[4].starts_with("lib/d.lua:1: unexpected symbol near"), texts[4]);
}

BOOST_AUTO_TEST_CASE(name_the_module_that_does_not_run_once) {
    const std::string rule = "local a = require('a')\n" + rule_with("job:warn('x')");
    const auto findings = check_sources({true,
                                         {{"10.lua", rule},
                                          {"20.lua", rule_with("job:warn('y')")},
                                          {"lib/a.lua", "\nerror('no table')"}}})
                              .findings;

    BOOST_TEST_REQUIRE(findings.size() == 1u);
    BOOST_TEST(findings[0].file == "lib/a.lua");
    BOOST_TEST(findings[0].line == 2);
    BOOST_TEST(findings[0].message == "no table");
}

BOOST_AUTO_TEST_CASE(find_nothing_in_good_modules) {
    const PolicyReport report =
        check_sources({true,
                       {{"10.lua", "local a = require('limits')\n" + rule_with("a.check(job)")},
                        {"lib/limits.lua", limits_module}}});

    BOOST_TEST(report.findings.empty());
    BOOST_TEST(report.rules.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
