// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether the functions of a file may keep something from one call to the next.
#include "qosgate/policy/check/field_dependencies.hpp"
#include "qosgate/policy/files/modules.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

using namespace qg;
using namespace qg::policy;

namespace {

bool keeps(const std::string& source, const std::set<std::string, std::less<>>& stateful_modules = {}) {
    BOOST_TEST_INFO(source);
    return may_keep_state(source, stateful_modules);
}

/// The same of a rule whose submit has this body, behind these lines of the file.
bool rule_keeps(const std::string& body, const std::string& before = {}) {
    return keeps(before + "\nrule { submit = function(job, view)\n" + body + "\nend }");
}

} // namespace

BOOST_AUTO_TEST_SUITE(statefulness)

BOOST_AUTO_TEST_CASE(a_rule_that_only_reads_and_writes_its_job_keeps_nothing) {
    BOOST_TEST(!rule_keeps(""));
    BOOST_TEST(!rule_keeps("if job.qos == 'a' then job:reject('no') end"));
    BOOST_TEST(!rule_keeps("job.qos = 'a'; job.time_limit = 60"));
    BOOST_TEST(!rule_keeps("if job.qos ~= allowed[job.account] then job:reject('no') end",
                           "local allowed = { a = 'b', ['c'] = 'd' }"));
}

BOOST_AUTO_TEST_CASE(what_a_file_does_while_it_loads_does_not_count) {
    BOOST_TEST(
        !rule_keeps("return sets[job.qos]", "local sets = {} for k, v in pairs({}) do sets[k] = v end"));
    BOOST_TEST(!rule_keeps("return n", "local n = 1 n = n + 1"));
    BOOST_TEST(!rule_keeps("return t.x", "local t = {} t.x = 1"));
    BOOST_TEST(rule_keeps("return t.x", "local t = {} table.insert(t, 2)")); // in doubt
}

BOOST_AUTO_TEST_CASE(a_local_of_the_call_is_gone_after_it) {
    BOOST_TEST(!rule_keeps("local n = 0 for i = 1, 3 do n = n + i end return n"));
    BOOST_TEST(!rule_keeps("local a, b <const> = 1, 2 a = b"));
    BOOST_TEST(!rule_keeps("local chosen for _, p in ipairs({}) do chosen = p end"));
    BOOST_TEST(!keeps("local function most(list) local n for _, v in ipairs(list) do n = v end return n end "
                      "rule { submit = function(job) most({}) end }"));
}

BOOST_AUTO_TEST_CASE(a_local_of_the_file_outlives_the_call) {
    BOOST_TEST(rule_keeps("n = n + 1", "local n = 0"));
    BOOST_TEST(rule_keeps("do local n = 1 end n = n + 1", "local n = 0"));
    BOOST_TEST(rule_keeps("local n = n n = 2", "local n = 0")); // in doubt
    BOOST_TEST(rule_keeps("a, n = 1, 2", "local a, n"));
    BOOST_TEST(rule_keeps("local a a, n = 1, 2", "local n"));
}

BOOST_AUTO_TEST_CASE(a_local_of_an_enclosing_function_may_outlive_the_call) {
    const std::string counter =
        "local count = (function() local n = 0 return function() n = n + 1 return n end end)()";
    BOOST_TEST(rule_keeps("if count() > 3 then job:reject('no') end", counter));
    BOOST_TEST(rule_keeps("local n = 0 local function add() n = n + 1 end add()")); // in doubt
}

BOOST_AUTO_TEST_CASE(a_table_may_outlive_the_call) {
    BOOST_TEST(rule_keeps("seen[job.user] = true", "local seen = {}"));
    BOOST_TEST(rule_keeps("seen.n = 1", "local seen = {}"));
    BOOST_TEST(rule_keeps("local t = seen t.n = 1", "local seen = {}"));
    BOOST_TEST(rule_keeps("table.insert(seen, job.user)", "local seen = {}"));
    BOOST_TEST(rule_keeps("table.remove(seen)", "local seen = {}"));
    BOOST_TEST(rule_keeps("insert(seen, job.user)", "local seen = {} local insert = table.insert"));
    BOOST_TEST(rule_keeps("t.insert(seen, job.user)", "local seen = {} local t = table"));
    BOOST_TEST(!rule_keeps("job:note('%s', table.concat({ 'a', 'b' }, ','))"));
    BOOST_TEST(rule_keeps("function seen.f() end", "local seen = {}"));
}

BOOST_AUTO_TEST_CASE(only_the_job_of_submit_itself_is_surely_the_job) {
    BOOST_TEST(keeps("local function mark(job) job.x = 1 end rule { submit = function(job) mark({}) end }"));
    BOOST_TEST(keeps("local h = { submit = function(job) job.n = 1 end } rule { submit = h.submit }"));
    BOOST_TEST(keeps("local h = {} h.rule { submit = function(job) job.n = 1 end }"));
    BOOST_TEST(rule_keeps("local job = seen job.n = 1", "local seen = {}"));
    BOOST_TEST(rule_keeps("job = seen job.n = 1", "local seen = {}"));
    BOOST_TEST(rule_keeps("while true do job.n = 1 job = seen end", "local seen = {}"));
    BOOST_TEST(rule_keeps("local function f(job) job.n = 1 end f(seen)", "local seen = {}"));
    BOOST_TEST(rule_keeps("job.env.HOME = 'x'")); // in doubt
    BOOST_TEST(!keeps("rule({ submit = function(request) request.qos = 'a' end })"));
}

BOOST_AUTO_TEST_CASE(an_iterator_that_counts_its_calls_is_kept_only_by_a_loop) {
    BOOST_TEST(!rule_keeps("for w in job.qos:gmatch('[^,]+') do job:note(w) end"));
    BOOST_TEST(!rule_keeps("for w in (job.qos or ''):gmatch('.') do job:note(w) end"));
    BOOST_TEST(rule_keeps("return next_one()", "local next_one = ('a,b'):gmatch('.')"));
    BOOST_TEST(rule_keeps("return next_one()",
                          "local function make() return ('a,b'):gmatch('.') end local next_one = make()"));
    BOOST_TEST(rule_keeps("for w in first(job.qos:gmatch('.')) do end")); // in doubt
    BOOST_TEST(rule_keeps("return next_one()", "local next_one = string['gmatch']('a,b', '.')"));
    BOOST_TEST(rule_keeps("return next_one()", "local next_one = ('a')['gmatch']('a,b', '.')"));
    BOOST_TEST(rule_keeps("for _, f in pairs(string) do f() end"));
    BOOST_TEST(rule_keeps("return saved()",
                          "local saved for it in function(s) return s end, ('a,b'):gmatch('.') do "
                          "saved = it break end"));
    BOOST_TEST(!rule_keeps("for i = 1, 3 do for w in string.gmatch('a', '.') do job:note(w) end end"));
}

BOOST_AUTO_TEST_CASE(a_module_that_keeps_something_counts_for_all_who_require_it) {
    BOOST_TEST(!rule_keeps("return m.f(job)", "local m = require('mine')"));
    BOOST_TEST(keeps("local m = require('mine') rule { submit = function(job) m.f(job) end }", {"mine"}));
    BOOST_TEST(!keeps("local m = require('mine') rule { submit = function(job) m.f(job) end }", {"other"}));
    BOOST_TEST(keeps("local name = 'mine' local m = require(name) rule { submit = function() end }"));
    BOOST_TEST(keeps("local require = other rule { submit = function() end }"));
}

BOOST_AUTO_TEST_CASE(an_environment_or_a_shadowed_library_is_in_doubt) {
    BOOST_TEST(rule_keeps("local _ENV = seen n = 1", "local seen = {}"));
    BOOST_TEST(rule_keeps("table.concat(seen)", "local table = seen"));
}

BOOST_AUTO_TEST_CASE(shipped_rules_and_modules_keep_nothing) {
    // These write only tables that they have made themselves. `names` keeps the lists of names that it was
    // asked for, and answers the same with them.
    const std::set<std::string_view> read_by_people{"lookup", "names", "options", "route"};
    for (const ShippedModule& module : shipped_modules())
        if (!read_by_people.contains(module.name)) BOOST_TEST(!keeps(std::string(module.text)), module.name);
    for (const auto& entry : std::filesystem::directory_iterator(QG_RULES_DIRECTORY)) {
        if (entry.path().extension() != ".lua") continue;
        std::ifstream file(entry.path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        BOOST_TEST(!keeps(text), entry.path());
    }
}

BOOST_AUTO_TEST_SUITE_END()
