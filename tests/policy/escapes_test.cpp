// SPDX-License-Identifier: GPL-2.0-or-later
//
// Known ways to escape from an embedded Lua: from its budget, its memory, its sandbox. Each must soon end as
// an error of the rule, and the process must be able to judge the next job.
#include "support/sanitized.hpp"
#include "support/script_setup.hpp"
#include "support/small_view.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::policy;
using namespace qg::test;

namespace {

struct Escape {
    std::string name;
    std::string body;
    std::string error;         ///< part of the error's text
    std::string or_error = {}; ///< if it depends on the machine which bound is exceeded first
};

const std::string spent = "more than 100000 instructions for one job (setting rule_instructions)";
const std::string late = "ms of CPU time for one job (setting rule_time_ms)";
const std::string memory = "more memory than a rule may use";

const std::vector<Escape> endless{
    {"loop", "while true do end", spent},
    {"goto loop", "::again:: goto again", spent},
    {"numeric for", "for i = 1, math.maxinteger do end", spent},
    {"generic for", "for _ in function() return 1 end do end", spent},
    {"repeat", "repeat until false", spent},
    {"recursion", "local function f() f() end f()", memory},
    {"recursion with results", "local function f(n) return 1 + f(n + 1) end f(1)", memory},
    {"tail calls", "local function f() return f() end f()", spent},
    {"pcall around a loop", "pcall(function() while true do end end)", spent},
    {"pcall in a loop", "while true do pcall(function() while true do end end) end", spent},
    // The stack grows too large, if there is time for it.
    {"nested pcall", "local function f() pcall(f) f() end f()", memory, late},
    {"pcall recursion", "local function f() return pcall(f) end f() while true do end", spent},
    {"pcall of pcall of error", "while true do pcall(pcall, error) end", spent},
    {"loop in a sort comparison", "table.sort({1, 2, 3}, function() while true do end end)", spent},
    {"inconsistent sort comparison",
     "local t = {} for i = 1, 1000 do t[i] = i end while true do table.sort(t, function() return true end) "
     "end",
     spent},
    {"sort of long equal texts",
     "local t, s = {}, ('x'):rep(60000) for i = 1, 500 do t[i] = s .. i % 7 end while true do table.sort(t) "
     "end",
     memory},
    {"loop in gsub", "('x'):gsub('x', function() while true do end end)", spent},
    {"loop in gmatch", "for _ in ('x'):gmatch('x') do while true do end end", spent},
};

const std::vector<Escape> inside_c{
    {"backtracking in find", "(('a'):rep(400)):find(('a-'):rep(20) .. 'b')", spent},
    {"backtracking in match", "(('a'):rep(400)):match(('a*'):rep(20) .. 'b')", spent},
    {"backtracking in gmatch",
     "for _ in (('a'):rep(400)):gmatch(('a?'):rep(100) .. ('a'):rep(300) .. 'b') do end", spent},
    {"backtracking in gsub", "(('a'):rep(400)):gsub(('(a*)'):rep(9) .. 'b', '')", spent},
    {"quadratic find", "while true do (('a'):rep(60000)):find('a*b') end", spent},
    {"plain search over and over", "local s = ('a'):rep(60000) while true do s:find('ab', 1, true) end",
     spent},
    {"balanced search", "(('('):rep(60000)):find('%b()')", spent},
    {"wide set", "(('a'):rep(60000)):find('[' .. ('b'):rep(60000) .. ']')", spent},
    {"back reference", "(('a'):rep(60000)):find('(a*)%1b')", spent},
    {"frontier", "(('a'):rep(60000)):find('%f[' .. ('b'):rep(60000) .. ']')", spent},
    {"empty rep", "while true do (''):rep(math.maxinteger) end", spent},
    {"table.move over nothing", "table.move({}, 1, math.maxinteger - 1, 2)", spent},
    {"table.move over nothing behind a loop",
     "for i = 1, 200 do end table.move({}, 1, math.maxinteger - 1, 2)", spent},
    {"table.unpack of nothing behind a loop",
     "for i = 1, 200 do end pcall(table.unpack, {}, 1, math.maxinteger) table.unpack({}, math.mininteger, "
     "-1)",
     spent},
    {"table.concat of nothing", "table.concat({}, '', 1, math.maxinteger)", spent},
    {"table.unpack of nothing", "table.unpack({}, 1, 1e8)", spent},
    {"table.insert in front",
     "local t = {} for i = 1, 10000 do t[i] = i end while true do table.insert(t, 1, 1) table.remove(t, 1) "
     "end",
     spent},
    {"next over an emptied table",
     "local t = {} for i = 1, 8000 do t[i] = i end for i = 1, 8000 do t[i] = nil end while true do next(t) "
     "end",
     spent, late},
};

/// A long text, and a number with many digits.
const std::string long_texts = "local s, z = ('x'):rep(60000), ('0'):rep(60000) .. '1' while true do ";

/// What C functions read and make of texts: each call takes instructions.
const std::vector<std::pair<const char*, std::string>> work_on_texts{
    {"upper", "s:upper()"},
    {"lower", "string.lower(s)"},
    {"reverse", "s:reverse()"},
    {"sub", "s:sub(2)"},
    {"byte", "s:byte(1, 8000)"},
    {"char", "string.char(s:byte(1, 8000))"},
    {"format", "string.format('%s', s)"},
    {"concat", "table.concat({s})"},
    {"pack", "table.pack(s:byte(1, 8000))"},
    {"tonumber", "tonumber(z)"},
    {"tonumber with a base", "tonumber(z, 2)"},
    {"a rounded text", "math.floor(z)"},
    {"the root of a text", "math.sqrt(z)"},
    {"a text as a place", "('x'):sub(z)"},
    {"a text as a place to search at", "('x'):find('y', z, true)"},
    {"a text as a count", "('x'):rep(z)"},
    {"a text as a maximum of gsub", "('x'):gsub('y', '', z)"},
    {"a text as an index", "table.unpack({}, z)"},
    {"a text for select", "select(z, 1)"},
};

const std::vector<Escape> greedy{
    {"rep", "local s = ('x'):rep(1 << 40)", "resulting string too large (at most 65536 bytes)"},
    {"rep with separator", "local s = ('x'):rep(2, ('y'):rep(65000))",
     "resulting string too large (at most 65536 bytes)"},
    {"doubling", "local s = 'x' while true do s = s .. s end", memory},
    {"many long texts", "local t, s = {}, ('x'):rep(60000) for i = 1, 1e4 do t[i] = s .. i end", memory},
    {"dropped long texts", "local s = ('x'):rep(60000) for i = 1, 1e4 do local d = s .. i end", memory},
    {"table without end", "local t = {} for i = 1, 1e8 do t[i] = i end", memory},
    {"keys without end", "local t = {} for i = 1, 1e8 do t[i .. ''] = i end", memory},
    {"tables in tables", "local t = {} while true do t = {t, t} end", spent},
    {"closures", "local f = {} while true do local g = f f = function() return g end end", spent},
    {"concat of a giant", "local t, s = {}, ('x'):rep(60000) for i = 1, 100 do t[i] = s end table.concat(t)",
     memory},
    {"format of giants",
     "local s = ('x'):rep(60000) string.format(('%s'):rep(50), table.unpack({s, s, s, s, s}))", memory},
    {"gsub that grows", "(('x'):rep(60000)):gsub('x', ('y'):rep(60000))", memory},
    {"unpack of much",
     "local t = {} for i = 1, 15000 do t[i] = i end while true do select('#', table.unpack(t)) end", memory},
    {"byte of a long text", "local s = ('x'):rep(65536) while true do s:byte(1, -1) end", memory},
    {"pcall around memory",
     "local t = {} while true do pcall(function() t[#t + 1] = ('x'):rep(60000) end) end", spent},
};

const std::vector<Escape> doors{
    {"coroutine", "coroutine.wrap(function() while true do end end)()", "unknown name 'coroutine'"},
    {"xpcall", "xpcall(error, function() while true do end end)", "unknown name 'xpcall'"},
    {"load", "load('x')", "unknown name 'load'"},
    {"loadstring", "loadstring('x')", "unknown name 'loadstring'"},
    {"dofile", "dofile('/etc/passwd')", "unknown name 'dofile'"},
    {"require", "require 'os'", "there is no module 'os'"},
    {"package", "return package.loaded", "unknown name 'package'"},
    {"io", "io.open('/etc/passwd')", "unknown name 'io'"},
    {"os", "os.execute('true')", "unknown name 'os'"},
    {"debug", "debug.sethook()", "unknown name 'debug'"},
    {"collectgarbage", "collectgarbage('stop')", "unknown name 'collectgarbage'"},
    {"getmetatable", "getmetatable('').__index.rep = nil", "unknown name 'getmetatable'"},
    {"setmetatable with __gc", "setmetatable({}, {__gc = function() while true do end end})",
     "unknown name 'setmetatable'"},
    {"rawset", "rawset(string, 'rep', nil)", "unknown name 'rawset'"},
    {"rawget", "rawget(string, 'rep')", "unknown name 'rawget'"},
    {"_G", "_G.x = 1", "unknown name '_G'"},
    {"_ENV", "_ENV.x = 1", "'x' is not declared"},
    {"_ENV with pairs", "for k in pairs(_ENV) do error(k) end error('nothing')", "nothing"},
    {"to-be-closed table", "local t <close> = {}", "got a non-closable value"},
    {"string.dump", "string.dump(function() end)", "attempt to call a nil value (field 'dump')"},
    {"wide format", "string.format('%99999d', 1)", "invalid conversion"},
    {"wide format of our own", "job:reject('%99999d', 1)", "%99999d"},
    {"error with a table", "error({})", "the error is a table and no text"},
    {"error with nil", "error()", "nil"},
    {"error with a function", "error(print)", "unknown name 'print'"},
    {"job as a table", "job.__gc = function() end", "unknown field '__gc' of job"},
    {"job's metatable", "return job.__index", "unknown field '__index' of job"},
    {"job in table.insert", "table.insert(job, 1)", "table expected"},
    {"job's functions", "job.reject = nil", "job's functions cannot be changed"},
    {"rule inside a rule", "rule { submit = function() end }", "is for the time when the file is loaded"},
};

const std::string giant = "local s, view = ('x'):rep(60000), view ";
const std::string for_ever = "while true do pcall(function() ";

const std::vector<Escape> objects{
    {"view in a loop", "while true do local x = view.qos('normal').Priority end", spent},
    {"giant names of QOSs", giant + for_ever + "return view.qos(s) end) end", spent, late},
    {"giant fields of view", giant + for_ever + "return view.qos('normal')[s] end) end", spent, late},
    {"giant groups", giant + for_ever + "return view.user.in_group(s) end) end", spent, late},
    {"giant filters", giant + for_ever + "return view.jobs{ user = s } end) end", spent, late},
    {"unknown filters", giant + for_ever + "return view.jobs{ [s] = s } end) end", spent, late},
    {"parts without end", "local i = 0 while true do i = i + 1 job:add('features', 'f' .. i) end", spent},
    {"giant part", "job:add('features', ('x'):rep(60000))", "features"},
    {"unknown list", "job:add(('x'):rep(60000), 'x')", "xxx"},
    {"a column that is not there",
     "local m, s = data('map.csv'), ('x'):rep(60000) " + for_ever + "return m[1][s] end) end", spent, late},
    {"a long list joined", "table.concat(data('list.json'), ',')", memory, spent},
    {"a long list unpacked", "table.unpack(data('list.json'))", memory, spent},
    {"writing a field of the job", "job.uid = 0", "uid"},
    {"writing data", "data('map.csv')[1].a = 'x'", "data of map.csv cannot be changed"},
    {"table.insert into data", "table.insert(data('list.json'), 1)", "data of list.json cannot be changed"},
    {"table.sort of data", "table.sort(data('list.json'))", "table expected"},
    {"next over view", "next(view)", "table expected", "next"},
};

std::string long_list() {
    std::string list = "[0";
    for (int i = 1; i < 50'000; ++i)
        list += "," + std::to_string(i);
    return list + "]";
}

/// Runs every escape between two normal jobs of one policy.
void check_contained(const std::vector<Escape>& escapes) {
    static const std::string list = long_list();
    for (const Escape& escape : escapes) {
        BOOST_TEST_CONTEXT(escape.name) {
            const std::string body = at_run_time("local view = view; " + escape.body);
            const auto policy =
                policy_of({{"site.lua", patient_site},
                           {"data/list.json", list},
                           {"data/map.csv", "a,b\n1,2\n"},
                           {"t.lua", viewing_rule("if job.name == 'evil' then\n" + body + "\nend")}});
            const Job innocent;
            BOOST_TEST(!run_with_view(*policy, innocent).rejected);

            Job evil;
            evil.request.name = "evil";
            const auto [outcome, seconds] = run_patiently_with_view(*policy, evil);

            BOOST_TEST(outcome.rejected);
            BOOST_TEST_REQUIRE(!outcome.events.empty());
            const std::string said = outcome.reject_message + outcome.events[0].text;
            const bool is_the_other = !escape.or_error.empty() && has_text(said, escape.or_error);
            // Where C functions are slow, their time is over before what they count.
            const bool is_of_amounts = escape.error == memory || escape.error == spent;
            const bool is_slow = slowness > 1 && is_of_amounts && has_text(said, late);
            const bool is_as_expected = is_the_other || is_slow || has_text(said, escape.error);
            BOOST_TEST(is_as_expected, outcome.events[0].text);
            BOOST_TEST(seconds < 0.5);
            BOOST_TEST(!run_with_view(*policy, innocent).rejected);
        }
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(escapes)

BOOST_AUTO_TEST_CASE(stops_code_without_end) {
    check_contained(endless);
}
BOOST_AUTO_TEST_CASE(stops_work_inside_c_functions) {
    check_contained(inside_c);
}
BOOST_AUTO_TEST_CASE(counts_work_on_texts_inside_c_functions) {
    std::vector<Escape> escapes;
    for (const auto& [name, call] : work_on_texts)
        escapes.push_back({name, long_texts + call + " end", spent});
    check_contained(escapes);
}
BOOST_AUTO_TEST_CASE(stops_greed_for_memory) {
    check_contained(greedy);
}
BOOST_AUTO_TEST_CASE(has_no_door_out) {
    check_contained(doors);
}

BOOST_AUTO_TEST_CASE(contains_what_reads_and_writes_objects) {
    check_contained(objects);
}

BOOST_AUTO_TEST_CASE(contains_scripts_for_job_submit_lua) {
    // Each runs for one job, between two for which the script does nothing.
    for (const auto& [body, error] : std::vector<std::pair<std::string, std::string>>{
             {"while true do end", spent},
             {"pcall(function() while true do end end)", spent},
             {"local function f() return f() end f()", spent},
             {"local function f() f() end f()", memory},
             {"local t = {} while true do t[#t + 1] = ('x'):rep(60000) end", spent},
             {"string.rep('x', 1e9)", "resulting string too large"},
             {"os['exe' .. 'cute']('true')", "os.execute: slurmctld waits for the script"},
             {"io['po' .. 'pen']('rm -rf /')", "io.popen: 'rm -rf /': slurmctld waits for the script"},
             {"local d = '/etc/' io.open(d .. 'passwd')", "is not among the files that the script may read"},
             {"local d = '/etc/' dofile(d .. 'passwd')", "is not among the files that the script may read"},
             {"package['load' .. 'lib']('x', 'y')", "package.loadlib: modules in C cannot be loaded"},
             {"loadstring('\\27Lua')()", "attempt to call a nil value"},
             {"string.dump(print)", "attempt to call a nil value (field 'dump')"},
             {"debug.sethook()", "attempt to call a nil value (field 'sethook')"},
             {"collectgarbage('stop') while true do end", spent},
             {"setmetatable(_G, { __index = function() while true do end end }) return undefined", spent},
             {"coroutine.wrap(function() end)()", "attempt to index a nil value (global 'coroutine')"},
             {"error({})", "the error is a table and no text"},
             {"for i = 1, 200 do end table.move({}, 1, 2 ^ 62, 2)", spent},
             {long_texts + "s:upper() end", spent},
             {long_texts + "string.reverse(s) end", spent},
             {long_texts + "table.concat({s}) end", spent},
             {long_texts + "tonumber(z) end", spent},
             {long_texts + "math.ceil(z) end", spent},
             {long_texts + "math.pow(z, 1) end", spent},
             {long_texts + "local x = z + 1 end", spent},
             {long_texts + "job_desc.time_limit = z end", spent},
             {long_texts + "slurm.error(s) end", spent}})
        BOOST_TEST_CONTEXT(body.substr(body.size() > 100 ? long_texts.size() : 0)) {
            ScriptSetup setup(
                {{"site.lua", patient_site},
                 {script_name, script_with("if job_desc.comment == 'evil' then\n" + body + "\nend")}});
            BOOST_TEST(!setup.run().failure.has_value());
            setup.host.fake.texts["comment"] = "evil";
            const double begin = cpu_seconds();

            const ScriptOutcome outcome = setup.run();

            BOOST_TEST(cpu_seconds() - begin < 0.5);
            BOOST_TEST_REQUIRE(outcome.failure.has_value());
            BOOST_TEST(has_text(outcome.failure->message, error), outcome.failure->message);
            setup.host.fake.texts["comment"] = "good";
            BOOST_TEST(!setup.run().failure.has_value());
        }
}

BOOST_AUTO_TEST_CASE(refuses_bytecode) {
    BOOST_TEST(has_text(load_error({{"t.lua", "\x1bLuaT"}}), "attempt to load a binary chunk"));
}

BOOST_AUTO_TEST_CASE(refuses_a_file_that_does_not_end_while_loading) {
    BOOST_TEST(
        has_text(load_error({{"t.lua", "while true do end"}}), "t.lua:1: more than 1000000 instructions"));
    BOOST_TEST(has_text(load_error({{"site.lua", "while true do end"}}), "site.lua:1: more than"));
    BOOST_TEST(has_text(load_error({{"t.lua", "local t = {} for i = 1, 1e9 do t[i] = {} end"}}), "t.lua"));
}

BOOST_AUTO_TEST_CASE(refuses_source_that_nests_too_deep) {
    BOOST_TEST(has_text(load_error({{"t.lua", "return " + std::string(10000, '(')}}), "t.lua"));
    BOOST_TEST(has_text(load_error({{"t.lua", std::string(10000, '{')}}), "t.lua"));
}

BOOST_AUTO_TEST_CASE(spends_no_more_than_the_time_limit_over_all_rules) {
    Texts files{{"site.lua", "site { rule_instructions = 10000000, rule_time_ms = 10 }"}};
    for (int i = 0; i < 20; ++i)
        files.emplace_back("r" + std::to_string(10 + i) + ".lua",
                           rule_with("while true do end", "on_error = 'allow',"));
    const auto policy = policy_of(files);
    Job job;
    const double start = cpu_seconds();

    const auto outcome = job.run(*policy);

    BOOST_TEST(!outcome.rejected);
    BOOST_TEST_REQUIRE(outcome.events.size() == 2u); // the others did not run
    BOOST_TEST(has_text(outcome.events[0].text, "more than 10 ms of CPU time"));
    BOOST_TEST(outcome.events[1].rule == "r11");
    BOOST_TEST(
        outcome.events[1].text ==
        "it was not run, nor were 18 other rules: the rules before it took more than 10 ms of CPU time for "
        "this job (setting rule_time_ms); ignored because of on_error = \"allow\"");
    BOOST_TEST(cpu_seconds() - start < 0.5);
}

BOOST_AUTO_TEST_CASE(gives_each_rule_its_own_instructions_to_the_last) {
    const std::string site = "site { rule_instructions = 10000 }";
    // A loop takes one instruction per iteration.
    const auto good = policy_of({{"site.lua", site},
                                 {"a.lua", rule_with("for i = 1, 9000 do end")},
                                 {"b.lua", rule_with("for i = 1, 9000 do end")}});
    const auto bad = policy_of({{"site.lua", site}, {"a.lua", rule_with("for i = 1, 11000 do end")}});

    BOOST_TEST(!Job().run(*good).rejected);
    BOOST_TEST(has_text(Job().run(*bad).reject_message, "more than 10000 instructions"));
}

BOOST_AUTO_TEST_CASE(does_not_let_one_job_s_garbage_fail_the_next) {
    const auto policy = one_rule("local t = {} for i = 1, 20 do t[i] = ('x'):rep(50000) .. i end");

    for (int i = 0; i < 50; ++i) {
        const auto outcome = Job().run(*policy);
        BOOST_TEST_REQUIRE(!outcome.rejected, outcome.reject_message);
    }
}

BOOST_AUTO_TEST_SUITE_END()
