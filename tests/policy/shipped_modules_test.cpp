// SPDX-License-Identifier: GPL-2.0-or-later
//
// The modules that are built in, lua/lib.
#include "qosgate/policy/objects/fields.hpp"
#include "support/policy_setup.hpp"
#include "support/sanitized.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::policy;
using namespace qg::test;

namespace {

/// The value of an expression about a built-in module; "error: ..." if it fails.
std::string value_with(const std::string& module, const std::string& expression, Job job = {}) {
    const auto policy =
        policy_of({{"t.lua", qg::text::format("local {0} = require('{0}')\n", module) +
                                 rule_with(at_run_time("job:warn('%s', tostring(" + expression + "))"))}});
    const auto outcome = job.run(*policy);
    return outcome.rejected ? "error: " + outcome.events.at(0).text : outcome.warnings.at(0);
}

} // namespace

BOOST_AUTO_TEST_SUITE(shipped_names)

BOOST_AUTO_TEST_CASE(reads_lists) {
    BOOST_TEST(value_with("names", "table.concat(names.list('a,b,,c'), ' ')") == "a b c");
    BOOST_TEST(value_with("names", "table.concat(names.list('a'), ' ')") == "a");
    BOOST_TEST(value_with("names", "#names.list(',')") == "0");
    BOOST_TEST(value_with("names", "table.concat(names.list('a,'), ' ')") == "a");
    BOOST_TEST(value_with("names", "#names.list('')") == "0");
    BOOST_TEST(value_with("names", "#names.list(nil)") == "0");
}

BOOST_AUTO_TEST_CASE(goes_through_lists_in_order) {
    const auto walked = [](const std::string& text) {
        return value_with("names", "(function() local all = '' for i, name in names.each(" + text +
                                       ") do all = all .. i .. name end return all end)()");
    };
    BOOST_TEST(walked("'a,b,,c'") == "1a2b3c");
    BOOST_TEST(walked("'a'") == "1a");
    BOOST_TEST(walked("','") == "");
    BOOST_TEST(walked("''") == "");
    BOOST_TEST(walked("nil") == "");
    BOOST_TEST(walked("('a'):rep(101) .. ',b'") == "1" + std::string(101, 'a') + "2b");
}

BOOST_AUTO_TEST_CASE(keeps_no_more_lists_than_fit) {
    // Jobs of users who think of ever new texts.
    const auto policy = policy_of(
        {{"t.lua", "local names = require('names')\n" +
                       rule_with("local all = '' for _, n in names.each(job.name) do all = all .. n end "
                                 "if all ~= job.name:gsub(',', '') then job:reject('wrong') end")}});
    Job job;
    for (int i = 0; i < 1000; ++i) {
        job.request.name = "n" + std::to_string(i) + "," + std::string(i % 200, 'x');
        BOOST_TEST(!job.run(*policy).rejected);
    }
    for (int i = 0; i < 500; ++i) {
        job.request.name = std::to_string(i);
        while (job.request.name->size() < 4000 / slowness)
            *job.request.name += ",a";
        const auto outcome = job.run(*policy);
        BOOST_TEST_REQUIRE(!outcome.rejected, outcome.reject_message);
    }
}

BOOST_AUTO_TEST_CASE(finds_whole_names) {
    BOOST_TEST(value_with("names", "names.has('cpu,debug', 'debug')") == "true");
    BOOST_TEST(value_with("names", "names.has('cpu,debugging', 'debug')") == "false");
    BOOST_TEST(value_with("names", "names.has(nil, 'debug')") == "false");
}

BOOST_AUTO_TEST_CASE(adds_a_name_once) {
    BOOST_TEST(value_with("names", "names.add('a', 'b')") == "a,b");
    BOOST_TEST(value_with("names", "names.add('a,b', 'b')") == "a,b");
    BOOST_TEST(value_with("names", "names.add(nil, 'b')") == "b");
}

BOOST_AUTO_TEST_CASE(makes_sets) {
    BOOST_TEST(value_with("names", "names.set({ 'a', 'b' }).b") == "true");
    BOOST_TEST(value_with("names", "names.set({ 'a', 'b' }).c") == "nil");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(shipped_options)

BOOST_AUTO_TEST_CASE(requires_options_with_help) {
    const auto policy =
        policy_of({{"t.lua", "local options = require('options')\n" +
                                 rule_with("options.required(job, 'time_limit', 'see the guide')")}});

    BOOST_TEST(Job().run(*policy).reject_message == "this job needs --time: see the guide");
    BOOST_TEST(!Job().minutes(5).run(*policy).rejected);
}

BOOST_AUTO_TEST_CASE(requires_one_of_several) {
    const auto policy =
        policy_of({{"t.lua", "local options = require('options')\n" +
                                 rule_with("options.required(job, 'memory_per_node,memory_per_cpu', 'x')")}});
    Job job;
    BOOST_TEST(job.run(*policy).reject_message == "this job needs --mem or --mem-per-cpu: x");
    job.request.memory = qg::model::Memory{100, true};
    BOOST_TEST(!job.run(*policy).rejected);
}

BOOST_AUTO_TEST_CASE(forbids_options) {
    const auto policy = policy_of({{"t.lua", "local options = require('options')\n" +
                                                 rule_with("options.forbidden(job, 'nodelist', 'no')")}});
    Job job;
    BOOST_TEST(!job.run(*policy).rejected);
    job.request.required_nodes = "n1";
    BOOST_TEST(job.run(*policy).reject_message == "--nodelist is not allowed here: no");
}

BOOST_AUTO_TEST_CASE(names_the_option_of_each_field) {
    for (const FieldSpec& field : job_fields())
        if (field.is_set != nullptr)
            BOOST_TEST(value_with("options", qg::text::format("options.option('{}')", field.name)) ==
                           field.option.text,
                       field.name);
}

BOOST_AUTO_TEST_CASE(names_options_as_users_write_them) {
    BOOST_TEST(value_with("options", "options.option('time_limit')") == "--time");
    BOOST_TEST(value_with("options", "options.option('time_min')") == "--time-min");
    BOOST_TEST(value_with("options", "options.option('features')") == "--constraint");
    BOOST_TEST(value_with("options", "options.option('overcommit')") == "--overcommit");
    BOOST_TEST(value_with("options", "options.option('disable_binding')") == "--gres-flags=disable-binding");
    BOOST_TEST(value_with("options", "options.given(job, 'qos,time_limit')", Job().minutes(1)) == "true");
    BOOST_TEST(value_with("options", "options.given(job, 'qos,time_limit')") == "false");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(shipped_ratios)

namespace {

/// What is wrong with a job that asks for GPUs in this way and gets so many; "nil": nothing.
std::string problem(const std::string& request, std::uint64_t gpus, std::uint64_t cpus,
                    std::uint64_t memory = 0) {
    Job job = Job().gpus(gpus).cpus(cpus).counted(1, memory);
    if (!request.empty()) job.request.tres_per_node = request;
    return value_with("ratios",
                      "ratios.problem(job, { a100 = { cpus = 16, memory = 1000 }, ['*'] = { cpus = 4 } })",
                      std::move(job));
}

} // namespace

BOOST_AUTO_TEST_CASE(bounds_cpus_by_type_to_the_boundary) {
    BOOST_TEST(problem("gres:gpu:a100:1", 1, 16) == "nil");
    BOOST_TEST(problem("gres:gpu:a100:1", 1, 17) ==
               "this job asks for 17 CPUs; with 1 GPU it may have at most 16");
    BOOST_TEST(problem("gres:gpu:t4:2", 2, 8) == "nil");
    BOOST_TEST(problem("gres:gpu:t4:2", 2, 9) != "nil");
    BOOST_TEST(problem("gres:gpu:2", 2, 9) != "nil");
}

BOOST_AUTO_TEST_CASE(bounds_memory) {
    BOOST_TEST(problem("gres:gpu:a100:2", 2, 1, 2000) == "nil");
    BOOST_TEST(problem("gres:gpu:a100:2", 2, 1, 2001) ==
               "this job asks for 2001 MiB of memory; with 2 GPUs it may have at most 2000");
    BOOST_TEST(problem("gres:gpu:t4:2", 2, 1, 9999) == "nil");
}

BOOST_AUTO_TEST_CASE(counts_gpus_of_all_nodes_and_types) {
    BOOST_TEST(problem("gres:gpu:a100:2", 8, 128) == "nil"); // on four nodes
    BOOST_TEST(problem("gres:gpu:a100:2", 8, 129) != "nil");
    BOOST_TEST(problem("gres:gpu:a100:1,gres:gpu:t4:1", 2, 20) == "nil");
    BOOST_TEST(problem("gres:gpu:a100:1,gres:gpu:t4:1", 2, 21) != "nil");
    BOOST_TEST(problem("", 0, 999) == "nil");
}

BOOST_AUTO_TEST_CASE(bounds_counts_that_no_cluster_has) {
    BOOST_TEST(problem("gres:gpu:a100:4294967295", 4294967295, 1) == "nil");
    BOOST_TEST(problem("gres:gpu:a100:4294967295", 4294967295, 16 * std::uint64_t{4294967295}) == "nil");
    BOOST_TEST(problem("gres:gpu:a100:4294967295", 4294967295, 16 * std::uint64_t{4294967295} + 1) ==
               "this job asks for 68719476721 CPUs; with 4294967295 GPUs it may have at most 68719476720");
    BOOST_TEST(problem("gres:gpu:a100:1152921504606846976", 1152921504606846976, 1) == "nil");
    // 2 nodes with so many make 2 to the power of 64, which slurmctld counts as 0.
    BOOST_TEST(problem("gres:gpu:a100:9223372036854775808", 0, 1) ==
               "this job asks for 1 CPUs; with 0 GPUs it may have at most 0");
    BOOST_TEST(problem("gres:gpu:a100:18446744073709551614", 18446744073709551614u, 1) ==
               "this job asks for 1 CPUs; with inf GPUs it may have at most 0");
}

BOOST_AUTO_TEST_CASE(refuse_a_misspelt_bound) {
    const auto of_share = [](const std::string& share) {
        Job job = Job().gpus(1).cpus(99);
        job.request.tres_per_node = "gres:gpu:1";
        return value_with("ratios", "ratios.problem(job, { ['*'] = " + share + " })", std::move(job));
    };
    BOOST_TEST(has_text(of_share("{ cpu = 16 }"), "the share of a GPU has no 'cpu'; it has cpus and memory"));
    BOOST_TEST(of_share("{ cpus = 99 }") == "nil");
    BOOST_TEST(of_share("{}") == "nil");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(shipped_lookup)

BOOST_AUTO_TEST_CASE(finds_values_by_several_keys) {
    const std::string find =
        "lookup.find({ gpu = { astro = 8, ['*'] = 2 }, cpu = { bio = 1 }, ['*'] = { ['*'] = 16, "
        "astro = 5 } }, ";
    BOOST_TEST(value_with("lookup", find + "'gpu', 'astro')") == "8");
    BOOST_TEST(value_with("lookup", find + "'gpu', 'bio')") == "2");
    BOOST_TEST(value_with("lookup", find + "'cpu', 'bio')") == "1");
    BOOST_TEST(value_with("lookup", find + "'cpu', 'astro')") == "5");
    BOOST_TEST(value_with("lookup", find + "'cpu', 'chem')") == "16");
    BOOST_TEST(value_with("lookup", find + "'other', 'chem')") == "16");
    BOOST_TEST(value_with("lookup", find + "nil, nil)") == "16");
    BOOST_TEST(value_with("lookup", "lookup.find({ a = { b = false } }, 'a', 'b')") == "false");
    BOOST_TEST(value_with("lookup", "lookup.find({ a = { b = 1 } }, 'x', 'b')") == "nil");
    BOOST_TEST(value_with("lookup", "lookup.find(nil, 'x')") == "nil");
}

BOOST_AUTO_TEST_CASE(indexes_rows) {
    const auto value = [](const std::string& expression, const std::string& csv) {
        const auto policy =
            try_policy({{"t.lua", "local lookup = require('lookup')\n"
                                  "local t = lookup.index(data('t.csv'), 'partition', 'account')\n" +
                                      rule_with("job:warn('%s', tostring(" + expression + "))")},
                        {"data/t.csv", "partition,account,gpus\n" + csv}});
        return policy ? Job().run(**policy).warnings.at(0) : policy.error().message;
    };
    BOOST_TEST(value("t.gpu.astro.gpus", "gpu,astro,4\ngpu,bio,2\n") == "4");
    BOOST_TEST(value("lookup.find(t, 'gpu', 'chem').gpus", "gpu,astro,4\ngpu,,2\n") == "2");
    BOOST_TEST(value("t.cpu", "gpu,astro,4\n") == "nil");
    BOOST_TEST(value("1", "gpu,astro,4\ngpu,astro,2\n") ==
               "t.lua:2: row 2 has the same keys as a row before it");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(shipped_buckets)

BOOST_AUTO_TEST_CASE(chooses_the_first_that_fits_to_the_boundary) {
    const auto chosen = [](Job job) {
        return value_with(
            "buckets",
            "(buckets.choose(job, { { gpus = 1, time = 60, q = 'short' }, { nodes = 2, q = 'small' }, "
            "{ cpus = 8, tasks = 4, q = 'few' } }) or { q = 'none' }).q",
            std::move(job));
    };
    BOOST_TEST(chosen(Job().gpus(1).minutes(60)) == "short");
    BOOST_TEST(chosen(Job().gpus(1).minutes(61)) == "small");
    BOOST_TEST(chosen(Job().gpus(2).minutes(60)) == "small");
    BOOST_TEST(chosen(Job().gpus(1).default_minutes(60)) == "short");
    BOOST_TEST(chosen(Job().gpus(1)) == "small"); // without a time limit
    BOOST_TEST(chosen(Job().gpus(2).nodes(3).cpus(8)) == "few");
    BOOST_TEST(chosen(Job().gpus(2).nodes(3).cpus(9)) == "none");
}

BOOST_AUTO_TEST_SUITE_END()
