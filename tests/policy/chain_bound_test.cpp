// SPDX-License-Identifier: GPL-2.0-or-later
//
// The maximum time of all rules together for one job, whatever they do: when the time is over, no new Lua
// states are made for the job, and the remaining rules end by their on_error.
#include "support/policy_setup.hpp"
#include "support/sanitized.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <ostream>
#include <string>

#include <time.h>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

/// Many rules of one kind.
struct RuleKind {
    const char* name;
    int rules;
    const char* body;
    std::string at_file_level = {};
    std::string site = {};

    friend std::ostream& operator<<(std::ostream& out, const RuleKind& kind) { return out << kind.name; }
};

std::string table_of(int lines) {
    std::string text = "local t = {\n";
    for (int i = 0; i < lines; ++i)
        text += text::format("  {{ name = 'n{}', most = {} }},\n", i, i);
    return text + "}\n";
}

const std::string long_name = "local s = ('x'):rep(60000)\n";

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

} // namespace

BOOST_AUTO_TEST_SUITE(chain_bound)

BOOST_DATA_TEST_CASE(no_job_costs_more_than_a_tenth_of_a_second, kinds, kind) {
    const auto policy = policy_of_kind(kind);

    for (int jobs = 0; jobs < 3; ++jobs) { // the later jobs get the states that the first one exhausted
        const double begin = cpu_seconds();
        (void)Job().run(*policy);
        const double spent = cpu_seconds() - begin;
        BOOST_TEST_MESSAGE(kind.name << ": " << spent * 1000 << " ms");
        // What ends a decision is slower with a sanitizer, too.
        BOOST_TEST(spent < (slowness == 1 ? 0.1 : 0.2));
    }
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
