// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a job asks for in an attempt to start it.
#include "support/count_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using test::Counts;

BOOST_FIXTURE_TEST_SUITE(count_attempt, test::CountSetup)

BOOST_AUTO_TEST_CASE(an_attempt_aims_at_the_most_nodes_that_tasks_and_limits_let_it_have) {
    request.min_nodes = 1;
    request.max_nodes = 4;
    request.tasks = request.min_cpus = 3;
    BOOST_TEST(attempted("node") == 3u);
    BOOST_TEST(attempted("node", 0, 2) == 2u);

    partitions[0].max_nodes = 2;
    BOOST_TEST(attempted("node") == 2u);

    request.tres_per_job = "gres:gpu:2";
    BOOST_TEST(attempted("node") == 1u);
}

BOOST_AUTO_TEST_CASE(cpus_that_each_node_must_have_count_at_an_attempt_only) {
    request.tasks = request.min_cpus = request.min_nodes = request.max_nodes = 2;
    request.min_cpus_per_node = 1;
    BOOST_TEST(attempted("cpu") == 2u);

    request.min_cpus_per_node = 3;
    BOOST_TEST(counted("cpu") == 2u);
    BOOST_TEST(attempted("cpu") == 6u);

    request.overcommit = true;
    BOOST_TEST(attempted("cpu") == 2u);
}

BOOST_AUTO_TEST_CASE(cpus_for_memory_are_a_whole_multiple_of_cpus_per_task_rounded_down) {
    partitions[0].max_memory = model::Memory{2000, /*per_cpu=*/true};
    request.tasks = request.min_nodes = request.max_nodes = 1;
    struct Row {
        std::uint64_t mib;
        std::uint32_t cpus_per_task;
        std::uint64_t given;
    };
    // What 22.05.8 gave.
    for (const auto& [mib, cpus_per_task, given] :
         {Row{10000, 1, 5}, Row{10000, 2, 4}, Row{10000, 3, 3}, Row{10000, 4, 4}, Row{10000, 5, 5},
          Row{10000, 6, 6}, Row{9000, 2, 4}, Row{14000, 2, 6}, Row{14000, 3, 6}, Row{14000, 4, 4}}) {
        request.memory = model::Memory{mib, /*per_cpu=*/false};
        request.cpus_per_task = request.min_cpus = cpus_per_task;
        BOOST_TEST(attempted("cpu") == given, mib << " MiB, -c" << cpus_per_task);
    }
    request.memory = model::Memory{10000, /*per_cpu=*/false};
    request.cpus_per_task = request.min_cpus = 2;
    request.tasks_per_node = 1;
    BOOST_TEST(attempted("cpu") == 5u); // slurmctld gives the task more CPUs then
}

BOOST_AUTO_TEST_CASE(default_memory_of_0_for_each_cpu_is_none_at_an_attempt) {
    partitions[0].node_memory_mib = partitions[0].min_node_memory_mib = 64000;
    partitions[0].default_memory = model::Memory{0, /*per_cpu=*/true};
    BOOST_TEST(counted("mem") == 64000u);
    BOOST_TEST(attempted("mem") == 0u);
    request.memory = model::Memory{0, /*per_cpu=*/false}; // --mem=0
    BOOST_TEST(attempted("mem") == 64000u);

    request.has_counted_cpus = request.has_default_memory = true;
    request.memory = partitions[0].default_memory;
    BOOST_TEST(attempted("mem") == 0u);
    partitions[0].default_memory = model::Memory{1000, /*per_cpu=*/true};
    BOOST_TEST(attempted("mem") == 1000u);
}

// A changed request keeps its mark of a default; a partition changes it once.
BOOST_AUTO_TEST_CASE(default_memory_above_the_maximum_of_an_existing_job_adds_cpus_once) {
    request.has_counted_cpus = request.has_default_memory = true;
    request.tasks = request.min_cpus = 2;
    request.memory = partitions[0].default_memory = model::Memory{8000, /*per_cpu=*/true};
    partitions[0].max_memory = model::Memory{4000, /*per_cpu=*/true};
    BOOST_TEST(attempted("cpu") == 4u);
    BOOST_TEST(attempted("mem") == 16000u);
    partitions[0].max_memory = model::Memory{8000, /*per_cpu=*/true};
    BOOST_TEST(attempted("cpu") == 2u);
    request.has_default_memory = false;
    partitions[0].max_memory = model::Memory{4000, /*per_cpu=*/true};
    BOOST_TEST(attempted("cpu") == 4u);
}

BOOST_AUTO_TEST_CASE(an_attempt_aims_at_no_more_nodes_than_the_partition_has) {
    request.min_nodes = 1;
    request.max_nodes = 4;
    request.tasks.reset();
    partitions[0].total_nodes = 3;
    BOOST_TEST(attempted("node") == 3u);

    partitions[0].total_nodes = 4;
    BOOST_TEST(attempted("node") == 4u);

    partitions[0].total_nodes = 0; // not known
    BOOST_TEST(attempted("node") == 4u);
}

BOOST_AUTO_TEST_CASE(tasks_bound_the_nodes_from_22_05_9_on_only_where_nobody_says_how_many_a_node_takes) {
    request.min_nodes = request.tasks = 1;
    request.max_nodes = 3;
    request.tasks_per_node = 1;
    request.tres_per_node = "gres:gpu:1";
    BOOST_TEST(attempted_in({22, 5, 8}, {"node", "gres/gpu"}) == (Counts{1, 1}));

    for (const limits::Release later : {limits::Release(22, 5, 9), limits::Release(24, 11, 5)}) {
        BOOST_TEST(attempted_in(later, {"node", "gres/gpu"}) == (Counts{3, 3}));
        BOOST_TEST(attempted("node", 0, 2) == 2u);
    }
    BOOST_TEST(attempted("cpu") == 1u);

    request.tasks_per_node.reset();
    BOOST_TEST(attempted("node") == 1u);
    BOOST_TEST(attempted("gres/gpu") == 1u);
}

BOOST_AUTO_TEST_CASE(tasks_per_node_fill_all_nodes_of_a_range_where_nobody_counted_tasks_from_22_05_9_on) {
    request.min_nodes = 1;
    request.max_nodes = 3;
    request.tasks.reset();
    request.tasks_per_node = 2;
    BOOST_TEST(attempted_in({22, 5, 8}, {"node", "cpu"}) == (Counts{2, 4}));
    BOOST_TEST(attempted_in({24, 11, 5}, {"node", "cpu"}) == (Counts{3, 6}));
}

BOOST_AUTO_TEST_CASE(an_attempt_takes_as_many_nodes_as_the_tasks_fill) {
    request.tasks = request.min_cpus = 5;
    request.tasks_per_node = 2;
    request.tres_per_node = "gres:gpu:1";
    BOOST_TEST(counted("node") == 1u);
    for (const limits::Release each : {limits::Release(22, 5, 8), limits::Release(24, 11, 5)})
        BOOST_TEST(attempted_in(each, {"node", "gres/gpu"}) == (Counts{3, 3}));

    request.tres_per_node.reset();
    request.tres_per_job = "gres:gpu:4";
    BOOST_TEST(attempted("node") == 3u);

    request.tasks_per_node = 5;
    BOOST_TEST(attempted("node") == 1u);
    request.tasks_per_node.reset();
    BOOST_TEST(attempted("node") == 1u);
}

BOOST_AUTO_TEST_CASE(tasks_that_share_cpus_bound_the_nodes_like_others) {
    request.min_nodes = 1;
    request.max_nodes = 4;
    request.tasks = 2;
    request.overcommit = true;
    for (const limits::Release each : {limits::Release(22, 5, 8), limits::Release(24, 11, 5)})
        BOOST_TEST(attempted_in(each, {"node", "cpu"}) == (Counts{2, 2}));

    request.tasks_per_node = 2;
    BOOST_TEST(attempted("node") == 4u);
    BOOST_TEST(attempted("cpu") == 2u);
}

BOOST_AUTO_TEST_CASE(an_attempt_gives_every_node_its_tasks) {
    request.min_nodes = request.max_nodes = 2;
    request.tasks = request.min_cpus = 3;
    request.tasks_per_node = 2;
    request.tres_per_task = "gres:gpu:1";

    BOOST_TEST(attempted_in({22, 5}, {"cpu", "gres/gpu"}) == (Counts{4, 4}));
    BOOST_TEST(attempted_in({24, 11, 0}, {"cpu", "gres/gpu"}) == (Counts{3, 3}));
}

BOOST_AUTO_TEST_CASE(an_attempt_gives_a_single_task_no_company) {
    request.min_nodes = request.tasks = 1;
    request.max_nodes = 2;
    request.tasks_per_node = request.cpus_per_task = request.min_cpus = 2;

    BOOST_TEST(attempted_in({22, 5, 8}, {"cpu"}) == Counts{2});
    BOOST_TEST(attempted_in({24, 11, 5}, {"cpu"}) == Counts{2});
}

BOOST_AUTO_TEST_CASE(an_attempt_gives_tasks_that_share_cpus_those_of_one_on_every_node) {
    request.min_nodes = request.min_cpus = 2;
    request.tasks = 8;
    request.tasks_per_node = request.cpus_per_task = 4;
    request.overcommit = true;
    request.tres_per_node = "gres:gpu:2";
    request.cpus_per_tres = "gres:gpu:9";

    BOOST_TEST(attempted_in({22, 5}, {"cpu"}) == Counts{8});
    BOOST_TEST(attempted_in({24, 11, 5}, {"cpu"}) == Counts{36});
}

BOOST_AUTO_TEST_CASE(an_attempt_gives_gpus_their_cpus_in_every_release) {
    request.tres_per_node = "gres:gpu:2";
    request.cpus_per_tres = "gres:gpu:4";

    BOOST_TEST(counted("cpu") == 1u);
    BOOST_TEST(attempted("cpu") == 8u);
}

BOOST_AUTO_TEST_CASE(an_attempt_takes_the_defaults_and_weights_of_its_own_partition) {
    request.partition = "main,viz";
    partitions[1].default_memory = model::Memory{2000, /*per_cpu=*/true};
    partitions[1].billing_weights = "Mem=0.01";

    BOOST_TEST(attempted("mem", 0) == 1000u);
    BOOST_TEST(attempted("mem", 1) == 2000u);
    BOOST_TEST(attempted("billing", 1) == 20u);
}

BOOST_AUTO_TEST_SUITE_END()
