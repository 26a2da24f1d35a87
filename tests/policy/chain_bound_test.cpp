// SPDX-License-Identifier: GPL-2.0-or-later
//
// The maximum time of all rules together for one job, whatever they do: when the time is over, no new Lua
// states are made for the job, and the remaining rules end by their on_error.
//
// The most CPU time of one job in milliseconds, with the default settings (50 ms of rules) and with the
// largest (75 ms; "-": not tried), on a busy virtual machine with 2 cores of x86-64; --log_level=message
// prints these lines anew:
//
// | | family | default | largest |
// |---|---|---|---|
// | rules | view: values | 55 | 80 |
// | rules | view: headroom | 19 | 80 |
// | rules | view: fits | 12 | 34 |
// | rules | view: usage | 22 | 79 |
// | rules | view: unknown names | 29 | 79 |
// | rules | view: unknown field | 45 | 80 |
// | rules | view: unknown field of an object | 36 | 80 |
// | rules | view: unknown TRES | 41 | 79 |
// | rules | view: groups | 39 | 79 |
// | rules | view.jobs: filters | 27 | 81 |
// | rules | view.jobs: unknown key | 56 | 80 |
// | rules | view.jobs: unknown state | 21 | 80 |
// | rules | view.jobs: many keys | 55 | 81 |
// | rules | data: columns | 54 | 79 |
// | rules | data: unknown column | 29 | 80 |
// | rules | data: unknown file | 55 | 79 |
// | rules | data: long list | 55 | 79 |
// | rules | data: concat | 18 | 80 |
// | rules | data: unpack | 15 | 14 |
// | rules | job:add: parts | 55 | 79 |
// | rules | job:add: long part | 37 | 80 |
// | rules | job:add: unknown list | 34 | 79 |
// | rules | job:add: excluded nodes | 54 | 79 |
// | rules | read-only: field of job | 55 | 79 |
// | rules | read-only: unknown field | 34 | 79 |
// | rules | read-only: view | 54 | 79 |
// | rules | read-only: view, unknown field | 55 | 78 |
// | rules | read-only: module | 55 | 80 |
// | rules | read-only: data | 55 | 79 |
// | rules | read-only: list of view | 55 | 81 |
// | rules | job: long texts | 55 | 80 |
// | rules | job: messages | 54 | 80 |
// | rules | texts: upper, lower | 36 | 80 |
// | rules | texts: bytes | 56 | 82 |
// | rules | texts: numbers | 55 | 80 |
// | script | endless | 2 | 78 |
// | script | pcall | 2 | 79 |
// | script | garbage | 7 | 6 |
// | script | long texts | 1 | 17 |
// | script | long texts, lower case | 1 | 37 |
// | script | texts as numbers | 4 | 80 |
// | script | joined texts | 0 | 0 |
// | script | patterns | 2 | 79 |
// | script | unknown fields | 10 | 78 |
// | script | unknown fields set | 5 | 8 |
// | script | fields | 6 | 11 |
// | script | environment | 1 | 23 |
// | script | partitions | 5 | 78 |
// | script | jobs | 12 | 79 |
// | script | reservations | 5 | 79 |
// | script | files | 1 | 2 |
// | script | modules | 36 | 77 |
// | script | programs | 1 | 57 |
// | script | users | 1 | 74 |
// | script | sources | 1 | 80 |
// | script | dates | 3 | 3 |
// | script | log | 1 | 7 |
// | script | messages | 1 | 7 |
// | script | metatables | 6 | 79 |
// | script | error objects | 16 | 79 |
// | rules | loops | 54 | - |
// | rules | endless | 55 | - |
// | rules | upper | 56 | - |
// | rules | garbage | 56 | - |
#include "support/sanitized.hpp"
#include "support/script_setup.hpp"
#include "support/small_view.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <ostream>
#include <string>

#include <time.h>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

const std::string any_bound = "(setting rule_";
const std::string counted = "instructions for one job " + any_bound;

/// Many rules of one kind.
struct RuleKind {
    const char* name;
    int rules;
    std::string body;
    std::string at_file_level = {};
    std::string site = {};
    Texts data = {};
    std::string bound = any_bound; ///< what ends it with the default settings

    friend std::ostream& operator<<(std::ostream& out, const RuleKind& kind) { return out << kind.name; }
};

std::string table_of(int lines) {
    std::string text = "local t = {\n";
    for (int i = 0; i < lines; ++i)
        text += text::format("  {{ name = 'n{}', most = {} }},\n", i, i);
    return text + "}\n";
}

const std::string long_name = "local s = ('x'):rep(60000)\n";

const std::string long_number = "local z = ('0'):rep(60000) .. '1'\n";

const std::string patterns = "local s, p = ('a'):rep(60000), ('a*'):rep(30) .. 'b'\n";

const RuleKind kinds[] = {
    {"loops", 200, "for i = 1, 88000 do end"},
    {"endless", 200, "while true do end"},
    {"upper", 200, "local s = ('x'):rep(60000) while true do s = s:upper() .. '' end"},
    {"garbage", 200, "local t = {} while true do t[#t + 1] = {} end"},
    {"table at file level", 20, "while true do end", table_of(3000)},
    {"work at file level", 20, "while true do end", "for i = 1, 300000 do end\n"},
    {"unknown field", 20, "while true do pcall(function() return job[s] end) end", long_name},
    {"unknown field set", 20, "while true do pcall(function() return job:is_set(s) end) end", long_name},
    {"unknown global", 20, "while true do pcall(function() return _ENV[s] end) end", long_name},
    {"unknown TRES", 20, "while true do pcall(function() return job.tres[s] end) end", long_name},
    {"full memory", 20, "local t = {} for i = 1, 500 do t[i] = {} end",
     "local kept = {} for i = 1, 3000 do kept[i] = {i} end\n"},
    {"full memory, largest settings", 20, "local t = {} for i = 1, 5000 do t[i] = {} end",
     "local kept = {} for i = 1, 7000 do kept[i] = {i} end\n",
     "site { rule_memory_mib = 16, rule_time_ms = 75 }"},
    {"long files", 20, "while true do end", table_of(5000), "site { rule_memory_mib = 16 }"},
    {"largest settings",
     200,
     "local t = {} while true do t[#t + 1] = {} end",
     {},
     "site { rule_instructions = 10000000, rule_memory_mib = 16, rule_time_ms = 75 }"},
    {"largest settings, calls",
     200,
     "local s = ('x'):rep(60000) while true do s = s:upper() .. '' end",
     {},
     "site { rule_instructions = 10000000, rule_memory_mib = 16, rule_time_ms = 75 }"},
    {"largest settings, long loops",
     200,
     "while true do end",
     {},
     "site { rule_instructions = 10000000, rule_memory_mib = 16, rule_time_ms = 75 }"},
    {"largest settings, one pattern", 1, "string.find(s, p)", patterns,
     "site { rule_instructions = 10000000, rule_memory_mib = 16, rule_time_ms = 75 }"},
    {"largest settings, patterns", 100, "string.find(s, p)", patterns,
     "site { rule_instructions = 10000000, rule_memory_mib = 16, rule_time_ms = 75 }"},
    {"largest settings, anchored patterns", 200, "string.find(s, '^' .. ('a*'):rep(16) .. 'b')", patterns,
     "site { rule_instructions = 10000000, rule_memory_mib = 16, rule_time_ms = 75 }"},
};

std::shared_ptr<const Policy> policy_of_kind(const RuleKind& kind) {
    Texts files;
    if (!kind.site.empty()) files.emplace_back("site.lua", kind.site);
    for (int i = 0; i < kind.rules; ++i)
        files.emplace_back(text::format("r{}.lua", 100 + i),
                           kind.at_file_level + rule_with(kind.body, "on_error = 'allow',"));
    auto policy = policy_of(files);
    policy->refill();
    return policy;
}

// What rules read and write besides.

/// A file of data with as many columns as there may be, and one with a long list.
Texts large_data() {
    std::string columns = "c0", list = "[0";
    for (int i = 1; i < 256; ++i)
        columns += text::format(",column{}", i);
    for (int i = 1; i < 100'000; ++i)
        list += text::format(",{}", i);
    return {{"data/wide.csv", columns + "\n" + std::string(255, ',') + "\n"}, {"data/long.json", list + "]"}};
}

/// Tries a statement over and over, in the way that the name check at load time does not follow.
std::string again(const std::string& statement) {
    return "local job, view = job, view while true do pcall(function() " + statement + " end) end";
}

const std::string columns = "local wide = data('wide.csv')\n" + long_name;
const std::string library = "local m = require('options')\n" + long_name;

const RuleKind object_kinds[] = {
    {"view: values", 200, "while true do local x = view.qos('normal').MaxWall or view.now.hour end"},
    {"view: headroom", 20, "while true do local x = view.qos('normal'):headroom().jobs end"},
    {"view: fits", 20, "local q = view.qos('normal') while true do local x = q:fits(job) end"},
    {"view: usage", 20, "while true do local x = view.qos('high').usage.tres.cpu end"},
    {"view: unknown names", 20, again("local x = view.qos(s) or view.partition(s) or view.reservation(s)"),
     long_name},
    {"view: unknown field", 20, again("return view[s]"), long_name},
    {"view: unknown field of an object", 20, again("return view.qos('normal')[s]"), long_name},
    {"view: unknown TRES", 20, again("return view.qos('normal'):headroom().tres[s]"), long_name},
    {"view: groups", 20, again("return view.user.in_group(s)"), long_name},
    {"view.jobs: filters", 20, again("return view.jobs{ user = s, account = 'physics', state = 'pending' }"),
     long_name},
    {"view.jobs: unknown key", 20, again("return view.jobs{ [s] = s }"), long_name},
    {"view.jobs: unknown state", 20, again("return view.jobs{ user = 'ana', state = s }"), long_name},
    {"view.jobs: many keys", 20, again("return view.jobs(t)"),
     "local t = {} for i = 1, 1000 do t['k' .. i] = i end\n"},
    {"data: columns", 200, "while true do local x = wide[1].column255 end", columns, {}, large_data()},
    {"data: unknown column", 20, again("return wide[1][s]"), columns, {}, large_data()},
    {"data: unknown file", 20, again("return data(s)"), long_name, {}, large_data()},
    {"data: long list",
     20,
     "while true do for _, x in ipairs(long) do local y = x end end",
     "local long = data('long.json')\n",
     {},
     large_data()},
    {"data: concat",
     20,
     again("return table.concat(long, ',')"),
     "local long = data('long.json')\n",
     {},
     large_data()},
    {"data: unpack",
     20,
     again("return select('#', table.unpack(long, 1, 100000))"),
     "local long = data('long.json')\n",
     {},
     large_data()},
    {"job:add: parts", 200,
     "local i = 0 while true do i = i + 1 pcall(job.add, job, 'features', 'f' .. i) end"},
    {"job:add: long part", 20, again("job:add('features', s)"), long_name},
    {"job:add: unknown list", 20, again("job:add(s, 'x')"), long_name},
    {"job:add: excluded nodes", 20,
     "local i = 0 while true do i = i + 1 pcall(job.add, job, 'excluded_nodes', 'n' .. i) end"},
    {"read-only: field of job", 20, again("job.uid = 1")},
    {"read-only: unknown field", 20, again("job[s] = 1"), long_name},
    {"read-only: view", 20, again("view.now.hour = s"), long_name},
    {"read-only: view, unknown field", 20, again("view[s] = s"), long_name},
    {"read-only: module", 20, again("m[s] = s"), library},
    {"read-only: data", 20, again("wide[1].column1 = s"), columns, {}, large_data()},
    {"read-only: list of view", 20, again("view.qos_allowed()[s] = 1"), long_name},
    {"job: long texts", 20, "while true do pcall(function() job.comment = s end) end", long_name},
    {"job: messages", 20, "while true do job:warn('%s', s) end", long_name},
    {"texts: upper, lower",
     20,
     "while true do local x = s:upper() or s:lower() end",
     long_name,
     {},
     {},
     counted},
    {"texts: bytes", 20, "while true do local x = s:byte(1, 8000) end", long_name, {}, {}, counted},
    {"texts: numbers",
     20,
     "while true do local x = math.floor(tonumber(z)) end",
     long_number,
     {},
     {},
     counted},
};

// Scripts for job_submit/lua.

struct ScriptKind {
    const char* name;
    std::string body;
    std::string at_file_level = {};
    std::string bound = any_bound; ///< as of rules

    friend std::ostream& operator<<(std::ostream& out, const ScriptKind& kind) { return out << kind.name; }
};

const ScriptKind script_kinds[] = {
    {"endless", "while true do end"},
    {"pcall", "while true do pcall(function() while true do end end) end"},
    {"garbage", "local t = {} while true do t[#t + 1] = {} end"},
    {"long texts", "while true do s = s:upper() .. '' end", long_name},
    {"long texts, lower case", "while true do s:lower() end", long_name, counted},
    {"texts as numbers", "while true do local x = z + 1 end", long_number, counted},
    {"joined texts", "local t = 'x' while true do t = t .. s .. 1 end", long_name},
    {"patterns", "string.find(s, p)", patterns},
    {"unknown fields", "while true do local x = job_desc[s] or slurm[s] or part_list[s] end", long_name},
    {"unknown fields set", "while true do job_desc[s] = s end", long_name},
    {"fields", "while true do job_desc.comment = s local x = job_desc.comment end", long_name},
    {"environment", "while true do job_desc.environment[s] = 'x' end", long_name},
    {"partitions", "while true do for name, part in pairs(part_list) do local x = part.max_time end end"},
    {"jobs", "while true do for id, job in pairs(slurm.jobs) do local x = job.user_id end end"},
    {"reservations",
     "while true do for name, r in pairs(slurm.reservations) do local x = r.start_time end end"},
    {"files", "while true do io.open(s) end", "local s = ('x/'):rep(2040)\n"}, // a refusal ends the call
    {"modules", "while true do pcall(require, s) end", long_name},
    {"programs", "while true do io.popen(s) end", "local s = 'id -Gn ana' .. (' '):rep(1000)\n"},
    {"users", "while true do io.popen('id -Gn ana'):read('*a') end"},
    {"sources", "while true do loadstring('return ' .. s) end", long_name},
    {"dates", "while true do pcall(os.date, s) end", "local s = ('%c'):rep(30000)\n"},
    {"log", "while true do slurm.log_info('%s', s) end", long_name},
    {"messages", "while true do slurm.log_user('%s', s) end", long_name},
    {"metatables", "local t = setmetatable({}, { __index = function(t, k) return t[k .. 'x'] end }) while "
                   "true do pcall(function() return t.x end) end"},
    {"error objects",
     "while true do pcall(error, setmetatable({}, { __tostring = function() return s end })) end", long_name},
};

const std::string largest_site =
    "site { rule_instructions = 10000000, rule_memory_mib = 16, rule_time_ms = 75 }";

/// A line of the table at the head of this file.
void tell(const char* kind, const char* name, double seconds) {
    BOOST_TEST_MESSAGE(text::format("// | {} | {} | {:.0f} |", kind, name, seconds * 1000));
}

/// What ends a decision is slower with a sanitizer, too; the build without one holds the bound.
constexpr double most_seconds = slowness == 1 ? 0.1 : 1.0;

/// The least of up to three measurements, which a busy machine only makes longer.
template <class Measure>
double least_seconds(Measure measure) {
    double least = measure();
    for (int tries = 1; tries < 3 && least >= most_seconds; ++tries)
        least = std::min(least, measure());
    return least;
}

} // namespace

BOOST_AUTO_TEST_SUITE(chain_bound)

BOOST_DATA_TEST_CASE(no_job_costs_more_whatever_its_rules_read_and_write, object_kinds, kind) {
    for (const bool is_largest : {false, true}) {
        Texts files = kind.data;
        if (is_largest) files.emplace_back("site.lua", largest_site);
        for (int i = 0; i < kind.rules; ++i)
            files.emplace_back(text::format("r{}.lua", 100 + i),
                               kind.at_file_level + viewing_rule(kind.body, "on_error = 'allow',"));
        const double most = least_seconds([&] {
            const auto policy = policy_of(files);
            policy->refill();

            double seconds = 0;
            for (int jobs = 0; jobs < 3; ++jobs) {
                const double begin = cpu_seconds();
                const RuleOutcome outcome = run_with_view(*policy, Job());
                seconds = std::max(seconds, cpu_seconds() - begin);
                const bool is_ended = std::ranges::any_of(outcome.events, [&](const RuleEvent& event) {
                    return event.kind == EventKind::error &&
                           has_text(event.text, is_largest ? any_bound : kind.bound);
                });
                BOOST_TEST(is_ended);
            }
            return seconds;
        });
        tell(is_largest ? "rules, largest settings" : "rules", kind.name, most);
        BOOST_TEST(most < most_seconds);
    }
}

BOOST_DATA_TEST_CASE(no_call_of_a_script_costs_more, script_kinds, kind) {
    for (const bool is_largest : {false, true}) {
        Texts files{{"compat/job_submit.lua", script_with(kind.body, kind.at_file_level)}};
        if (is_largest) files.emplace_back("site.lua", largest_site);
        const double most = least_seconds([&] {
            ScriptSetup setup(files);

            double seconds = 0;
            for (int jobs = 0; jobs < 3; ++jobs) {
                const double begin = cpu_seconds();
                const ScriptOutcome outcome = setup.run();
                seconds = std::max(seconds, cpu_seconds() - begin);
                BOOST_TEST_REQUIRE(outcome.failure.has_value());
                BOOST_TEST(has_text(outcome.failure->message, is_largest ? any_bound : kind.bound),
                           outcome.failure->message);
            }
            return seconds;
        });
        tell(is_largest ? "script, largest settings" : "script", kind.name, most);
        BOOST_TEST(most < most_seconds);
    }
}

BOOST_DATA_TEST_CASE(no_job_costs_more_than_its_bound, kinds, kind) {
    const double most = least_seconds([&] {
        const auto policy = policy_of_kind(kind);

        double seconds = 0;
        for (int jobs = 0; jobs < 3; ++jobs) { // the later jobs get the states that the first one exhausted
            const double begin = cpu_seconds();
            (void)Job().run(*policy);
            seconds = std::max(seconds, cpu_seconds() - begin);
        }
        return seconds;
    });
    tell(kind.site.empty() ? "rules" : "rules, own settings", kind.name, most);
    BOOST_TEST(most < most_seconds);
}

BOOST_AUTO_TEST_CASE(a_spent_state_is_replaced_by_whoever_keeps_the_policy) {
    const auto policy = policy_of(
        {{"a.lua", rule_with("if job.name == 'bad' then while true do end end", "on_error = 'allow',")}});
    policy->refill();
    const auto run = [&](const char* name) {
        Job job;
        job.request.name = name;
        return job.run(*policy).events.size();
    };

    for (int times = 0; times < 20; ++times) {
        BOOST_TEST(run("bad") == 1u);
        BOOST_TEST(run("good") == 0u);
        policy->refill();
    }

    BOOST_TEST(policy->states_made_by_jobs() == 0u);
}

BOOST_AUTO_TEST_CASE(a_job_that_finds_no_state_makes_one_in_its_own_time) {
    const auto policy = one_rule("while true do end", "on_error = 'allow',");

    for (int times = 0; times < 4; ++times)
        BOOST_TEST(has_text(Job().run(*policy).events.at(0).text, "more than 100000 instructions"));

    BOOST_TEST(policy->states_made_by_jobs() == 3u);
}

BOOST_AUTO_TEST_CASE(the_rules_that_are_left_end_as_their_on_error_says) {
    const auto outcome_with = [](const std::string& last) {
        Texts files{{"site.lua", "site { rule_instructions = 10000000, rule_time_ms = 1 }"},
                    {"a.lua", rule_with("while true do end", "on_error = 'allow',")},
                    {"b.lua", rule_with("job:warn('b')", "on_error = 'allow',")},
                    {"c.lua", rule_with("job:warn('c')", last)}};
        return Job().run(*policy_of(files));
    };

    const auto allowed = outcome_with("on_error = 'allow',");
    BOOST_TEST(!allowed.rejected);
    BOOST_TEST(allowed.warnings.empty());
    BOOST_TEST(allowed.events.size() == 2u);
    const auto warned = outcome_with("on_error = 'warn',");
    BOOST_TEST(!warned.rejected);
    BOOST_TEST_REQUIRE(warned.warnings.size() == 1u);
    BOOST_TEST(has_text(warned.warnings[0],
                        "The rule 'c' (c.lua) was not applied because it failed: it was not run"));
    const auto denied = outcome_with("on_error = 'deny',");
    BOOST_TEST(denied.rejected);
    BOOST_TEST(has_text(denied.reject_message,
                        "because the rule 'c' (c.lua) failed: it was not run, nor were 1 "
                        "other rules: the rules before it took more than 1 ms"));
    BOOST_TEST(!outcome_with("mode = 'shadow', on_error = 'deny',").rejected);
}

BOOST_AUTO_TEST_SUITE_END()
