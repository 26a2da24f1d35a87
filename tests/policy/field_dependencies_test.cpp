// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a rule may look at when a job is changed.
#include "qosgate/policy/check/field_dependencies.hpp"

#include "qosgate/policy/objects/fields.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using model::UpdatePart;
using model::UpdateParts;

namespace {

/// What the rule in r.lua looks at, by the names of fields, in their order; "all" in doubt.
std::string field_dependencies(const Texts& files) {
    const auto policy = policy_of(files);
    const UpdateParts parts = policy->rules().at(0).looks_at;
    BOOST_TEST(parts.has(UpdatePart::limits));
    if (parts == UpdateParts::all()) return "all";
    std::string names;
    for (const FieldSpec& field : job_fields())
        if (field.part && *field.part != UpdatePart::limits && parts.has(*field.part))
            names += (names.empty() ? "" : " ") + std::string(field.name);
    return names;
}

std::string looked_at_by(const std::string& rule) {
    return field_dependencies({{"r.lua", rule}});
}

struct Case {
    const char* body; ///< of submit = function(job), behind what `before` in the file has
    const char* fields;
    const char* before = "";
    friend std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.body; }
};

const Case certain[] = {
    {"", ""},
    {"job:reject('never')", ""},
    {"if job.nice < 0 then job:reject('%d', job.nice) end", "nice"},
    {"if job['comment'] == job.wckey then job:warn('x') end", "comment wckey"},
    {"if job:is_set('dependency') or job:is_set \"begin_time\" then job:stop() end", "begin_time dependency"},
    {"if job.cpus > 2 and job.env.HOME and job.script then job:note('%s', job.user) end", ""},
    {"job.comment = 'x'; job['wckey'] = job.name", "name"},
    {"if job.comment == 'x' then end", "comment"},
    {"job:add('dependency', 'singleton')", "dependency"},
    {"local t = {} t.job = 1; t.nice = t[job.name]", "name"},
    {"local f = function() return job.priority end f()", "priority"},
    {"-- job[x]\njob:warn('job[x] %s', job.name)", "name"},
    // A function of the file, by the name of its parameter.
    {"if low(job, 1) then job:reject('x') end", "nice", "local function low(j, n) return j.nice < n end"},
    {"low(1, job)", "wckey", "local function low(n, j) return j.wckey end"},
    {"low(job)", "", "local function low() end"},
    {"a(job)", "name requeue",
     "local function b(x) return x.requeue end local function a(y) b(y) return y.name end"},
    // A module that is shipped, and its functions.
    {"local p = ratios.problem(job, {}) if p then job:reject(p) end", "", "local ratios = require('ratios')"},
    {"for _, name in names.each(job.mail_user) do job:warn(name) end", "mail_user",
     "local names = require 'names'"},
};

const Case doubtful[] = {
    // Which function TABLE.NAME is, is not certain.
    {"M.check(job)", "all",
     "local M = {} function M.check(j) return j.name end M.check, M.other = function(j) return j.comment "
     "end, 1"},
    {"M.check(job)", "all",
     "local base = {} local M = base function M.check(j) return j.name end base.check = function(j) return "
     "j.comment end"},
    {"M.check(job)", "all",
     "local M = { check = function(j) return j.comment end } if false then function M.check(j) return j.name "
     "end end"},
    {"local name = 'nice' if job[name] == 1 then end", "all"},
    {"if job['n' .. 'ice'] == 1 then end", "all"},
    {"if job['\\110ice'] == 1 then end", "all"},
    {"local x = 'nice' if job:is_set(x) then end", "all"},
    {"if job:is_set('name' .. '') then end", "all"},
    {"local j = job; job:warn(j.nice)", "all"},
    {"local t = { job }; job:warn(t[1].nice)", "all"},
    {"local t = { j = job }; job:warn(t.j.nice)", "all"},
    {"(job):warn((job).nice)", "all"},
    {"for k, v in pairs(job) do end", "all"},
    {"unknown.f(job)", "all", "local unknown = {} unknown.f = function(x) end"},
    {"t:f(job)", "all", "local t = {} function t:f(x) end"},
    {"t['f'](job)", "all", "local t = {} function t.f(x) end"},
    {"f(job)", "all", "local function f(...) return select(1, ...).nice end"},
    {"f(job)", "all", "local f = function(x) end"},
    {"f(job)", "all", "local function f(x) end local function g() f = pairs end"},
    {"f(function() end, job)", "all", "local function f(x, y) end"},
    {"t.f(job)", "all", "local t = {} function t.f(x) end function t.f(y) return y.nice end"},
    {"t.f(job)", "all", "local t = {} function t.f(x) end t['f'] = function(y) return y.nice end"},
    {"m.fits(job, {})", "all", "local m = require('buckets')"}, // job[field]
    {"m(job, {})", "all", "local m = require('ratios').problem"},
    {"local _ENV = job", "all"},
};

} // namespace

BOOST_AUTO_TEST_SUITE(field_dependencies_test)

BOOST_DATA_TEST_CASE(what_a_rule_reads_is_known, certain, one) {
    BOOST_TEST(looked_at_by(std::string(one.before) + "\n" + rule_with(one.body)) == one.fields);
}

BOOST_DATA_TEST_CASE(in_doubt_it_is_all, doubtful, one) {
    BOOST_TEST(looked_at_by(std::string(one.before) + "\n" + rule_with(one.body)) == one.fields);
}

BOOST_AUTO_TEST_CASE(the_arguments_count_by_their_place_and_not_by_their_names) {
    BOOST_TEST(looked_at_by("rule { modify = function(new, old) if new.nice ~= old.wckey then end end }") ==
               "nice wckey");
    BOOST_TEST(looked_at_by("rule { modify = function(before, job, view) return job:is_set('name') end }") ==
               "name");
    BOOST_TEST(looked_at_by("rule { submit = function(job, view) if view.user.name == 'x' then end end }") ==
               "");
    BOOST_TEST(looked_at_by("rule { modify = function(...) end }") == "all");
    BOOST_TEST(looked_at_by("rule { modify = function(_ENV) end }") == "all");
    BOOST_TEST(looked_at_by("rule { modify = function() end }") == "");
}

BOOST_AUTO_TEST_CASE(the_function_that_runs_for_changes_counts) {
    BOOST_TEST(looked_at_by("rule {\nsubmit = function(job) job:warn(job.comment) end,\n"
                            "modify = function(job) job:warn(job.nice) end }") == "nice");
    BOOST_TEST(looked_at_by("local function check(j) if j.wckey then j:reject('x') end end\n"
                            "rule { submit = check }") == "wckey");
    BOOST_TEST(
        looked_at_by("local function make(n)\nreturn function(j) if j.nice < n then j:reject('x') end end\n"
                     "end\nrule { submit = make(1) }") == "nice");
    BOOST_TEST(looked_at_by("local keys = {\nsubmit = function(decoy) end }\n"
                            "keys.modify = function(job)\n if job.requeue then job:warn('x') end end\n"
                            "rule(keys)") == "requeue");
}

BOOST_AUTO_TEST_CASE(modules_of_the_site_are_followed) {
    const std::string lib = "local M = {}\nlocal function low(x) return x.nice end\n"
                            "function M.check(job, n) return low(job) < n end\nreturn M";
    const auto with = [](const std::string& module, const std::string& body) {
        return field_dependencies(
            {{"lib/m.lua", module}, {"r.lua", "local m = require('m')\n" + rule_with(body)}});
    };
    BOOST_TEST(with(lib, "if m.check(job, 1) then job:reject('x') end") == "nice");
    BOOST_TEST(with(lib, "m.check(1, job)") == "all"); // low(job) < n
    BOOST_TEST(with(lib, "local c = m.check c(job, 1)") == "all");
    BOOST_TEST(with("local M = {}\nM.check = function(j) end\nreturn M", "m.check(job)") == "all");
    BOOST_TEST(with("local function check(j) return j.nice end\nreturn { check = check }", "m.check(job)") ==
               "all");
    // A factory of functions in a module.
    BOOST_TEST(
        field_dependencies({{"lib/m.lua", "return { make = function()\n"
                                          "return function(j) if j.wckey then j:reject('x') end end\nend }"},
                            {"r.lua", "rule { submit = require('m').make() }"}}) == "wckey");
}

BOOST_AUTO_TEST_CASE(a_change_runs_the_rules_that_look_at_it) {
    const auto policy = policy_of({{"a.lua", rule_with("if job.nice then end job:reject('a')")},
                                   {"b.lua", rule_with("job:reject('b')")},
                                   {"c.lua", rule_with("job:warn(job.comment or '')", "on = {'submit'},")},
                                   {"d.lua", rule_with("if job.wckey then end", "mode = 'warn',")}});
    const auto rejected_by = [&](UpdateParts parts) {
        const Job job;
        const RuleInput facts = job.facts();
        return policy->run_at_change(job.request, facts, nullptr, parts).reject_message;
    };

    BOOST_TEST(rejected_by({UpdatePart::nice}) == "a");
    BOOST_TEST(rejected_by({UpdatePart::nice, UpdatePart::comment}) == "a");
    BOOST_TEST(rejected_by({UpdatePart::comment}) == "");
    BOOST_TEST(rejected_by({}) == "");
    BOOST_TEST(rejected_by({UpdatePart::limits}) == "rule 'a': a\nrule 'b': b");

    BOOST_TEST(policy->has_rules_at(JobEvent::modify, {UpdatePart::nice}));
    BOOST_TEST(policy->has_rules_at(JobEvent::modify, {UpdatePart::wckey}));
    BOOST_TEST(!policy->has_rules_at(JobEvent::modify, {UpdatePart::comment}));
    BOOST_TEST(!policy->has_rules_at(JobEvent::modify, {}));
    BOOST_TEST(policy->has_enforcing_rule_at(JobEvent::modify, {UpdatePart::nice}));
    BOOST_TEST(!policy->has_enforcing_rule_at(JobEvent::modify, {UpdatePart::wckey}));
}

// With a search of the file for each call this takes minutes.
BOOST_AUTO_TEST_CASE(many_calls_are_followed_once) {
    constexpr int count = 8'000;
    std::string rule = "local M = {}\nlocal function own(job) return job.wckey end\n";
    for (int i = 0; i < count; ++i)
        rule += text::format("function M.f{0}(job)\nM.f{1}(job) own(job)\nend\n", i, (i + 1) % count);
    rule += "rule { submit = function(job) M.f0(job) end }\n";
    SourceFile file{"r.lua", rule};
    BOOST_TEST(field_dependencies({{file.name, file.text}}) == "wckey");
}

BOOST_AUTO_TEST_SUITE_END()
