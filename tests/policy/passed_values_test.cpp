// SPDX-License-Identifier: GPL-2.0-or-later
//
// The combinations of values with which rules do nothing, in which one look tells it for all rules.
#include "qosgate/policy/passed_values.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

FieldRead read_of(std::string_view name, model::FieldUse use = model::FieldUse::read) {
    const FieldSpec* field = find_job_field(name);
    BOOST_TEST_REQUIRE(field != nullptr);
    return {static_cast<std::uint8_t>(field - job_fields().data()), use};
}

/// Watches the QOS and the partition.
struct WatchesTwo {
    WatchesTwo() { passed.watch(std::array{read_of("qos"), read_of("partition")}); }

    void start(const std::string& qos, const std::string& partition = "cpu") {
        Job job;
        job.qos(qos).partition(partition);
        start(job);
    }
    void start(const Job& job) {
        values.start_job();
        passed.start_job(values, {job.request, job.facts()});
    }

    ValueNumbers values;
    PassedValues passed;
};

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

} // namespace

BOOST_FIXTURE_TEST_SUITE(passed_values, WatchesTwo)

BOOST_AUTO_TEST_CASE(a_rule_is_known_for_the_combination_and_for_no_other) {
    start("a");
    BOOST_TEST(!passed.has(0));
    passed.add(0);
    BOOST_TEST(passed.has(0));
    BOOST_TEST(!passed.has(1));
    start("a");
    BOOST_TEST(passed.has(0));
    start("b");
    BOOST_TEST(!passed.has(0));
    start("a", "gpu");
    BOOST_TEST(!passed.has(0));
    start("a");
    BOOST_TEST(passed.has(0));
}

BOOST_AUTO_TEST_CASE(what_is_watched_anew_is_forgotten) {
    start("a");
    passed.add(0);
    passed.watch_nothing();
    passed.watch(std::array{read_of("qos")});
    start("a");
    BOOST_TEST(!passed.has(0));
    BOOST_TEST(passed.watches(std::array{read_of("qos")}));
    BOOST_TEST(!passed.watches(std::array{read_of("qos"), read_of("partition")}));
    BOOST_TEST(!passed.watches(std::array{read_of("qos", model::FieldUse::is_set)}));
}

BOOST_AUTO_TEST_CASE(all_reads_of_a_list_are_watched_or_none) {
    std::vector<FieldRead> reads;
    for (std::uint8_t field = 0; field < PassedValues::max_reads; ++field)
        reads.push_back({field, model::FieldUse::is_set});
    passed.watch_nothing();
    passed.watch(std::span(reads).first(PassedValues::max_reads - 1));
    const std::array too_many{reads.back(), read_of("qos")};
    passed.watch(too_many);
    BOOST_TEST(!passed.watches(too_many));
    BOOST_TEST(!passed.watches(std::span(reads).last(1)));
    passed.watch(std::span(reads).last(1));
    BOOST_TEST(passed.watches(reads));
}

BOOST_AUTO_TEST_CASE(the_last_rule_within_the_bound_is_known_and_the_next_never) {
    constexpr std::size_t last = PassedValues::max_rules - 1;
    start("a");
    passed.add(last);
    passed.add(last + 1);
    BOOST_TEST(passed.has(last));
    BOOST_TEST(!passed.has(last + 1));
}

BOOST_AUTO_TEST_CASE(rules_that_do_nothing_are_skipped_together) {
    start("a");
    BOOST_TEST(passed.first_other(5) == 5u);
    for (const std::size_t rule : {0u, 1u, 3u, 62u, 63u, 64u})
        passed.add(rule);
    BOOST_TEST(passed.first_other(0) == 2u);
    BOOST_TEST(passed.first_other(2) == 2u);
    BOOST_TEST(passed.first_other(3) == 4u);
    BOOST_TEST(passed.first_other(62) == 65u);
    BOOST_TEST(passed.first_other(64) == 65u);
    for (std::size_t rule = 0; rule < PassedValues::max_rules; ++rule)
        passed.add(rule);
    for (const std::size_t rule : {0u, 63u, 64u, 127u, 128u})
        BOOST_TEST(passed.first_other(rule) == PassedValues::max_rules);
    BOOST_TEST(passed.first_other(PassedValues::max_rules + 9) == PassedValues::max_rules + 9);
}

BOOST_AUTO_TEST_CASE(texts_that_end_alike_are_told_apart) {
    start("aaaa-job-0001");
    passed.add(0);
    for (const char* other : {"bbbb-job-0001", "-job-0001", "job-0001", "aaaa-job-0002"}) {
        start(other);
        BOOST_TEST(!passed.has(0), other);
    }
    start("aaaa-job-0001");
    BOOST_TEST(passed.has(0));
}

BOOST_AUTO_TEST_CASE(a_value_without_a_number_has_no_combination) {
    const std::string longest(ValueNumbers::max_text, 'x');
    for (const bool is_longer : {false, true}) {
        start(longest + (is_longer ? "x" : ""));
        passed.add(0);
        BOOST_TEST(passed.has(0) == !is_longer);
    }
}

BOOST_AUTO_TEST_CASE(new_combinations_replace_others_and_mix_with_none) {
    constexpr std::size_t count = 4 * PassedValues::combinations;
    std::size_t known = 0;
    for (int round = 0; round < 2; ++round)
        for (std::size_t i = 0; i < count; ++i) {
            // A rule of its own for each.
            start(std::to_string(i % 16), std::to_string(i / 16));
            for (std::size_t rule = 0; rule < PassedValues::max_rules; ++rule)
                BOOST_REQUIRE(!passed.has(rule) || rule == i % PassedValues::max_rules);
            known += passed.has(i % PassedValues::max_rules) ? 1 : 0;
            passed.add(i % PassedValues::max_rules);
        }
    BOOST_TEST(known <= PassedValues::combinations);
}

BOOST_AUTO_TEST_CASE(jobs_that_it_spares_a_rule_are_counted_in_portions) {
    start("a");
    passed.add(0);
    for (std::uint32_t i = 1; i < PassedValues::jobs_at_once; ++i)
        start("a");
    BOOST_TEST(passed.jobs(0) == 0u);
    start("a");
    BOOST_TEST(passed.jobs(0) == PassedValues::jobs_at_once);
    BOOST_TEST(passed.jobs(1) == 0u);
    start("a");
    passed.watch_nothing(); // no count is lost
    BOOST_TEST(passed.jobs(0) == PassedValues::jobs_at_once + 1);
}

BOOST_AUTO_TEST_CASE(many_rules_with_many_fields_decide_as_those_that_remember_nothing) {
    std::mt19937 random(20261127);
    Texts files;
    for (std::size_t i = 0; i < PassedValues::max_rules + 22; ++i)
        files.emplace_back(std::to_string(1000 + i) + ".lua", random_rule(random, i));
    SourceDirectory directory{true, {}};
    for (const auto& [name, content] : files)
        directory.files.push_back({name, content});
    const auto with_memory = compile_policy(std::move(directory), {.remembers_passes = true}).value();
    const auto without = policy_of(files);
    std::size_t warned = 0;
    for (int i = 0; i < 3000; ++i) {
        const Job job = job_of_few_values(random);
        const auto expected = without->run(job.request, job.facts()).warnings;
        const auto found = with_memory->run(job.request, job.facts()).warnings;
        warned += expected.empty() ? 0 : 1;
        BOOST_REQUIRE_EQUAL_COLLECTIONS(found.begin(), found.end(), expected.begin(), expected.end());
    }
    BOOST_TEST(warned > 100u);
}

BOOST_AUTO_TEST_SUITE_END()
