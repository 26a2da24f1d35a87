// SPDX-License-Identifier: GPL-2.0-or-later
//
// A rule that did nothing with a job is left out for the next job of the same values, and only then.
#include "qosgate/policy/pass_cache.hpp"
#include "shipped_files.hpp"
#include "support/counted_rules.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

/// A policy that remembers.
std::shared_ptr<const Policy> remembering(const Texts& files) {
    SourceDirectory directory{true, {}};
    for (const auto& [name, content] : files)
        directory.files.push_back({name, content});
    return compile_policy(std::move(directory), {.counts_failures = true, .remembers_passes = true}).value();
}

std::shared_ptr<const Policy> remembering(const std::string& body, const std::string& before = {}) {
    return remembering({{"t.lua", before + "\n" + rule_with(body)}});
}

bool is_rejected(const Policy& policy, Job job) {
    return job.run(policy).rejected;
}

/// A job out of few values, so that the same ones come again.
Job random_job(std::mt19937& random) {
    const auto one_of = [&random](std::initializer_list<const char*> texts) -> std::optional<std::string> {
        const std::string text = *(texts.begin() + static_cast<std::ptrdiff_t>(random() % texts.size()));
        return text.empty() ? std::nullopt : std::optional(text);
    };
    Job job;
    job.request.partition =
        one_of({"cpu", "gpu", "debug", "gpu,cpu", "large", "small", "interactive", "cad"});
    job.request.qos = one_of({"", "normal", "long"});
    job.request.account = one_of({"", "astro", "physics"});
    job.request.name = one_of({"", "a", "admin"});
    job.request.features = one_of({"", "", "", "scratch", "fast&scratch"});
    job.request.required_nodes = one_of({"", "", "", "n1"});
    job.request.is_batch = random() % 4 != 0;
    job.request.exclusive = random() % 8 == 0;
    if (random() % 2 == 0) job.minutes(random() % 2 == 0 ? 20 : 2000);
    if (random() % 8 == 0) job.unlimited();
    // Not many of both: which bound a rule tells first may differ from state to state, with the order of
    // pairs().
    const std::uint64_t nodes = random() % 2 == 0 ? 1 : 9;
    job.default_minutes(60).nodes(nodes).cpus(nodes == 1 && random() % 2 == 0 ? 40 : 2);
    if (random() % 3 == 0) {
        job.request.tres_per_node = "gres:gpu:2";
        job.gpus(2);
    }
    job.sender.is_one = random() % 8 == 0;
    return job;
}

/// All that a user or slurmctld notices.
std::vector<std::string> shown(const RuleOutcome& outcome) {
    std::vector<std::string> lines = outcome.warnings;
    lines.push_back(outcome.rejected ? "rejected: " + outcome.reject_message : "accepted");
    for (const RuleEvent& event : outcome.events)
        lines.push_back(event.rule + ": " + event.text);
    return lines;
}

Job with_name(std::string name) {
    Job job;
    job.request.name = std::move(name);
    return job;
}

} // namespace

BOOST_AUTO_TEST_SUITE(pass_cache)

BOOST_AUTO_TEST_CASE(a_rule_runs_once_for_jobs_of_the_same_values) {
    Rules rules("if job.qos == 'bad' then job:reject('no') end");
    BOOST_TEST(rules.runs_for(Job().qos("good")) == 1u);
    BOOST_TEST(rules.runs_for(Job().qos("good").cpus(99)) == 0u); // which it does not look at
    BOOST_TEST(rules.runs_for(Job().qos("other")) == 1u);
    BOOST_TEST(rules.runs_for(Job().qos("other")) == 0u);
    BOOST_TEST(rules.runs_for(Job().qos("good")) == 0u);
}

BOOST_AUTO_TEST_CASE(a_rule_that_rejects_runs_each_time) {
    Rules rules("if job.qos == 'bad' then job:reject('no') end");
    for (int i = 0; i < 3; ++i)
        BOOST_TEST(rules.runs_for(Job().qos("bad")) == 1u);
}

BOOST_AUTO_TEST_CASE(a_job_that_differs_in_one_value_is_judged_anew) {
    const auto policy = remembering("if job.qos == 'long' and job.time_limit > 60 and job.nodes > 1 then "
                                    "job:reject('no') end");
    const auto job = [] { return Job().qos("long").minutes(61).nodes(2); };
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(!is_rejected(*policy, job().qos("short")));
        BOOST_TEST(!is_rejected(*policy, job().minutes(60)));
        BOOST_TEST(!is_rejected(*policy, job().nodes(1)));
        BOOST_TEST(is_rejected(*policy, job()));
    }
}

BOOST_AUTO_TEST_CASE(unset_empty_zero_and_unlimited_are_different_values) {
    const auto policy = remembering("if job.time_limit == math.huge then job:reject('no') end "
                                    "if job.name == '0' then job:reject('no') end");
    for (int i = 0; i < 2; ++i) {
        BOOST_TEST(!is_rejected(*policy, Job().minutes(0)));
        BOOST_TEST(!is_rejected(*policy, Job().minutes(4294967294u)));
        BOOST_TEST(is_rejected(*policy, Job().unlimited()));
        BOOST_TEST(!is_rejected(*policy, with_name("").minutes(0)));
        BOOST_TEST(is_rejected(*policy, with_name("0").minutes(0)));
    }
}

BOOST_AUTO_TEST_CASE(texts_side_by_side_are_not_mistaken_for_others) {
    // "ab" + "c" and "a" + "bc".
    const auto policy = remembering("if job.qos == 'a' and job.partition == 'bc' then job:reject('no') end "
                                    "if job.qos == 'ab' and job.partition == 'zz' then job:reject('no') end");
    for (int i = 0; i < 2; ++i) {
        BOOST_TEST(!is_rejected(*policy, Job().qos("ab").partition("c")));
        BOOST_TEST(is_rejected(*policy, Job().qos("a").partition("bc")));
    }
}

BOOST_AUTO_TEST_CASE(whether_a_field_is_set_is_a_value_of_its_own) {
    const auto policy = remembering("if job:is_set('qos') then job:reject('no') end");
    for (int i = 0; i < 2; ++i) {
        BOOST_TEST(!is_rejected(*policy, Job())); // QOS normal by default
        BOOST_TEST(is_rejected(*policy, Job().qos("normal")));
    }
}

BOOST_AUTO_TEST_CASE(whether_a_job_asks_for_gpus_is_a_value_and_the_gpus_are_none) {
    Job with_gpus;
    with_gpus.request.tres_per_node = "gres:gpu:2";
    Rules asking("if job:is_set('gpu') then job:reject('no') end");
    BOOST_TEST(asking.runs_for(Job()) == 1u);
    BOOST_TEST(asking.runs_for(Job()) == 0u);
    BOOST_TEST(asking.runs_for(with_gpus) == 1u);
    Rules reading("if job:is_set('gpu') and job.gpu.count > 4 then job:reject('no') end");
    BOOST_TEST(reading.runs_for(with_gpus) == 1u);
    BOOST_TEST(reading.runs_for(with_gpus) == 1u);
}

BOOST_AUTO_TEST_CASE(what_earlier_rules_have_read_counts_for_the_next_one_too) {
    const auto policy = remembering({{"1.lua", rule_with("if job.qos == 'none' then job:reject('no') end")},
                                     {"2.lua", rule_with("if job.qos == 'bad' then job:reject('no') end")}});
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(!is_rejected(*policy, Job().qos("good")));
        BOOST_TEST(is_rejected(*policy, Job().qos("bad")));
    }
}

BOOST_AUTO_TEST_CASE(a_value_that_an_earlier_rule_wrote_is_the_one_that_counts) {
    const auto policy =
        remembering({{"1.lua", rule_with("if job.partition == 'gpu' then job.qos = 'bad' end")},
                     {"2.lua", rule_with("if job.qos == 'bad' then job:reject('no') end")}});
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(!is_rejected(*policy, Job().qos("good")));
        BOOST_TEST(is_rejected(*policy, Job().qos("good").partition("gpu")));
    }
}

BOOST_AUTO_TEST_CASE(policies_that_remember_decide_like_those_that_do_not) {
    Texts files = all_shipped_rules();
    for (auto& file : shipped_files("data", "data/"))
        files.push_back(std::move(file));
    const auto with_memory = remembering(files);
    const auto without = policy_of(files);
    std::mt19937 random(20261126);
    std::size_t accepted = 0;
    for (int i = 0; i < 3000; ++i) {
        const Job job = random_job(random);
        const RuleOutcome outcome = with_memory->run(job.request, job.facts());
        const RuleOutcome expected = without->run(job.request, job.facts());
        accepted += expected.rejected ? 0 : 1;
        BOOST_TEST_REQUIRE(shown(outcome) == shown(expected), boost::test_tools::per_element());
    }
    BOOST_TEST(accepted > 100u);
    BOOST_TEST(accepted < 2900u);
}

BOOST_AUTO_TEST_CASE(a_rule_that_counts_its_calls_runs_each_time) {
    const auto policy = remembering("n = n + 1 if n == 3 then job:reject('third') end", "local n = 0");
    BOOST_TEST(!is_rejected(*policy, Job()));
    BOOST_TEST(!is_rejected(*policy, Job()));
    BOOST_TEST(is_rejected(*policy, Job()));
}

BOOST_AUTO_TEST_CASE(a_module_of_the_site_that_counts_makes_its_rules_run_each_time) {
    const auto policy = remembering(
        {{"lib/count.lua", "local M, n = {}, 0 function M.next() n = n + 1 return n end return M"},
         {"t.lua", "local count = require('count')\n" +
                       rule_with("if count.next() == 3 then job:reject('third') end")}});
    BOOST_TEST(!is_rejected(*policy, Job()));
    BOOST_TEST(!is_rejected(*policy, Job()));
    BOOST_TEST(is_rejected(*policy, Job()));
}

BOOST_AUTO_TEST_CASE(a_rule_that_reads_more_than_fields_runs_each_time) {
    for (const std::string body :
         {"local x = job.tres['cpu']", "local x = job.gpu", "local x = job.env['HOME']",
          "local x = job.argv[0]", "local ok = pcall(function() return view.now.hour end)",
          "job:add('features', '')"}) {
        BOOST_TEST_CONTEXT(body) {
            Job job;
            job.request.features = "a";
            Rules rules({{"t.lua", "rule { submit = function(job, view)\n" + body + "\nend }"}});
            BOOST_TEST(rules.runs_for(job) == 1u);
            BOOST_TEST(rules.runs_for(job) == 1u);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_value_that_is_not_known_makes_the_rule_run) {
    Rules rules("pcall(function() return job.qos == 'bad' end)");
    Job job;
    job.knows_accounts = false;
    BOOST_TEST(rules.runs_for(job) == 1u);
    BOOST_TEST(rules.runs_for(job) == 1u);
    BOOST_TEST(rules.runs_for(Job()) == 1u);
    BOOST_TEST(rules.runs_for(Job()) == 0u);
    BOOST_TEST(rules.runs_for(job) == 1u);
}

BOOST_AUTO_TEST_CASE(rules_run_for_each_change_of_a_job) {
    Rules rules("if job.qos == 'bad' then job:reject('no') end");
    BOOST_TEST(rules.runs_for(Job().qos("good")) == 1u);
    BOOST_TEST(rules.runs_for(Job().qos("good"), JobEvent::modify) == 1u);
    BOOST_TEST(rules.runs_for(Job().qos("good"), JobEvent::modify) == 1u);
}

BOOST_AUTO_TEST_CASE(values_beyond_the_bound_are_not_remembered) {
    Rules rules("if job.name == 'bad' then job:reject('no') end");
    const std::string longest(ValueNumbers::max_text, 'x');
    BOOST_TEST(rules.runs_for(with_name(longest)) == 1u);
    BOOST_TEST(rules.runs_for(with_name(longest)) == 0u);
    BOOST_TEST(rules.runs_for(with_name(longest + "x")) == 1u);
    BOOST_TEST(rules.runs_for(with_name(longest + "x")) == 1u);
}

BOOST_AUTO_TEST_CASE(more_fields_than_the_bound_are_not_remembered) {
    const std::vector<std::string> fields{"qos",      "partition", "account", "name",     "user",     "uid",
                                          "comment",  "features",  "prefer",  "licenses", "nodelist", "array",
                                          "priority", "tasks",     "cpus",    "memory",   "nodes"};
    BOOST_REQUIRE(fields.size() == FieldReads::max + 1);
    const auto reading = [&fields](std::size_t count) {
        std::string body;
        for (std::size_t i = 0; i < count; ++i)
            body += "local _ = job." + fields[i] + " ";
        return body;
    };
    Rules at_bound(reading(FieldReads::max));
    BOOST_TEST(at_bound.runs_for(Job()) == 1u);
    BOOST_TEST(at_bound.runs_for(Job()) == 0u);
    Rules beyond(reading(FieldReads::max + 1));
    BOOST_TEST(beyond.runs_for(Job()) == 1u);
    BOOST_TEST(beyond.runs_for(Job()) == 1u);
}

BOOST_AUTO_TEST_CASE(many_different_jobs_neither_fill_memory_nor_change_answers) {
    const auto policy = remembering("if job.name == 'bad' then job:reject('no') end");
    for (std::size_t i = 0; i < 10 * ValueNumbers::max_values; ++i) {
        BOOST_REQUIRE(!is_rejected(*policy, with_name(std::to_string(i))));
        BOOST_REQUIRE(is_rejected(*policy, with_name("bad")));
    }
}

BOOST_AUTO_TEST_CASE(values_and_jobs_beyond_the_bounds_replace_older_ones) {
    static_assert(ValueNumbers::max_values == PassCache::max_jobs);
    Rules rules("if job.name == 'bad' then job:reject('no') end");
    const auto runs = [&rules](std::size_t first, std::size_t last) {
        std::uint64_t sum = 0;
        for (std::size_t i = first; i < last; ++i)
            sum += rules.runs_for(with_name(std::to_string(i)));
        return sum;
    };
    constexpr std::size_t max = ValueNumbers::max_values;
    BOOST_TEST(runs(0, max) == max);
    BOOST_TEST(runs(0, max) == 0u);
    BOOST_TEST(runs(max, max + 1) == 1u); // all values are forgotten but this one
    BOOST_TEST(runs(max, max + 1) == 0u);
    BOOST_TEST(runs(0, 1) == 1u);
}

BOOST_AUTO_TEST_CASE(a_rule_that_sees_only_different_jobs_is_given_up_for_a_while) {
    PassCache cache({false});
    FieldReads reads;
    reads.note({0, model::FieldUse::read});
    Job job;
    const RuleInput facts = job.facts();
    int noted = 0;
    const auto note_others = [&] {
        while (cache.wants(0) && noted < 1000) {
            job.qos(std::to_string(noted++));
            cache.start_job({job.request, facts});
            cache.remember(0, reads, {job.request, facts});
        }
    };
    note_others();
    BOOST_TEST(noted == 64);
    cache.start_job({job.request, facts});
    BOOST_TEST(!cache.knows(0, {job.request, facts}, {})); // although it is the last one
    for (int i = 0; i < 4096; ++i)
        cache.start_job({job.request, facts});
    BOOST_TEST(cache.knows(0, {job.request, facts}, {})); // each hit pays for some more
    note_others();
    BOOST_TEST(noted == 64 + 32 + 4);
}

BOOST_AUTO_TEST_CASE(a_rule_that_sees_the_same_jobs_is_never_given_up) {
    PassCache cache({false});
    FieldReads reads;
    reads.note({0, model::FieldUse::read});
    Job job;
    const RuleInput facts = job.qos("normal").facts();
    cache.start_job({job.request, facts});
    cache.remember(0, reads, {job.request, facts});
    for (int i = 0; i < 10'000; ++i) {
        cache.start_job({job.request, facts});
        BOOST_REQUIRE(cache.knows(0, {job.request, facts}, {}));
    }
}

BOOST_AUTO_TEST_SUITE_END()
