// SPDX-License-Identifier: GPL-2.0-or-later
//
// Suggestions depend on the nodes: on what fits on them, and on what is not known about them.
#include "support/suggestion_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::JobRequest;
using model::TresLimit;

BOOST_FIXTURE_TEST_SUITE(suggestion_nodes, test::SuggestionSetup)

BOOST_AUTO_TEST_CASE(offers_nothing_with_which_the_tasks_do_not_fit_on_the_nodes) {
    ask_too_long();
    ask(4, 2);

    request.tasks_per_node = 1;
    BOOST_TEST(nearest() == "none");
    request.tasks_per_node = 2;
    BOOST_TEST(nearest() == "--time=01:00:00");
}

BOOST_AUTO_TEST_CASE(offers_nothing_that_the_partitions_nodes_do_not_have) {
    ask_too_long();
    partitions[0].tres = "cpu=256,mem=187.50G,node=4,billing=256,gres/gpu=16";
    partitions[0].total_cpus = 256;

    ask(16, 2);
    request.tres_per_task = "gres:gpu:1";
    BOOST_TEST(nearest() == "none");
    ask(8, 2);
    BOOST_TEST(nearest() == "--time=01:00:00");
    request.tres_per_task.reset();
    ask(129, 2);
    BOOST_TEST(nearest() == "none");
    ask(128, 2);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(256, std::nullopt);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(257, std::nullopt);
    BOOST_TEST(nearest() == "--ntasks=256 --time=01:00:00");
}

BOOST_AUTO_TEST_CASE(counts_the_nodes_that_tasks_fill) {
    qos(0).limits.set(TresLimit::max_tres_mins_per_job, tres("node"), 60);
    partitions[0].total_cpus = 128;
    request.time_limit = TimeLimit{120};

    ask(8, std::nullopt, 4);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(9, std::nullopt, 4);
    BOOST_TEST(nearest() == "--time=00:30:00");
    ask(6, std::nullopt, 5);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(7, std::nullopt, 5); // 35 CPUs; 6 tasks fit on a node
    BOOST_TEST(nearest() == "--time=00:30:00");

    ask(8, std::nullopt);
    request.tres_per_task = "gres:gpu:1";
    partitions[0].tres = "cpu=128,node=4,gres/gpu=32";
    BOOST_TEST(nearest() == "--time=01:00:00");
    partitions[0].tres = "cpu=128,node=4,gres/gpu=16";
    BOOST_TEST(nearest() == "--time=00:30:00");
    request.overcommit = true; // the tasks share CPUs, and the job asks for no GPUs
    request.min_cpus = 1;
    BOOST_TEST(nearest() == "--time=00:30:00");
    ask(17, std::nullopt);
    request.min_cpus = 1;
    BOOST_TEST(nearest() == "none");
    request.overcommit = false;

    ask(8, std::nullopt);
    request.tres_per_task.reset();
    request.tres_per_job = "gres:gpu:8";
    BOOST_TEST(nearest() == "--time=00:30:00");
}

BOOST_AUTO_TEST_CASE(counts_the_memory_of_each_node_that_tasks_fill) {
    qos(0).limits.set(TresLimit::max_tres_mins_per_job, tres("mem"), 60 * 1000);
    partitions[0].total_cpus = 128;
    request.time_limit = TimeLimit{120};
    request.memory = model::Memory{1000, /*per_cpu=*/false};

    ask(32, std::nullopt);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(33, std::nullopt);
    BOOST_TEST(nearest() == "--time=00:30:00");
}

BOOST_AUTO_TEST_CASE(suggests_nothing_for_resources_per_socket) {
    ask_too_long();
    BOOST_TEST(nearest() == "--time=01:00:00");

    request.tres_per_socket = "gres:gpu:1"; // the selection decides on how many sockets
    request.sockets_per_node = 1;
    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(takes_no_more_tasks_than_nodes_within_a_limit_hold) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("node"), 2);
    ask_too_long();
    partitions[0].total_cpus = 128;

    ask(12, std::nullopt, 5);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(13, std::nullopt, 5);
    BOOST_TEST(nearest() == "--ntasks=12 --nodes=2 --time=01:00:00");
}

BOOST_AUTO_TEST_CASE(no_cpus_for_a_task_are_one) {
    ask_too_long();
    partitions[0].total_cpus = 128;
    request.memory = model::Memory{1000, /*per_cpu=*/true};
    ask(1, 1);
    request.cpus_per_task = 0;
    BOOST_TEST(nearest() == "--time=01:00:00");
}

BOOST_AUTO_TEST_CASE(a_job_for_one_node_may_have_the_largest) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    partitions[0].total_cpus = 128;
    partitions[0].node_kinds = {{.count = 1, .cpus = 64, .memory_mib = 256000},
                                {.count = 3, .cpus = 32, .memory_mib = 256000}};
    request.time_limit = TimeLimit{120};

    ask(1, 1, 64);
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask(1, 1, 65);
    BOOST_TEST(nearest() == "none");
    ask(2, 2, 64); // one node may be enough
    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(offers_nothing_that_one_node_cannot_hold) {
    qos(0).limits.set(CountLimit::max_wall, 60);
    partitions[0].total_cpus = 128;
    partitions[0].node_memory_mib = 64000;
    partitions[0].tres = "cpu=128,node=4,gres/gpu=32";
    request.time_limit = TimeLimit{120};
    const auto offers = [this] { return nearest() == "--time=01:00:00"; };

    ask(2, 1, 8);
    request.memory = model::Memory{8000, /*per_cpu=*/true};
    BOOST_TEST(!offers()); // only one task fits on a node
    request.memory->mib = 4000;
    BOOST_TEST(offers());
    ask(1, 1, 9);
    request.memory->mib = 7111;
    BOOST_TEST(offers());
    request.memory->mib = 7112;
    BOOST_TEST(!offers());
    request.memory = model::Memory{64000, /*per_cpu=*/false};
    BOOST_TEST(offers());
    request.memory->mib = 64001;
    BOOST_TEST(!offers());
    request.memory.reset();

    ask(2, 1, 6);
    request.tasks_per_node = 5; // slurmctld requires room for all five
    BOOST_TEST(offers());
    ask(2, 1, 7);
    BOOST_TEST(!offers());
    request.overcommit = true;
    request.min_cpus = 1;
    BOOST_TEST(!offers());
    request.tasks_per_node.reset();
    BOOST_TEST(offers());
    request.overcommit = false;

    request.submit_line = "sbatch --gres=gpu:8";
    request.tres_per_node = "gres:gpu:8";
    BOOST_TEST(offers());
    request.tres_per_node = "gres:gpu:9";
    BOOST_TEST(!offers());
}

BOOST_AUTO_TEST_CASE(every_node_gets_a_gpu_of_those_for_the_job) {
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 1);
    ask(4, 2);
    request.tasks_per_node = 2;
    request.tres_per_job = "gres:gpu:2";
    BOOST_TEST(nearest() == "--ntasks=2 --nodes=1 --gpus=1");

    request.tres_per_job = "gres:gpu:4";
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 2);
    BOOST_TEST(nearest() == "--gpus=2");
}

BOOST_AUTO_TEST_CASE(offers_nothing_for_gpus_of_tasks_or_models_that_bring_cpus_along) {
    ask_too_long();
    ask(4, 2);
    ask_gpus(&JobRequest::tres_per_task, "gres:gpu:1");
    BOOST_TEST(nearest() == "--time=01:00:00");
    request.cpus_per_tres = "gres:gpu:2";
    BOOST_TEST(nearest() == "none");

    ask_gpus(&JobRequest::tres_per_node, "gres:gpu:a100:1");
    BOOST_TEST(nearest() == "--time=01:00:00");
    ask_gpus(&JobRequest::tres_per_node, "gres:gpu:a100:1,gres:gpu:h100:1");
    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(offers_nothing_that_the_selection_has_no_nodes_for) {
    ask_too_long();
    request.tasks_per_node = 2;
    request.tres_per_job = "gres:gpu:2";
    ask(2, 2);
    BOOST_TEST(nearest() == "--time=01:00:00");
    release = limits::Release(24, 11);
    BOOST_TEST(nearest() == "none");
    ask(4, 2);
    BOOST_TEST(nearest() == "--time=01:00:00");
}

BOOST_AUTO_TEST_CASE(offers_nothing_for_whole_nodes_that_differ) {
    ask_too_long();
    request.exclusive = true;

    BOOST_TEST(nearest() == "none");
    const model::NodeKind kind{.count = 2, .cpus = 64, .memory_mib = 256000, .whole_cpus = 64};
    partitions[0].total_cpus = 256;
    partitions[0].node_kinds = {kind, kind};
    BOOST_TEST(nearest() == "--time=01:00:00");
    partitions[0].node_kinds[1].gres = {{"gpu", "", 1}};
    BOOST_TEST(nearest() == "none");
    partitions[0].node_kinds[1] = kind;
    gives_whole_nodes = true; // select/linear
    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_CASE(fewer_whole_nodes_are_offered) {
    request.exclusive = true;
    const model::NodeKind kind{
        .count = 4, .cpus = 64, .memory_mib = 256000, .gres = {{"gpu", "", 4}}, .whole_cpus = 64};
    partitions[0].total_cpus = 256;
    partitions[0].min_node_cpus = 64;
    partitions[0].node_kinds = {kind};
    ask(std::nullopt, 5);
    BOOST_TEST(nearest() == "--nodes=4");
    request.min_nodes = 1; // how many it gets is up to the selection
    BOOST_TEST(nearest() == "none");
    ask(std::nullopt, 3);
    for (const std::uint64_t gpus : {11u, 8u}) {
        qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), gpus);
        BOOST_TEST(nearest() == "--nodes=2");
    }
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 12);
    BOOST_TEST(nearest() == "none", "all is well");
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 3);
    BOOST_TEST(nearest() == "none");
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("gres/gpu"), 100);
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 128);
    BOOST_TEST(nearest() == "--nodes=2");
}

BOOST_AUTO_TEST_CASE(offers_nothing_for_a_part_of_a_heterogeneous_job) {
    ask_too_long();
    request.is_het_part = true;

    BOOST_TEST(nearest() == "none");
}

BOOST_AUTO_TEST_SUITE_END()
