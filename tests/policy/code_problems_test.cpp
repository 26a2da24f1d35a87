// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the text of a rule shows beyond misspelt names: values that are followed into functions, and wrong
// calls.
#include "qosgate/policy/findings.hpp"
#include "qosgate/policy/run/compiled_rules.hpp"

#include "support/policy_setup.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

const Texts site_files = {
    {"lib/mine.lua", "local M = { limit = 3 } function M.check(job, most) job:warn('%s', most) end "
                     "function M.any(...) return ... end return M"},
};

/// All findings of one file beside the site's module, a line each: "1: what", and behind it whether the
/// directory loads.
std::string findings_in(const std::string& source, const char* name = "t.lua") {
    SourceDirectory directory{true, {}};
    for (const auto& [file, content] : site_files)
        directory.files.push_back({file, content});
    directory.files.push_back({name, source});
    const PolicyReport report = check_sources(directory);
    std::string all;
    for (const Finding& finding : report.findings)
        if (finding.file == name) all += text::format("{}: {}\n", finding.line, finding.message);
    Texts files = site_files;
    files.emplace_back(name, source);
    // slurmctld loads it after the same check.
    const std::string error = load_error(files);
    BOOST_TEST(report.loads() == (error == ""), source + ": " + error);
    return all + (report.loads() ? "loads" : "");
}

std::string with_view(const std::string& body) {
    return "rule { submit = function(job, view) " + body + " end }";
}

/// A file, the beginning of the only finding, whether the directory loads all the same, and the file without
/// the mistake.
struct WrongFile {
    std::string source;
    const char* complaint;
    bool loads;
    std::string corrected;
    friend std::ostream& operator<<(std::ostream& out, const WrongFile& one) { return out << one.source; }
};

constexpr bool stops = false;
constexpr bool warns = true;

WrongFile in_body(const char* body, const char* complaint, bool loads, const char* corrected) {
    return {with_view(body), complaint, loads, with_view(corrected)};
}

const WrongFile helpers[] = {
    {"local function is_big(j) return j.node > 2 end\n"
     "rule { submit = function(job) if is_big(job) then job:warn('x') end end }",
     "1: unknown field 'node' of job; did you mean nodes?", stops,
     "local function is_big(j) return j.nodes > 2 end\n"
     "rule { submit = function(job) if is_big(job) then job:warn('x') end end }"},
    {"local submit = function(job) job.foo = 1 end rule { submit = submit }", "1: unknown field 'foo' of job",
     stops, "local submit = function(job) job.comment = 'x' end rule { submit = submit }"},
    {"rule { submit = function(job) local j = job j.foo = 1 end }", "1: unknown field 'foo' of job", stops,
     "rule { submit = function(job) local j = job j.comment = 'x' end }"},
    {"rule { submit = function(job) local job = job; job.foo = 1 end }", "1: unknown field 'foo' of job",
     stops, "rule { submit = function(job) local job = {}; job.foo = 1 end }"},
    {"local deep = function(j) return j.foo end local function flat(a, j) return a and deep(j) end "
     "rule { submit = function(job) local x = flat(1, job) end }",
     "1: unknown field 'foo' of job", stops,
     "local deep = function(j) return j.qos end local function flat(a, j) return a and deep(j) end "
     "rule { submit = function(job) local x = flat(1, job) end }"},
    {"local function walk(j, n) if n > 0 then return walk(j, n - 1) end return j.foo end "
     "rule { submit = function(job) local x = walk(job, 3) end }",
     "1: unknown field 'foo' of job", stops,
     "local function walk(j, n) if n > 0 then return walk(j, n - 1) end return j.qos end "
     "rule { submit = function(job) local x = walk(job, 3) end }"},
    {"local function free(v) return v.partitions('x') end rule { submit = function(job, view) local x = "
     "free(view) end }",
     "1: unknown field 'partitions' of view; did you mean partition?", stops,
     "local function free(v) return v.partition('x') end rule { submit = function(job, view) local x = "
     "free(view) end }"},
    {"local function left(q) return q.headrom end rule { submit = function(job, view) "
     "local qos = view.qos('a') local x = left(qos) and left(view.qos('b')) end }",
     "1: unknown field 'headrom' of view.qos; did you mean headroom?", stops,
     "local function left(q) return q.headroom end rule { submit = function(job, view) "
     "local qos = view.qos('a') local x = left(qos) and left(view.qos('b')) end }"},
    {"local function note(o) o:nte('x') end rule { client = function(options, view) note(options) end }",
     "1: unknown function 'options:nte'; did you mean note?", stops,
     "local function note(o) o:note('x') end rule { client = function(options, view) note(options) end }"},
    {"rule { modify = function(job, view) if view.qos == 'a' then return end end }",
     "1: modify is called with job, before, view: 'view' is before here", warns,
     "rule { modify = function(job, before) if before.qos == 'a' then return end end }"},
    {"rule { submit = function(view, job) job.now() end }",
     "1: submit is called with job, view: 'job' is view here", stops,
     "rule { submit = function(job, view) local x = view.now end }"},
};

/// The meaning of `j` is not known, so j.foo may be right.
const char* const unknown_meanings[] = {
    "local function f(j) return j.foo end rule { submit = function(job) f({}) f(job) end }",
    "local function f(j) return j.foo end rule { submit = function(job) f(job) f() end }",
    "local function f(j) return j.foo end rule { submit = function(job) f(job) pcall(f, {}) end }",
    "local function f(j) return j.foo end rule { submit = function(job) pcall(function() f(job) end) end }",
    "local function f(j) return j.foo end local t = { f } rule { submit = function(job) f(job) t[1]({}) end "
    "}",
    "local function f(j) return j.foo end rule { submit = function(job) f(job) f(job.qos) end }",
    "local function f(j) return j.foo end rule { submit = function(job) f(job or {}) end }",
    "local function f(a, j) return j.foo end rule { submit = function(job) f((function() return 1, {} "
    "end)()) end }",
    "local function f(j) return j.foo end f = tostring rule { submit = function(job) f(job) end }",
    "rule { submit = function(job) local j = job j = {} j.foo = 1 end }",
    "rule { submit = function(job) local j = job and {} local x = j.foo end }",
    "rule { submit = function(job) local j, k = job, {} local x = k.foo end }",
    "local function f(v) return v.foo end rule { submit = function(job, view) f(job) f(view) end }",
    "local function f(j) return j.foo end rule { submit = function(job) local g = f end }",
};

const WrongFile wrong_calls[] = {
    in_body("local x = view.qos()", "1: write view.qos(name): it takes one text", stops,
            "local x = view.qos('a')"),
    in_body("local x = view.qos('a', 2)", "1: write view.qos(name): it takes one text", stops,
            "local x = view.qos(('a'):sub(1, 2))"),
    in_body("local x = view.partition(3)", "1: write view.partition(name): it takes one text", stops,
            "local x = view.partition(job.partition)"),
    in_body("local x = view.accounts('a')", "1: write view.accounts(): it takes no arguments", stops,
            "local x = view.accounts()"),
    in_body("local q = view.qos('a') local x = q:headroom(3)",
            "1: write qos:headroom(): it takes no arguments", stops,
            "local q = view.qos('a') local x = q:headroom()"),
    in_body("local q = view.qos('a') local x = q:fits()", "1: write qos:fits(job): it takes the rule's job",
            stops, "local q = view.qos('a') local x = q:fits(job)"),
    in_body("local q = view.qos('a') local x = q:fits(view)",
            "1: write qos:fits(job): it takes the rule's job", stops,
            "local q, j = view.qos('a'), job local x = q:fits(j)"),
    in_body("local x = view.jobs()", "1: write view.jobs{ ... }: it takes one table", stops,
            "local x = view.jobs{ user = job.user }"),
    in_body("local x = view.jobs{ user = job.user, state = 'waiting' }",
            "1: view.jobs: state cannot be 'waiting': write \"pending\" or \"running\"", stops,
            "local x = view.jobs{ user = job.user, state = 'pending' }"),
    in_body("local x = view.jobs{ user = 5 }", "1: view.jobs: user is a text that is not empty", stops,
            "local x = view.jobs{ user = tostring(5) }"),
    in_body("local x = view.user.in_group()", "1: write view.user.in_group(name): it takes one text", stops,
            "local x = view.user.in_group 'a'"),
    in_body("local x = view.now()", "1: 'now' is a field and no function: write view.now", stops,
            "local x = view.now.hour"),
    in_body("local x = view.qos.Priority", "1: qos is a function: write view.qos(name)", stops,
            "local x = view.qos('a').Priority"),
    in_body("local x = string.format()", "1: string.format needs 1 argument, and here is none", stops,
            "local x = string.format('a')"),
    in_body("local x = string.format('%d of %d', 1)",
            "1: string.format: the format shows 2 values, and here is 1", stops,
            "local x = string.format('%d of %d', 1, 2)"),
    in_body("local x = math.floor()", "1: math.floor needs 1 argument, and here is none", stops,
            "local x = math.floor(1.5)"),
    in_body("local x = math.floor('many')", "1: math.floor: argument 1 is a number, and not \"many\"", stops,
            "local x = math.floor('1.5')"),
    in_body("table.insert()", "1: table.insert needs 2 arguments, and here is none", stops,
            "table.insert({}, 1)"),
    in_body("table.insert({}, 1, 2, 3)", "1: table.insert takes 3 arguments, and here are 4", stops,
            "table.insert({}, 1, 2)"),
    in_body("local x = table.concat('a')", "1: table.concat: argument 1 is a table, and not \"a\"", stops,
            "local x = table.concat({ 'a' })"),
    in_body("local x = tostring(1, 2)", "1: tostring takes 1 argument, and here are 2", warns,
            "local x = tostring(1)"),
    in_body("local x = ('a'):fnd('b')", "1: a text has no 'fnd'; did you mean find?", stops,
            "local x = ('a'):find('b') local f = tostring local y = f('a').fnd"),
    in_body("return true", "1: submit returned true: a rule returns nothing", stops,
            "local f = function() return true end if f() then return nil end"),
};

const WrongFile module_calls[] = {
    {"local names = require('names') " + with_view("local x = names.hass(job.partition, 'a')"),
     "1: module 'names' has no 'hass'; did you mean has?", warns,
     "local names = require('names') " + with_view("local x = names.has(job.partition, 'a')")},
    {"local names = require('names') " + with_view("local x = names.has()"),
     "1: names.has takes 2 arguments, and here is none", warns,
     "local names = require('names') " + with_view("local x = names.has(table.unpack({ 'a', 'b' }))")},
    {"local route = require('route') " + with_view("local x = route.choose(job)"),
     "1: route.choose takes 3 arguments, and here is 1", warns,
     "local route = require('route') " +
         with_view("local x = route.choose(job, view, { candidates = { 'a' } })")},
    {"local mine = require('mine') " + with_view("mine.chek(job, 3)"),
     "1: module 'mine' has no 'chek'; did you mean check?", warns,
     "local mine = require('mine') " + with_view("mine.check(job) if mine.option then job:warn('x') end")},
    {with_view("require('mine').chek(job, 3)"), "1: module 'mine' has no 'chek'; did you mean check?", warns,
     with_view("require('mine').check(job, 3)")},
    {"local mine = require('mine') " + with_view("mine.check(job, 3, 4)"),
     "1: mine.check takes 2 arguments, and here are 3", warns,
     "local mine = require('mine') " + with_view("mine.any(job, 3, 4)")},
    {"local mine = require('mine') " + with_view("mine.limit(job)"),
     "1: module 'mine': 'limit' is no function", warns,
     "local mine = require('mine') " + with_view("job.comment = 'x' .. mine.limit")},
    {"local mine = require('mine') " + with_view("mine.limit = 4"),
     "1: module 'mine' cannot be changed (field 'limit')", stops,
     "local mine = { limit = 3 } " + with_view("local x = mine.limit")},
    {"local options = require('options') " + with_view("options:required(job, 'account', 'x')"),
     "1: write options.required(...), with a dot: with a colon its first argument is the module", warns,
     "local options = require('options') " + with_view("options.required(job, 'account', 'x')")},
    {with_view("local x = require('names'):has(job.partition, 'a')"), "1: write names.has(...), with a dot",
     warns, with_view("local x = require('names').has(job.partition, 'a')")},
    {"local mine = require('mine') " + with_view("mine:check(job, 3)"),
     "1: write mine.check(...), with a dot", warns,
     // It may be made for that.
     "local mine = require('mine') " + with_view("mine:check(3) mine:any(job, 3, 4)")},
    {"local options = require('options') " + with_view("options.required(job, 'acount', 'x')"),
     "1: options.required: unknown field 'acount' of job; did you mean account?", stops,
     "local options = require('options') " +
         with_view("local name = 'acount' options.required(job, name, 'x') options.given(job, 'qos,,gpus')")},
    {with_view("if require('options').given(job, 'gpus, qos') then return end"),
     "1: options.given: unknown field ' qos' of job; did you mean qos?", stops,
     with_view("if require('options').given(job, 'gpus,qos') then return end")},
    {"local options = require('options') " + with_view("options.forbidden(job, 'user', 'x')"),
     "1: options.forbidden: 'user' is not something that a request asks for", stops,
     "local options = require('options') " + with_view("options.forbidden(job, 'nodelist', 'x')")},
    {"local options = require('options') " + with_view("options.forbidden(job, 'nodelist,qos', 'x')"),
     "1: options.forbidden: unknown field 'nodelist,qos' of job", stops,
     "local options = require('options') " + with_view("options.required(job, 'nodelist,qos', 'x')")},
    {"local options = require('options') " + with_view("local x = options.option('tme_limit')"),
     "1: options.option: unknown field 'tme_limit' of job", warns,
     "local options = require('options') " + with_view("local x = options.option('user')")},
};

const WrongFile typed_uses[] = {
    in_body("local x = job.gpu and job.gpu.cout", "1: unknown field 'cout' of job.gpu; did you mean count?",
            stops, "local x = job.gpu and job.gpu.count"),
    in_body("local gpu = job.gpu local x = gpu and gpu.cout", "1: unknown field 'cout' of job.gpu", stops,
            "local gpu = job.gpu local x = gpu and gpu.count"),
    in_body("if job.gpu > 2 then return end",
            "1: job.gpu is an object with fields and cannot be compared with 2: write job.gpus", stops,
            "if job.gpus > 2 then return end"),
    in_body("if job.time_limit > '60' then return end",
            "1: job.time_limit is a number and cannot be compared with \"60\"", stops,
            "if job.time_limit > 60 then return end"),
    in_body("if 5 < job.qos then return end", "1: job.qos is a text and cannot be compared with 5", stops,
            "if #job.qos > 5 and 5 < #job.qos then return end"),
    in_body("if job.partition == 5 then return end", "1: job.partition is a text and never equals 5", warns,
            "if job.partition == '5' or job.partition == nil then return end"),
    in_body("local x = job.qos + 1", "1: job.qos is a text: it is no number to calculate with", stops,
            "local x = #job.qos + 1"),
    in_body("local x = (job.qos) + 1", "1: job.qos is a text: it is no number to calculate with", stops,
            "local x = (#job.qos) + 1"),
    in_body("local qos = ((job.qos)) local x = qos + 1",
            "1: job.qos is a text: it is no number to calculate with", stops,
            "local qos = (job.qos or 0) local x = qos + 1"),
    in_body("job.features:add('fast')",
            "1: job.features is a text and has no 'add': write job:add(\"features\", ...)", stops,
            "job:add('features', 'fast')"),
    in_body("local x = job.partition:fnd('a')",
            "1: job.partition is a text and has no 'fnd'; did you mean find?", stops,
            "local x = job.partition:find('a')"),
    in_body("local x = (job.partition):fnd('a')",
            "1: job.partition is a text and has no 'fnd'; did you mean find?", stops,
            "local x = (job.partition):find('a')"),
    in_body("local x = job.qos.Priority", "1: job.qos is a text and has no 'Priority'", warns,
            "local x = view.qos(job.qos).Priority"),
    in_body("local x = job.cpus.count", "1: job.cpus is a number and has no 'count'", stops,
            "local x = job.tres.cpu"),
    in_body("job.tasks = -1", "1: job.tasks cannot be -1", stops, "job.tasks = 2 - 1"),
    in_body("job.tasks = 1.5", "1: job.tasks cannot be 1.5", stops, "job.tasks = 2.0"),
    in_body("job.qos = {}", "1: job.qos cannot be a table", stops, "job.qos = ({ 'a' })[1]"),
    in_body("local x = job:is_set('cpus')", "1: job:is_set: 'cpus' is not something that a request asks for",
            stops, "local x = job:is_set('overcommit')"),
    in_body("local x = job.gpu_requests.count",
            "1: job.gpu_requests is a list and has no 'count': write for _, one in ipairs(job.gpu_requests)",
            warns, "local x = job.gpu_requests[1].count"),
    in_body("local x = job.feature_names['a100']", "1: job.feature_names is a list and has no 'a100'", warns,
            "local x = job.license_counts['matlab'] or job.env['HOME'] or job.tres['gres/gpu']"),
    in_body("local x = job.argv.input", "1: job.argv is a list", warns,
            "local i = 1 local x = job.argv[i] or #job.argv"),
    in_body("if job.script_options:find('x') then return end", "1: job.script_options is a list", stops,
            "if table.concat(job.script_options, ' '):find('x') then return end"),
    in_body("local x = view.user.groups.lab", "1: view.user.groups is a list and has no 'lab'", warns,
            "local x = view.user.groups[1] or view.user.in_group('lab')"),
    in_body("local x = view.accounts()['bio']", "1: view.accounts() is a list and has no 'bio'", warns,
            "local key = 'n' local x = view.accounts()[1] or view.accounts()[key]"),
    in_body("local p = view.partition('gpu') local x = p and p.AllowQos.gpu",
            "1: view.partition.AllowQos is a list and has no 'gpu'", warns,
            "local p = view.partition('gpu') local x = p and p.AllowQos[1]"),
    in_body("local groups = view.user.groups local x = groups['lab']", "1: groups is a list and has no 'lab'",
            warns, "local groups = view.user.groups groups = { lab = 1 } local x = groups['lab']"),
    in_body("local gpus = job.gpu_requests local x = gpus.count", "1: gpus is a list and has no 'count'",
            warns, "local x = 0 for _, gpu in ipairs(job.gpu_requests) do x = x + gpu.count end"),
    in_body("local x = job.exc_nodes", "1: unknown field 'exc_nodes' of job: rules have job.excluded_nodes",
            stops, "local x = job.excluded_nodes"),
};

const char* const workable_bodies[] = {
    "local f = view.qos local x = f and f('a')",
    "local x = view.jobs{ user = job.user, state = job.interactive and 'running' or nil }",
    "local function two() return 'a', 2 end local x = view.qos(two()) and view.accounts(two())",
    "pcall(function() local x = view.qos() and string.format() return true end)",
    "local string = { format = function() return 1 end } local x = string.format()",
    "local x = 1 .. job.qos == 5 and not job.qos == 5 and (job.qos or 5) == 5 and -job.cpus > 2",
    "local x = job.qos == 'a' and job.time_limit == math.huge and job.exclusive == true and job.cpus // 2 > "
    "1",
    "local t = { qos = {} } t.qos = {} t.tasks = -1 local x, y = 1 t.a, t.tasks = 'a', 'b'",
    "local x = math.max(1, 2, 3) + math.floor('0x10') + select('#', 1, 2) x = ('a'):rep(3) .. "
    "('%d'):format(1)",
    "job.qos, job.tasks = 'a', 4",
    "local x = (job.qos):upper() x = job.qos:len() + 1",
};

void expect_mistake(const WrongFile& mistake) {
    const std::string found = findings_in(mistake.source);
    BOOST_TEST(found.starts_with(mistake.complaint), found);
    BOOST_TEST(found.ends_with("loads") == mistake.loads, found);
    BOOST_TEST(findings_in(mistake.corrected) == "loads");
}

} // namespace

BOOST_AUTO_TEST_SUITE(code_problems)

BOOST_DATA_TEST_CASE(values_are_followed_into_functions_and_other_names, helpers, mistake) {
    expect_mistake(mistake);
}

BOOST_DATA_TEST_CASE(nothing_is_told_of_a_value_that_is_not_known, unknown_meanings, source) {
    BOOST_TEST(findings_in(source) == "loads");
}

BOOST_DATA_TEST_CASE(calls_with_wrong_arguments_are_found, wrong_calls, mistake) {
    expect_mistake(mistake);
}

BOOST_DATA_TEST_CASE(wrong_uses_of_modules_are_found, module_calls, mistake) {
    expect_mistake(mistake);
}

BOOST_DATA_TEST_CASE(fields_are_used_by_their_types, typed_uses, mistake) {
    expect_mistake(mistake);
}

BOOST_DATA_TEST_CASE(what_could_work_is_not_told, workable_bodies, body) {
    BOOST_TEST(findings_in(with_view(body)) == "loads");
}

BOOST_AUTO_TEST_CASE(a_module_is_checked_for_what_it_uses_of_others) {
    const std::string begin = "local names = require('names') local M = {} function M.f(job) return names.";
    BOOST_TEST(findings_in(begin + "hass(job.partition, 'a') end return M", "lib/other.lua")
                   .starts_with("1: module 'names' has no 'hass'; did you mean has?"));
    BOOST_TEST(findings_in(begin + "has(job.partition, 'a') end return M", "lib/other.lua") == "loads");
}

BOOST_AUTO_TEST_CASE(functions_of_lua_need_what_the_check_says) {
    const auto known = list_known_names({true, {}}, CodeKind::rule);
    BOOST_TEST_REQUIRE(known.has_value());
    std::vector<std::string> functions{"assert", "ipairs", "next",     "pairs",    "pcall",
                                       "select", "type",   "tonumber", "tostring", "error"};
    for (const char* library : {"string", "table", "math"})
        for (const std::string& member : known->at(library))
            functions.push_back(text::format("{}.{}", library, member));
    std::size_t count = 0;
    for (const std::string& function : functions) {
        const bool is_constant =
            has_text(outcome_of_rule("error(type(" + function + "))").reject_message, "number");
        if (is_constant) continue;
        // Without arguments it fails exactly if the check says so; error() always does.
        const bool fails = outcome_of_rule(at_run_time(function + "()")).rejected && function != "error";
        BOOST_TEST((findings_in(with_view(function + "()")) == "loads") == !fails, function);
        ++count;
    }
    BOOST_TEST(count == 43u);
}

BOOST_AUTO_TEST_CASE(what_a_function_gets_is_found_in_linear_time) {
    std::string source = "local function f(a) return a end\n";
    while (source.size() < max_file_bytes - 100)
        source += "f(f(f({1, 2, f{}})))\n";
    // It would take minutes if it grew with the square.
    BOOST_TEST(find_code_problems(source, {{"rule", {}}}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
