// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/name_check.hpp"

#include "qosgate/policy/check/lua_tokens.hpp"
#include "qosgate/policy/findings.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <iterator>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

/// Why one rule with this body does not load; "" if it does.
std::string problem_in(const std::string& body) {
    return load_error({{"t.lua", rule_with(body)}});
}

std::string problem_in_file(const std::string& source) {
    return load_error({{"t.lua", source}});
}

/// The same when everything is looked for: "file:line: what" of the first finding.
std::string first_finding_in(const std::string& body) {
    const auto findings = check_sources({true, {{"t.lua", rule_with(body)}}}).findings;
    if (findings.empty()) return "";
    const Finding& first = findings.front();
    return text::format("{}:{}: {}", first.file, first.line, first.message);
}

/// A body and the beginning of its error.
struct MisspeltName {
    const char* body;
    const char* complaint;
    friend std::ostream& operator<<(std::ostream& out, const MisspeltName& mistake) {
        return out << mistake.body;
    }
};

const MisspeltName misspelt_names[] = {
    {"if job.nodes > 2 then job:warn('%d', job.node) end",
     "t.lua:2: unknown field 'node' of job; did you mean nodes?"},
    {"\nif false then job.qoss = 'x' end", "t.lua:3: unknown field 'qoss' of job; did you mean qos?"},
    {"if false then job['qoss'] = 'x' end", "t.lua:2: unknown field 'qoss' of job"},
    {"if false then job:rejct('no') end", "t.lua:2: unknown function 'job:rejct'; did you mean reject?"},
    {"if false then return job:is_set('qoss') end", "t.lua:2: unknown field 'qoss' of job"},
    {"if false then return job:is_set \"qoss\" end", "t.lua:2: unknown field 'qoss' of job"},
    {"if false then job.reject('no') end", "t.lua:2: write job:reject(...), with a colon"},
    {"\nif false then job.warn \"no\" end", "t.lua:3: write job:warn(...), with a colon"},
    {"if false then job.reject() end", "t.lua:2: write job:reject(...), with a colon"},
    {"if false then return job.is_set('qos') end", "t.lua:2: write job:is_set(...), with a colon"},
    {"local x = 'no' if false then job.reject(x) end", "t.lua:2: write job:reject(...), with a colon"},
    {"if false then job.reject(job.name) end", "t.lua:2: write job:reject(...), with a colon"},
    {"if false then job.warn(string.rep('x', 3)) end", "t.lua:2: write job:warn(...), with a colon"},
    {"if false then job.warn(('x'):rep(3)) end", "t.lua:2: write job:warn(...), with a colon"},
    {"if false then return job:nodes() end", "t.lua:2: 'nodes' is a field and no function: write job.nodes"},
    {"if false then slurm.log_user('no') end", "t.lua:2: unknown name 'slurm': rules have job:reject(...)"},
    {"if false then job.gpus = 1 end", "t.lua:2: job.gpus cannot be changed"},
    {"if false then strng.rep('x', 2) end", "t.lua:2: unknown name 'strng'; did you mean string?"},
    {"if false then string.fromat('x') end", "t.lua:2: string has no 'fromat'; did you mean format?"},
    {"if false then math.random(2) end", "t.lua:2: math has no 'random'"},
    {"if false then table.concatt({}) end", "t.lua:2: table has no 'concatt'; did you mean concat?"},
    {"if false then count = 1 end", "t.lua:2: 'count' is not declared; write 'local count = ...'"},
    {"if false then function helper() end end", "t.lua:2: 'helper' is not declared"},
    {"if false then os.exit(1) end", "t.lua:2: unknown name 'os'"},
    {"do local nodes = 1 end if false then return nodes end", "t.lua:2: unknown name 'nodes'"},
    {"for i = 1, 0 do end if false then return i end", "t.lua:2: unknown name 'i'"},
    {"local t = { name = nam }", "t.lua:2: unknown name 'nam'"},
    {"local function f(a) return a end if false then f(a) end", "t.lua:2: unknown name 'a'"},
    {"if false then job:warn([[a\n]] .. job.nodess) end", "t.lua:3: unknown field 'nodess' of job"},
    {"local f = function() return function() return job.nodess end end", "t.lua:2: unknown field 'nodess'"},
};

const char* const good_bodies[] = {
    "local job = {} job.anything = 1",
    "job = { anything = 1 } local x = job.anything",
    "pcall(function() return job.from_a_later_release end)",
    "local string = { trim = function(s) return s end } string.trim('x')",
    "local t = { unknown = 1, [1] = 2; other = 3 } t.unknown = t.other",
    "local t = {} t.job = { node = 1 } if t.job.node then return end",
    "for k, v in pairs({}) do local x <const> = k .. v end",
    "local i = 1 repeat local done = i > 2 i = i + 1 until done",
    "local a, b <const> = 1, 2 a = b",
    "do goto finish end ::finish::",
    "-- job.node and strng\n--[==[ job.node ]] ]==] local x = 1",
    "local s = 'job.node \\' strng' .. \"\\z\n  x\" .. [==[ strng ]] ]==]",
    "local n = 0x1p-4 + 1e-5 + .5 + 3. + 0xA.8p1 local m = n // 2 << 1 >> 1 ~= 3",
    "local function f(...) local a, b = ... return f(a, b) end",
    "local t = { f = function(self, job) return job.node end } t:f(t)",
    "while false do if job.nodes then break elseif job.tasks then break else local x = 1 end end",
    "local name = 'qos' job[name] = 'x'",
    "if job:is_set('qos') and job:is_set(job.name or 'qos') then job:warn('x') end",
    "job.warn(job, 'x') local j = job j.warn(j, 'x') job.warn(j, 'x') local same = job.is_set(job, 'qos')",
    "local warn = job.warn warn(job, 'x') local f = job.is_set and job.reject",
    "local x = job.tres['gres/gpu'] and job.tres.cpu",
    "local _ENV = { x = 1 } y = x",
    "local f = string.format local s = ('x'):rep(3) s = s:upper() s = s.anything and 1 or f('%s', s)",
    "local t = {} function t.a() end function t:b() return self.x end t.a() t:b()",
    "job.time_limit = job.time_limit job.qos, job.partition = 'x', 'y'",
    "local x = (function() do local y = 1 end return 2 end)() for i = (function() do end return 1 end)(), 2 "
    "do x = i end",
};

} // namespace

BOOST_AUTO_TEST_SUITE(name_check)

BOOST_DATA_TEST_CASE(finds_a_misspelt_name_when_the_file_is_loaded, misspelt_names, mistake) {
    const std::string problem = problem_in(mistake.body);

    BOOST_TEST(problem.starts_with(mistake.complaint), problem);
    BOOST_TEST(first_finding_in(mistake.body) == problem);
}

BOOST_DATA_TEST_CASE(does_not_complain_of_what_could_work, good_bodies, body) {
    BOOST_TEST(problem_in(body) == "");
    BOOST_TEST(first_finding_in(body) == "");
}

BOOST_AUTO_TEST_CASE(knows_a_function_that_is_given_by_name) {
    BOOST_TEST(has_text(problem_in_file("local function check(j) if false then return j.node end end\n"
                                        "rule { submit = check }"),
                        "t.lua:1: unknown field 'node' of job"));
    BOOST_TEST(has_text(problem_in_file("local function submit(job) if false then job:rejct() end end\n"
                                        "rule({ name = 'x', submit = submit })"),
                        "t.lua:1: unknown function 'job:rejct'"));
}

BOOST_AUTO_TEST_CASE(knows_a_script_for_job_submit_lua) {
    for (const char* name : {"slurm_job_submit", "slurm_job_modify"}) {
        const std::string script =
            text::format("function {}(job_desc, part_list, submit_uid)\n  return slurm.SUCCESS\nend", name);
        BOOST_TEST(problem_in_file(script) ==
                   "t.lua:1: this is a script for job_submit/lua: a rule is written "
                   "'rule { submit = function(job) ... end }', see the guide job-submit-lua.md");
    }
    BOOST_TEST(problem_in_file("slurm.log_info('loaded')")
                   .starts_with("t.lua:1: unknown name 'slurm': rules have job:reject(...)"));
}

BOOST_AUTO_TEST_CASE(does_not_take_other_functions_for_a_rule_s) {
    const std::string rule = "rule { submit = function(job) end }";
    BOOST_TEST(problem_in_file("local function describe(job) return job.node end " + rule) == "");
    BOOST_TEST(problem_in_file("local t = { submit = function(job) return job.node end } " + rule) == "");
    BOOST_TEST(problem_in_file("local function check(job) return job.node end check = function() end "
                               "rule { submit = check }") == "");
}

BOOST_AUTO_TEST_CASE(leaves_the_rest_to_the_time_when_rules_run) {
    const auto outcome = outcome_of_rule("local name = 'nodess' return job[name]");

    BOOST_TEST(has_text(outcome.reject_message, "unknown field 'nodess' of job; did you mean nodes?"));
}

BOOST_AUTO_TEST_CASE(takes_linear_time) {
    std::string body;
    while (body.size() < max_file_bytes - 100)
        body += "repeat local x = {f = (1)} until x\n";
    const KnownNames known{{"rule", {}}};

    // Each would take minutes if it grew with the square.
    BOOST_TEST(check_names(body, "t.lua", known).has_value());
    BOOST_TEST(find_code_problems(body, known).empty());
}

BOOST_AUTO_TEST_CASE(survives_source_that_is_no_lua) {
    const std::string bytes =
        "function ( { [ [[ ]] ]=] \" \\ ' end end until } ) ] :: : . goto local for 0x1p- -- --[[ x\n";
    for (std::size_t begin = 0; begin < bytes.size(); ++begin)
        for (std::size_t length = 0; begin + length <= bytes.size(); ++length) {
            (void)check_names(std::string_view(bytes).substr(begin, length), "t.lua", {});
            (void)find_code_problems(std::string_view(bytes).substr(begin, length), {});
        }
}

BOOST_AUTO_TEST_CASE(reads_tokens_with_their_lines) {
    const auto tokens = read_tokens("a\n--[[\n]] 'b' [[\nc]] ...\n");

    BOOST_TEST_REQUIRE(tokens.size() == 5u);
    BOOST_TEST(tokens[0].line == 1);
    BOOST_TEST(tokens[1].text == "b");
    BOOST_TEST(tokens[1].line == 3);
    BOOST_TEST(tokens[2].line == 3);
    BOOST_TEST(tokens[3].text == "...");
    BOOST_TEST(tokens[3].line == 4);
    BOOST_TEST(tokens[4].kind == TokenKind::end);
}

BOOST_AUTO_TEST_CASE(keys_of_view_jobs_that_do_not_exist_are_found) {
    const auto problem = [](const std::string& count) {
        return problem_in_file("local filter, key, f = {}, 'user', tostring\n"
                               "rule { submit = function(job, view)\nif false then return view.jobs" +
                               count + " end\nend }");
    };
    for (const char* count : {"{ user = job.user, account = 'a', qos = 'b', state = 'pending' }",
                              "{ user = f{ usr = 1 } }", "(filter)", "{ [key] = 'a' }", "({ user = 'a'; })"})
        BOOST_TEST(problem(count) == "", count);
    BOOST_TEST(problem("{ qos = 'a', usr = job.user }")
                   .starts_with("t.lua:3: view.jobs has no key 'usr'; did you mean user?"));
    BOOST_TEST(problem("({ user = f(1, { user = 2 }); stat = 'x' })")
                   .starts_with("t.lua:3: view.jobs has no key 'stat'; did you mean state?"));
}

BOOST_AUTO_TEST_CASE(variables_that_rules_may_not_write_are_found) {
    const auto finding = [](const std::string& body, const std::string& site) {
        SourceDirectory directory{true, {{"t.lua", rule_with(body)}}};
        if (!site.empty()) directory.files.push_back({"site.lua", site});
        std::string all;
        for (const Finding& found : check_sources(directory).findings)
            if (found.file == "t.lua") all += found.message + (found.stops_loading ? " (stops)" : "") + "\n";
        return all;
    };
    const std::string site = "site { writable_env = { 'SITE_*' } }";
    BOOST_TEST(finding("job.env.SITE_A = 'x' job.env['SITE_B'] = 'y'", site) == "");
    BOOST_TEST(finding("local a = job.env.OTHER if a == 'x' then job:note('x') end", site) == "");
    BOOST_TEST(
        finding("job.env.OTHER = 'x'", site) ==
        "job.env.OTHER cannot be changed: site.lua does not name it: add writable_env = { \"OTHER\" } to "
        "site{}\n");
    BOOST_TEST(finding("job.env['OTHER'] = 'x'", "").starts_with("job.env.OTHER cannot be changed"));
    BOOST_TEST(finding("job.env.PATH = 'x'", site).starts_with("job.env.PATH: rules never write"));
    BOOST_TEST(finding("job.env.OTHER = 'x'", "site { nonsense = 1 }") == ""); // the setting is not known
}

/// None of these certainly fails, so each must load.
BOOST_AUTO_TEST_CASE(names_whose_values_are_not_certain_are_left_alone) {
    const std::vector<std::string> rules{
        // A function that gets the job, and rows of a table.
        "local function size(x) if type(x) == 'table' then return x.most end return x.nodes end "
        "rule { submit = function(job) for _, row in ipairs{{most=4}} do if size(job) > size(row) then "
        "job:reject('no') end end end }",
        "local function pick(a) return a, 2 end rule { submit = function(job, view) local a, b = pick({}) "
        "local function size(x) return x.most end if b == 3 then size(job) end size(a) end }",
        // Assigned behind a literal.
        "local function pick(job) return { limit = 3 }, true end rule { submit = function(job, view) "
        "local q = view.qos(job.qos) local found = false q, found = pick(job) job:note('%s', "
        "tostring(q.limit)) end }",
        // A name in its own value, and behind `until`.
        "rule { submit = function(job, view) local qos = job.qos do local qos = view.qos(qos:lower()) "
        "job:note('%s', qos.name) end end }",
        "rule { submit = function(job, view) local q = { limit = 3 } repeat local q = view.qos(job.qos) "
        "until true job:note('%d', q.limit) end }",
        // Tried by its name.
        "local function probe() return ('x'):unheard_of() end rule { submit = function(job) "
        "if pcall(probe) then job:note('x') end end }"};
    for (const std::string& rule : rules)
        BOOST_TEST(load_error({{"t.lua", rule}}) == "", rule);
    const Texts optional{{"lib/site.lua", "return { name = 'x' }"},
                         {"t.lua", "local site = require('site') rule { submit = function(job) if site.extra "
                                   "then site.extra(job) end end }"}};
    BOOST_TEST(load_error(optional) == "");
}

BOOST_AUTO_TEST_SUITE_END()
