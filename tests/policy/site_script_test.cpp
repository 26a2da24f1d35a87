// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/site_script.hpp"

#include "support/script_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <climits>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace qg;
using model::ScriptValue;
using policy::ErrorText;
using policy::compat::FieldType;
using policy::compat::ScriptHost;
using policy::compat::ScriptJob;
using policy::compat::ScriptOutcome;
using policy::compat::WordList;

BOOST_AUTO_TEST_SUITE(site_script)

namespace {

constexpr const char* file_name = "compat/job_submit.lua";

std::string with_body(const std::string& body, const std::string& before = {}) {
    return test::script_with(body, before);
}

/// One script and one job.
struct Setup : test::ScriptSetup {
    explicit Setup(const std::string& source, const std::string& site = {})
        : ScriptSetup(site.empty() ? test::Texts{{file_name, source}}
                                   : test::Texts{{"site.lua", site}, {file_name, source}}) {}
};

std::string told_by(const std::string& body, const std::string& before = {}) {
    return Setup(with_body(body, before)).told();
}

} // namespace

BOOST_AUTO_TEST_CASE(a_directory_without_a_script_has_none) {
    BOOST_TEST(test::policy_of({{"10-a.lua", test::rule_with("")}})->script() == nullptr);
    BOOST_TEST(policy::Policy::none()->script() == nullptr);
}

BOOST_AUTO_TEST_CASE(what_the_function_returns_is_the_code) {
    for (const auto& [returned, code] : std::map<std::string, int>{{"slurm.SUCCESS", 0},
                                                                   {"slurm.ERROR", -1},
                                                                   {"2036", 2036},
                                                                   {"slurm.ESLURM_INVALID_ACCOUNT", 2045},
                                                                   {"'17'", 17},
                                                                   {"0.9", 0},
                                                                   {"2^31 - 1", INT_MAX},
                                                                   {"2^31", INT_MIN},
                                                                   {"-2^31", INT_MIN},
                                                                   {"1e300", INT_MIN},
                                                                   {"0/0", INT_MIN},
                                                                   {"nil", 0},
                                                                   {"'no'", 0},
                                                                   {"true", 0}})
        BOOST_TEST_CONTEXT(returned) {
            const auto outcome = Setup(with_body("do return " + returned + " end")).run();

            BOOST_TEST(!outcome.failure);
            BOOST_TEST(outcome.code == code);
        }
}

BOOST_AUTO_TEST_CASE(methods_that_a_script_adds_to_texts_work) {
    const std::string before =
        "function string:split(separator)\n"
        "local parts = {}\n"
        "self:gsub('([^' .. separator .. ']+)', function(part) table.insert(parts, part) "
        "end)\nreturn parts\nend\n";

    BOOST_TEST(told_by("slurm.log_user('%d', table.getn(('a:b'):split(':')))", before) == "2");
}

BOOST_AUTO_TEST_CASE(an_exponent_reads_as_in_lua_5_1) {
    for (const auto& [exponent, told] : std::map<std::string, std::string>{
             {"2", "12"}, {"2^32 + 2", "12"}, {"-1", "1.5"}, {"1e10", "inf"}, {"1e300", "3"}, {"0/0", "3"}})
        BOOST_TEST_CONTEXT(exponent)
    BOOST_TEST(told_by("slurm.log_user('%g', math.ldexp(3, " + exponent + "))") == told);
}

BOOST_AUTO_TEST_CASE(numbers_read_as_under_lua_5_1) {
    for (const auto& [expression, text] : std::map<std::string, std::string>{
             {"'' .. submit_uid", "1000"},
             {"4 / 2 .. ''", "2"},
             {"'a' .. 4 / 2 .. 'b' .. 7 / 2", "a2b3.5"},
             {"'x' .. (4 / 2) .. -(6 / 3)", "x2-2"},
             {"tostring(job_desc.time_limit / 60)", "1.5"},
             {"tostring(2 ^ 40)", "1099511627776"},
             {"table.concat({ 4 / 2, 'x', 1 }, '-')", "2-x-1"},
             {"string.format('%d %s %5.1f %u', 7 / 2, 4 / 2, 2, 9)", "3 2   2.0 9"},
             {"string.format('%d%%', 12.7)", "12%"},
             {"#'ab' .. 'c' == '2c' and 'yes' or 'no' .. 1", "yes"},
             {"select('#', 'a' .. (function() return 1, 2, 3 end)())", "1"},
             {"('a' .. 1):upper() .. ({ x = 'y' .. 2 }).x", "A1y2"},
             {"'a' .. [[b]] .. 'c'", "abc"}})
        BOOST_TEST_CONTEXT(expression) {
            BOOST_TEST(told_by("slurm.user_msg(" + expression + ")") == text);
        }
}

BOOST_AUTO_TEST_CASE(joining_calls_metamethods_and_names_what_cannot_be_joined) {
    const std::string make = "local t = setmetatable({}, { __concat = function(a, b) return 'joined' end }) ";

    BOOST_TEST(told_by(make + "slurm.user_msg(t .. 'x')") == "joined");
    BOOST_TEST(told_by(make + "slurm.user_msg('x' .. 1 .. t)") == "xjoined");
    BOOST_TEST(told_by("slurm.user_msg('x' .. nothing)") ==
               "compat/job_submit.lua:2: attempt to concatenate a nil value");
}

BOOST_AUTO_TEST_CASE(functions_of_lua_5_1_exist) {
    for (const auto& [expression, text] :
         std::map<std::string, std::string>{{"table.getn({ 1, 2 })", "2"},
                                            {"unpack({ 'a' })", "a"},
                                            {"loadstring('return ' .. 1 + 1)()", "2"},
                                            {"tostring(loadstring('x x'))", "nil"},
                                            {"table.maxn({ 1, [10] = 2 })", "10"},
                                            {"math.pow(2, 3)", "8"},
                                            {"math.mod(7, 4)", "3"},
                                            {"type(string.gfind)", "function"},
                                            {"tostring(coroutine)", "nil"},
                                            {"tostring(undefined)", "nil"},
                                            {"os.date('!%Y', 0)", "1970"}})
        BOOST_TEST_CONTEXT(expression) {
            BOOST_TEST(told_by("slurm.user_msg(" + expression + ")") == text);
        }
}

BOOST_AUTO_TEST_CASE(a_shebang_line_ends_of_windows_and_old_escapes_are_accepted) {
    BOOST_TEST(Setup("\xef\xbb\xbf#!/usr/bin/lua\r\n" + with_body("slurm.user_msg('a\\.b\\/')\r")).told() ==
               "a.b/");
}

BOOST_AUTO_TEST_CASE(reads_and_writes_the_job) {
    Setup setup(with_body(
        "job_desc.qos = 'high' job_desc.time_limit = '30' job_desc.comment = 4 / 2 "
        "job_desc.nonsense = 1 "
        "job_desc.environment.FOO = 5 "
        "slurm.log_user('%s %s %s %s %s', job_desc.account, tostring(job_desc.nothing), "
        "job_desc.argv[0], tostring(job_desc.min_nodes == slurm.NO_VAL), job_desc.environment.HOME)"));

    const ScriptOutcome outcome = setup.run();

    BOOST_TEST(outcome.message.value_or("") == "astro nil job.sh true /home/ana");
    BOOST_TEST(setup.host.fake.texts["qos"] == "high");
    BOOST_TEST(setup.host.fake.texts["comment"] == "2");
    BOOST_TEST(setup.host.fake.numbers["time_limit"] == 30);
    BOOST_TEST(setup.host.fake.variables["FOO"] == "5");
    BOOST_TEST_REQUIRE(outcome.lines.size() == 1u);
    BOOST_TEST(outcome.lines[0].text == "_set_job_field: unrecognized field: nonsense");
}

BOOST_AUTO_TEST_CASE(wrong_values_and_what_the_job_refuses_are_failures) {
    for (const auto& [statement, words] :
         std::map<std::string, std::string>{{"job_desc.qos = nil", "string expected, got nil"},
                                            {"job_desc.time_limit = 'soon'", "number expected, got string"},
                                            {"job_desc.time_limit = nil", "number expected, got nil"},
                                            {"job_desc.account = 'bio'", "the account cannot be set"},
                                            {"local x = job_desc.user_name", "the name is not known"}})
        BOOST_TEST_CONTEXT(statement) {
            const auto outcome = Setup(with_body(statement)).run();

            BOOST_TEST_REQUIRE(outcome.failure.has_value());
            BOOST_TEST(outcome.failure->message.find(words) != std::string::npos, outcome.failure->message);
        }
}

BOOST_AUTO_TEST_CASE(part_list_has_the_partitions_that_the_user_may_use) {
    const std::string count = "local names = {} for name in pairs(part_list) do names[#names + 1] = name end "
                              "slurm.log_user('%d %s', #names, table.concat(names))";

    BOOST_TEST(told_by(count) == "1 main");
    BOOST_TEST(told_by("slurm.log_user('%s', next(part_list))") == "main");
    BOOST_TEST(told_by("slurm.log_user('%d %s', part_list.main.max_time, tostring(part_list.secret))") ==
               "60 nil");
    BOOST_TEST(told_by("slurm.log_user('%s %s', type(part_list), tostring(part_list.main.nothing))") ==
               "table nil");
}

BOOST_AUTO_TEST_CASE(partitions_that_are_not_known_fail_only_scripts_that_read_them) {
    Setup reader(with_body("local x = part_list.main"));
    reader.host.knows_partitions = false;
    Setup other(with_body(""));
    other.host.knows_partitions = false;

    BOOST_TEST(reader.run().failure->message.ends_with("the partitions are not known yet"));
    BOOST_TEST(!other.run().failure);
}

BOOST_AUTO_TEST_CASE(groups_that_are_not_known_fail_each_look_at_the_partitions) {
    for (const std::string_view look :
         {"local x = part_list.secret", "for name in pairs(part_list) do end", "local x = next(part_list)",
          "pcall(next, part_list) local x = next(part_list)"})
        BOOST_TEST_CONTEXT(look) {
            Setup setup(with_body(std::string(look)));
            setup.host.knows_groups = false;
            BOOST_TEST(setup.told().ends_with("ana is not known yet"));
            setup.host.knows_groups = true;
            BOOST_TEST(setup.told() == "");
        }
}

BOOST_AUTO_TEST_CASE(whether_a_script_looks_at_the_partitions) {
    const auto reads = [](const std::string& source) {
        return test::policy_of({{file_name, source}})->script()->reads_partitions();
    };
    BOOST_TEST(!reads(with_body("slurm.log_info('part_list')")));
    BOOST_TEST(reads(with_body("local p = part_list")));
    BOOST_TEST(reads(with_body("choose(part_list)", "function choose(list) end ")));
    BOOST_TEST(!reads("function slurm_job_submit(j) return 0 end"));
    BOOST_TEST(reads("function slurm_job_submit(...) return 0 end"));
    BOOST_TEST(!reads("slurm_job_submit = function(j, parts, uid) return uid end"));
    BOOST_TEST(reads("slurm_job_submit = function(j, parts, uid) return next(parts) end"));
    BOOST_TEST(reads("local f = function() return 0 end _G['slurm_job_submit'] = f"));
    const std::string modify = "function slurm_job_modify(job_desc, job_rec, part_list, modify_uid) return ";
    BOOST_TEST(!reads(with_body("") + modify + "job_rec.nice end"));
    BOOST_TEST(reads(with_body("") + modify + "part_list.main.max_time end"));
}

BOOST_AUTO_TEST_CASE(a_partition_of_an_earlier_call_cannot_be_read) {
    Setup setup(with_body("kept = kept or part_list.main slurm.log_user('%d', kept.max_time)"));

    BOOST_TEST(setup.told() == "60");
    BOOST_TEST(setup.told().find("a partition of an earlier call") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(globals_live_from_call_to_call) {
    Setup setup(with_body("calls = calls + 1 slurm.log_user('%d', calls)", "calls = 0 "));

    BOOST_TEST(setup.told() == "1");
    BOOST_TEST(setup.told() == "2");
    setup.policy->refill();
    BOOST_TEST(setup.told() == "3");
}

BOOST_AUTO_TEST_CASE(a_script_that_spends_its_budget_fails_and_begins_anew) {
    for (const std::string_view loop :
         {"while true do end", "pcall(function() while true do end end)",
          "xpcall(function() while true do end end, function() while true do end end)",
          "local t = {} while true do t[#t + 1] = ('x'):rep(60000) end",
          "local s = ('a'):rep(30000) s:find(('a-'):rep(40) .. 'b')",
          "local function f() return 1 + f() end f()"})
        BOOST_TEST_CONTEXT(loop) {
            Setup setup(with_body("calls = calls + 1 if calls == 2 then " + std::string(loop) +
                                      " end slurm.log_user('%d', calls)",
                                  "calls = 0 "));

            BOOST_TEST(setup.told() == "1");
            BOOST_TEST(setup.run().failure.has_value());
            const std::string next = setup.told();
            const bool is_anew = next == "1" || next == "3"; // an endless recursion may end before the budget
            BOOST_TEST(is_anew, next);
            setup.policy->refill();
        }
}

BOOST_AUTO_TEST_CASE(a_finalizer_never_runs) {
    BOOST_TEST(told_by("local t = setmetatable({}, { __gc = function() ran = true end }) t = nil "
                       "for i = 1, 2000 do local x = {} end slurm.log_user('%s', tostring(ran))") == "nil");
    BOOST_TEST(told_by("local m = { __gc = 1, __index = { a = 5 } } "
                       "slurm.log_user('%d %d', setmetatable({}, m).a, m.__gc)") == "5 1");
}

BOOST_AUTO_TEST_CASE(a_script_of_another_name_does_not_pass_for_none) {
    const std::string script = with_body("");
    BOOST_TEST(test::load_error({{"compat/job-submit.lua", script}}) ==
               "compat/job-submit.lua: the script for job_submit/lua is compat/job_submit.lua, and for "
               "cli_filter/lua compat/cli_filter.lua: rename the file, "
               "or move it away");
    BOOST_TEST(test::load_error({{"compat/helper.lua", "return {}"}, {file_name, script}}) == "");
}

BOOST_AUTO_TEST_CASE(a_script_that_cannot_be_called_does_not_load) {
    const auto error = [](const std::string& source) { return test::load_error({{file_name, source}}); };

    BOOST_TEST(error("x = 1") == "compat/job_submit.lua: missing required function "
                                 "slurm_job_submit(job_desc, part_list, submit_uid)");
    BOOST_TEST(error("function slurm_job_submit( end").starts_with("compat/job_submit.lua:1: "));
    BOOST_TEST(
        error(with_body("") + "return slurm.ERROR").ends_with("the script returned -1 when it was loaded"));
    BOOST_TEST(error(with_body("") + "return slurm.SUCCESS") == "");
    BOOST_TEST(error(with_body("") + "while true do end").find("more than 1000000 instructions") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_change_has_the_job_before_it) {
    Setup setup(with_body("") + "function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)\n"
                                "job_desc.comment = job_rec.comment .. job_rec.argv[1] .. modify_uid\n"
                                "slurm.log_user('%s %s', tostring(job_rec.nothing), next(part_list))\n"
                                "return 2045 end");
    setup.host.is_change = true;
    setup.host.before.texts["comment"] = "old";

    const ScriptOutcome outcome = setup.policy->script()->modify(setup.host);

    BOOST_TEST(outcome.code == 2045);
    BOOST_TEST(outcome.message.value_or("") == "nil main");
    BOOST_TEST(setup.host.fake.texts["comment"] == "oldjob.sh1000");
}

BOOST_AUTO_TEST_CASE(a_script_without_a_function_for_changes_has_no_objection) {
    Setup setup(with_body("do return slurm.ERROR end"));

    const ScriptOutcome outcome = setup.policy->script()->modify(setup.host);

    BOOST_TEST(!outcome.failure);
    BOOST_TEST(outcome.code == 0);
    BOOST_TEST(outcome.lines.empty());
}

BOOST_AUTO_TEST_CASE(messages_and_lines_are_those_of_slurms_plugin) {
    Setup setup(with_body("slurm.log_user('one %d', 1) slurm.user_msg('two %d') slurm.log_info('i') "
                          "slurm.log_error('e') slurm.log_debug2('d') slurm.log(1, 'v')"));

    const ScriptOutcome outcome = setup.run();

    BOOST_TEST(outcome.message.value_or("") == "one 1\ntwo %d");
    std::string lines;
    for (const auto& line : outcome.lines)
        lines += std::to_string(line.level) + ":" + line.text + " ";
    BOOST_TEST(lines == "0:lua: i -1:lua: e 3:lua: d 1:lua: v ");
}

BOOST_AUTO_TEST_CASE(times_and_priorities_are_slurms) {
    BOOST_TEST(told_by("local t = slurm.time_str2mins slurm.log_user('%d %d %d %d %d', t('10'), t('1-0'), "
                       "t('0:0:30'), t('UNLIMITED'), t('x'))") == "10 1440 1 -1 -2");
    BOOST_TEST(told_by("slurm.log_user('%s %s', slurm.get_qos_priority('high'), "
                       "tostring((slurm.get_qos_priority('none'))))") == "70 nil");
}

BOOST_AUTO_TEST_CASE(the_site_decides_what_a_failure_leads_to) {
    const std::string failing = with_body("error('oops')");
    const Setup setup(failing, "site { contact = 'help@example.org' }");

    BOOST_TEST(!setup.policy->script()->allows_on_error());
    BOOST_TEST(Setup(failing, "site { compat_on_error = 'allow' }").policy->script()->allows_on_error());
    BOOST_TEST(setup.policy->script()->describe_failure(
                   {"job_submit.lua:2: oops", "", policy::Exhausted::nothing}) ==
               "This job was not accepted because the site's script compat/job_submit.lua failed: "
               "job_submit.lua:2: oops; please tell help@example.org");
    BOOST_TEST(
        test::load_error({{"site.lua", "site { compat_on_error = 'warn' }"}}).find("\"deny\" or \"allow\"") !=
        std::string::npos);
}

BOOST_AUTO_TEST_CASE(numbers_do_not_overflow) {
    for (const char* product :
         {"job_desc.min_nodes * job_desc.min_nodes * 4", "tonumber('9223372036854775807') * 2",
          "'9223372036854775807' * 2", "'9223372036854775807' + '1'", "9223372036854775807 * 2",
          "0x7fffffffffffffff * 2", "math.floor(9223372036854774784) * 2", "-(-9223372036854775807 - 1) * 2"})
        BOOST_TEST(told_by(std::string("slurm.log_user('%s', tostring(") + product + " > 1e18))") == "true",
                   product);
    for (const auto& [expression, text] : std::map<std::string, std::string>{{"7", "7"},
                                                                             {"0x1F", "31"},
                                                                             {"'10' + 1", "11"},
                                                                             {"10 / 4", "2.5"},
                                                                             {"-'3'", "-3"},
                                                                             {"1e15", "1e+15"}})
        BOOST_TEST(told_by("slurm.log_user('%s', '' .. (" + expression + "))") == text, expression);
    BOOST_TEST(
        told_by(
            "local t = {} for i = 1, 3 do t[i] = i end slurm.log_user('%d %s', #t, table.concat(t, ','))") ==
        "3 1,2,3");
    BOOST_TEST(told_by("slurm.log_user('%s', ('x'):rep(3) .. ('abc'):sub(2, 2))") == "xxxb");
}

BOOST_AUTO_TEST_CASE(a_text_that_is_too_long_is_an_error) {
    Setup setup(with_body("slurm.log_user('%d', #job_desc.comment)"));
    setup.host.fake.texts["comment"] = std::string(65536, 'x');
    BOOST_TEST(setup.told() == "65536");
    setup.host.fake.texts["comment"] += 'x';
    BOOST_TEST(test::has_text(setup.told(), "the text is longer than 65536 bytes"));
}

BOOST_AUTO_TEST_CASE(a_script_that_takes_its_function_away_fails) {
    Setup setup(with_body("slurm_job_submit = nil error('x')"));
    BOOST_TEST(setup.run().failure.has_value());
    BOOST_TEST(setup.run().failure.has_value());
}

BOOST_AUTO_TEST_CASE(metatables_of_objects_are_out_of_reach) {
    for (const char* object : {"job_desc", "part_list", "job_desc.environment", "part_list.main"})
        BOOST_TEST(told_by(std::string("slurm.log_user('%s', tostring(getmetatable(") + object + ")))") ==
                       "false",
                   object);
    BOOST_TEST(test::has_text(told_by("setmetatable(job_desc, {})"), "protected metatable"));
    BOOST_TEST(test::has_text(told_by("setmetatable(job_desc, undefined)"), "so remove this call"));
}

BOOST_AUTO_TEST_CASE(a_metamethod_of_texts_does_not_outlive_a_bound) {
    const std::string before = "getmetatable('').__tostring = function() while true do end end\n";
    BOOST_TEST(test::has_text(told_by("while true do end", before), "instructions"));
}

BOOST_AUTO_TEST_CASE(code_behind_literals_and_comments_is_read_as_lua_reads_it) {
    BOOST_TEST(told_by("local x = submit_uid .. 'b'\n(slurm.log_user)('%s', x)") == "1000b");
    BOOST_TEST(told_by("local n = 4 / 2 -- c\rslurm.log_user('%s', 'n' .. n)") == "n2");
    BOOST_TEST(told_by("slurm.log_user('%s', tostring(not nil) .. '!')") == "true!");
    const std::string deep = "local f = loadstring('return ' .. ('not '):rep(8000) .. '1') ";
    const auto start = test::cpu_seconds();
    told_by(deep + "slurm.log_user('%s', type(f))");
    BOOST_TEST(test::cpu_seconds() - start < 1.0);
}

BOOST_AUTO_TEST_SUITE_END()
