// SPDX-License-Identifier: GPL-2.0-or-later
//
// A rule that did nothing with a job rests while what it read stays the same, and only then.
#include "shipped_files.hpp"
#include "support/counted_rules.hpp"
#include "support/policy_files.hpp"
#include "support/policy_setup.hpp"
#include "support/small_view.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cstdint>
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

/// A policy whose rules rest.
std::shared_ptr<const Policy> resting(const Texts& files) {
    SourceDirectory directory{true, {}};
    for (const auto& [name, content] : files)
        directory.files.push_back({name, content});
    return compile_policy(std::move(directory), {.counts_failures = true, .lets_rules_rest = true}).value();
}

std::shared_ptr<const Policy> resting(const std::string& body, const std::string& before = {}) {
    return resting({{"t.lua", before + "\n" + rule_with(body)}});
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

/// A name of a QOS, an account ... among few.
std::string any_name(std::mt19937& random) {
    return std::string(1, static_cast<char>('a' + random() % 3));
}

const std::array rule_fields{"qos",    "partition", "account",  "name",   "comment",   "features",
                             "prefer", "licenses",  "nodelist", "tasks",  "exclusive", "is_batch",
                             "cpus",   "nodes",     "gpus",     "memory", "time_limit"};

/// Warns about jobs of two values, one of which may be whether a field is set.
std::string random_rule(std::mt19937& random, std::size_t number) {
    const auto condition = [&random] {
        const std::string field = rule_fields[random() % rule_fields.size()];
        if (random() % 3 == 0 && field != "cpus" && field != "nodes" && field != "gpus" &&
            field != "memory" && field != "is_batch")
            return "job:is_set('" + field + "')";
        return "tostring(job." + field + ") == '" + any_name(random) + "'";
    };
    return rule_with("if " + condition() + " and " + condition() + " then job:warn('" +
                     std::to_string(number) + "') end");
}

Job job_of_few_values(std::mt19937& random) {
    Job job;
    const auto maybe = [&random]() -> std::optional<std::string> {
        return random() % 2 == 0 ? std::nullopt : std::optional(any_name(random));
    };
    job.request.qos = maybe();
    job.request.partition = maybe();
    job.request.account = maybe();
    if (random() % 4 == 0) job.request.comment = maybe();
    if (random() % 4 == 0) job.request.features = maybe();
    if (random() % 4 == 0) job.request.licenses = maybe();
    job.request.name = "n" + std::to_string(random() % 100);
    return job;
}

/// Rules over a small view.
struct Viewing {
    explicit Viewing(const std::string& body)
        : rules(Texts{{"t.lua", "rule { submit = function(job, view)\n" + body + "\nend }"}}) {
        job.view = &view;
    }

    std::uint64_t runs() { return rules.runs_for(job); }
    /// The user may run so many more jobs of QOS normal.
    void leave(std::uint64_t jobs) {
        QosFacts& normal = view.facts_of("normal");
        normal.qos.limits.set(model::CountLimit::max_jobs_per_user, jobs);
        normal.headroom.reset();
    }

    SmallView view;
    Job job;
    Rules rules;
};

} // namespace

BOOST_AUTO_TEST_SUITE(resting_rules)

BOOST_AUTO_TEST_CASE(a_rule_rests_while_what_it_reads_stays_the_same) {
    Rules rules("if job.qos == 'bad' then job:reject('no') end");
    BOOST_TEST(rules.runs_for(Job().qos("good")) == 1u);
    BOOST_TEST(rules.runs_for(Job().qos("good").cpus(99)) == 0u); // which it does not look at
    BOOST_TEST(rules.runs_for(Job().qos("other")) == 1u);
    BOOST_TEST(rules.runs_for(Job().qos("other")) == 0u);
    BOOST_TEST(rules.runs_for(Job().qos("good")) == 1u); // only the last job counts
}

BOOST_AUTO_TEST_CASE(a_rule_that_rejects_runs_each_time) {
    Rules rules("if job.qos == 'bad' then job:reject('no') end");
    for (int i = 0; i < 3; ++i)
        BOOST_TEST(rules.runs_for(Job().qos("bad")) == 1u);
}

BOOST_AUTO_TEST_CASE(a_job_that_differs_in_one_value_is_judged_anew) {
    const auto policy = resting("if job.qos == 'long' and job.time_limit > 60 and job.nodes > 1 then "
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
    const auto policy = resting("if job.time_limit == math.huge then job:reject('no') end "
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
    const auto policy = resting("if job.qos == 'a' and job.partition == 'bc' then job:reject('no') end "
                                "if job.qos == 'ab' and job.partition == 'zz' then job:reject('no') end");
    for (int i = 0; i < 2; ++i) {
        BOOST_TEST(!is_rejected(*policy, Job().qos("ab").partition("c")));
        BOOST_TEST(is_rejected(*policy, Job().qos("a").partition("bc")));
    }
}

BOOST_AUTO_TEST_CASE(whether_a_field_is_set_is_a_value_of_its_own) {
    const auto policy = resting("if job:is_set('qos') then job:reject('no') end");
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
    const auto policy = resting({{"1.lua", rule_with("if job.qos == 'none' then job:reject('no') end")},
                                 {"2.lua", rule_with("if job.qos == 'bad' then job:reject('no') end")}});
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(!is_rejected(*policy, Job().qos("good")));
        BOOST_TEST(is_rejected(*policy, Job().qos("bad")));
    }
}

BOOST_AUTO_TEST_CASE(a_value_that_an_earlier_rule_wrote_is_the_one_that_counts) {
    const auto policy = resting({{"1.lua", rule_with("if job.partition == 'gpu' then job.qos = 'bad' end")},
                                 {"2.lua", rule_with("if job.qos == 'bad' then job:reject('no') end")}});
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(!is_rejected(*policy, Job().qos("good")));
        BOOST_TEST(is_rejected(*policy, Job().qos("good").partition("gpu")));
    }
}

BOOST_AUTO_TEST_CASE(policies_whose_rules_rest_decide_like_those_whose_rules_run) {
    Texts files = all_shipped_rules();
    for (auto& file : shipped_files("data", "data/"))
        files.push_back(std::move(file));
    const auto policy = resting(files);
    const auto without = policy_of(files);
    std::mt19937 random(20261126);
    std::size_t accepted = 0;
    for (int i = 0; i < 3000; ++i) {
        const Job job = random_job(random);
        const RuleOutcome outcome = policy->run(job.request, job.facts());
        const RuleOutcome expected = without->run(job.request, job.facts());
        accepted += expected.rejected ? 0 : 1;
        BOOST_TEST_REQUIRE(shown(outcome) == shown(expected), boost::test_tools::per_element());
    }
    BOOST_TEST(accepted > 100u);
    BOOST_TEST(accepted < 2900u);
}

BOOST_AUTO_TEST_CASE(a_rule_that_counts_its_calls_runs_each_time) {
    const auto policy = resting("n = n + 1 if n == 3 then job:reject('third') end", "local n = 0");
    BOOST_TEST(!is_rejected(*policy, Job()));
    BOOST_TEST(!is_rejected(*policy, Job()));
    BOOST_TEST(is_rejected(*policy, Job()));
}

BOOST_AUTO_TEST_CASE(a_module_of_the_site_that_counts_makes_its_rules_run_each_time) {
    const auto policy =
        resting({{"lib/count.lua", "local M, n = {}, 0 function M.next() n = n + 1 return n end return M"},
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

BOOST_AUTO_TEST_CASE(a_text_beyond_the_bound_makes_its_rules_run) {
    Rules rules("if job.name == 'bad' then job:reject('no') end");
    const std::string longest(KeptFields::max_text, 'x');
    BOOST_TEST(rules.runs_for(with_name(longest)) == 1u);
    BOOST_TEST(rules.runs_for(with_name(longest)) == 0u);
    BOOST_TEST(rules.runs_for(with_name(longest + "x")) == 1u);
    BOOST_TEST(rules.runs_for(with_name(longest + "x")) == 1u);
    BOOST_TEST(rules.runs_for(with_name(longest)) == 1u);
    BOOST_TEST(rules.runs_for(with_name(longest)) == 0u);
}

BOOST_AUTO_TEST_CASE(looks_beyond_the_bound_make_their_rules_run_and_are_right) {
    std::vector<std::string> looks;
    for (const FieldSpec& field : job_fields()) {
        if (field.type >= FieldType::tres) continue;
        looks.push_back("job." + std::string(field.name));
        if (field.is_set != nullptr) looks.push_back("job:is_set('" + std::string(field.name) + "')");
    }
    BOOST_TEST_REQUIRE(looks.size() > KeptFields::max_looks);
    const auto looking = [&looks](std::size_t count) {
        std::string body;
        for (std::size_t i = 0; i < count; ++i)
            body += "local _ = " + looks[i] + " ";
        return "do " + body + " end";
    };
    Rules at_bound(looking(KeptFields::max_looks));
    BOOST_TEST(at_bound.runs_for(Job()) == 1u);
    BOOST_TEST(at_bound.runs_for(Job()) == 0u);
    Rules beyond(looking(KeptFields::max_looks + 1));
    BOOST_TEST(beyond.runs_for(Job()) == 1u);
    BOOST_TEST(beyond.runs_for(Job()) == 1u);
    // What there is no room for is read anew for each job.
    const auto policy = resting({{"1.lua", rule_with(looking(KeptFields::max_looks))},
                                 {"2.lua", rule_with("if job.exclusive then job:reject('no') end")}});
    for (int i = 0; i < 3; ++i) {
        Job whole;
        whole.request.exclusive = true;
        BOOST_TEST(is_rejected(*policy, whole));
        BOOST_TEST(!is_rejected(*policy, Job()));
    }
}

BOOST_AUTO_TEST_CASE(a_branch_that_is_taken_later_counts_from_then_on) {
    Rules rules("if job.qos == 'long' and job.time_limit == 99 then job:reject('no') end");
    BOOST_TEST(rules.runs_for(Job().qos("short").minutes(1)) == 1u);
    BOOST_TEST(rules.runs_for(Job().qos("short").minutes(99)) == 0u); // not read
    BOOST_TEST(rules.runs_for(Job().qos("long").minutes(1)) == 1u);
    BOOST_TEST(rules.runs_for(Job().qos("long").minutes(2)) == 1u);
    BOOST_TEST(rules.runs_for(Job().qos("long").minutes(2)) == 0u);
    BOOST_TEST(rules.runs_for(Job().qos("long").minutes(99)) == 1u); // it rejects
    BOOST_TEST(rules.runs_for(Job().qos("long").minutes(99)) == 1u);
}

BOOST_AUTO_TEST_CASE(a_rule_that_reads_view_runs_for_every_job) {
    for (const char* body : {"local max = view.qos('normal').MaxJobsPerUser", "local hour = view.now.hour",
                             "local is_staff = view.user.in_group('staff')", "local qos = view.qos('night')",
                             "local fits = view.qos('normal'):fits(job)", "local names = view.qos_allowed()"})
        BOOST_TEST_CONTEXT(body) {
            Viewing rule(body);
            BOOST_TEST(rule.runs() == 1u);
            BOOST_TEST(rule.runs() == 1u);
        }
    Viewing changing("local left = view.qos(job.qos):headroom().jobs "
                     "if left and left < 1 then job:reject('no') end");
    changing.leave(1);
    BOOST_TEST(changing.runs() == 1u);
    changing.leave(0);
    BOOST_TEST(changing.runs() == 1u);
}

BOOST_AUTO_TEST_CASE(many_rules_with_many_fields_decide_as_those_that_never_rest) {
    std::mt19937 random(20261127);
    Texts files;
    for (std::size_t i = 0; i < 150; ++i)
        files.emplace_back(std::to_string(1000 + i) + ".lua", random_rule(random, i));
    const auto policy = resting(files);
    const auto without = policy_of(files);
    std::size_t warned = 0;
    for (int i = 0; i < 3000; ++i) {
        const Job job = job_of_few_values(random);
        const auto expected = without->run(job.request, job.facts()).warnings;
        const auto found = policy->run(job.request, job.facts()).warnings;
        warned += expected.empty() ? 0 : 1;
        BOOST_REQUIRE_EQUAL_COLLECTIONS(found.begin(), found.end(), expected.begin(), expected.end());
    }
    BOOST_TEST(warned > 100u);
}

BOOST_AUTO_TEST_SUITE_END()
