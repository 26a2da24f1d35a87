// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/count_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using test::Counts;

BOOST_FIXTURE_TEST_SUITE(count_job, test::CountSetup)

BOOST_AUTO_TEST_CASE(a_request_that_says_nothing_is_one_cpu_on_one_node) {
    request = {};
    request.user_id = 1000;

    BOOST_TEST(counts_of({"node", "cpu", "mem", "billing"}) == (Counts{1, 1, 1000, 1}));
}

BOOST_AUTO_TEST_CASE(cpus_are_tasks_times_cpus_per_task_where_none_were_sent_from_23_11_on) {
    request.tasks = 4;
    request.cpus_per_task = 4;
    request.min_cpus.reset();

    BOOST_TEST(counted("cpu") == 1u);
    release = limits::Release(23, 11);
    BOOST_TEST(counted("cpu") == 16u);
}

BOOST_AUTO_TEST_CASE(cpus_are_tasks_times_cpus_per_task_where_fewer_were_sent) {
    request.tasks = 4;
    request.cpus_per_task = 4;
    request.min_cpus = 3;
    BOOST_TEST(counted("cpu") == 16u);

    request.min_cpus = 16;
    BOOST_TEST(counted("cpu") == 16u);
}

BOOST_AUTO_TEST_CASE(cpus_as_sent_are_believed_when_enough_for_the_tasks) {
    request.tasks = 4;
    request.cpus_per_task = 4;
    request.min_cpus = 4;

    BOOST_TEST(counted("cpu") == 4u);
}

BOOST_AUTO_TEST_CASE(overcommit_keeps_the_cpus_as_sent) {
    request.tasks = 10;
    request.min_cpus = 1;
    request.overcommit = true;

    BOOST_TEST(counted("cpu") == 1u);
}

BOOST_AUTO_TEST_CASE(a_partitions_minimum_raises_the_nodes) {
    partitions[0].min_nodes = 2;

    BOOST_TEST(counted("node") == 2u);
}

BOOST_AUTO_TEST_CASE(memory_comes_per_node_or_per_cpu_or_from_the_partition_or_is_all) {
    request.min_nodes = 2;
    request.tasks = request.min_cpus = 3;
    BOOST_TEST(counted("mem") == 3000u);

    request.memory = model::Memory{500, /*per_cpu=*/false};
    BOOST_TEST(counted("mem") == 1000u);

    request.memory = model::Memory{500, /*per_cpu=*/true};
    BOOST_TEST(counted("mem") == 1500u);

    request.memory = model::Memory{0, false};
    BOOST_TEST(counted("mem") == 512000u);

    request.memory.reset();
    partitions[0].default_memory.reset();
    BOOST_TEST(counted("mem") == 512000u);
}

BOOST_AUTO_TEST_CASE(the_largest_way_to_ask_for_gpus_counts) {
    request.min_nodes = 2;
    request.tres_per_node = "gres:gpu:3";
    BOOST_TEST(counted("gres/gpu") == 6u);

    request.tres_per_job = "gres:gpu:7";
    BOOST_TEST(counted("gres/gpu") == 7u);

    request.tasks = 4;
    request.tres_per_task = "gres:gpu:2";
    BOOST_TEST(counted("gres/gpu") == 8u);
}

BOOST_AUTO_TEST_CASE(a_model_counts_in_itself_and_in_the_whole) {
    request.tres_per_node = "gres:gpu:a100:2";
    BOOST_TEST(counts_of({"gres/gpu", "gres/gpu:a100"}) == (Counts{2, 2}));

    request.tres_per_node = "gres:gpu:2";
    BOOST_TEST(counted("gres/gpu:a100") == 0u);
}

BOOST_AUTO_TEST_CASE(cpus_per_gpu_count_from_24_05_on) {
    request.tres_per_job = "gres:gpu:4";
    request.cpus_per_tres = "gres:gpu:4";

    BOOST_TEST(counted("cpu") == 1u);
    release = limits::Release(24, 5);
    BOOST_TEST(counted("cpu") == 16u);
}

BOOST_AUTO_TEST_CASE(billing_follows_the_weights_of_the_first_partition) {
    partitions[0].billing_weights = "CPU=1.5,Mem=0.5G,GRES/gpu=2";
    request.tasks = request.min_cpus = 7;
    request.memory = model::Memory{4096, false};

    BOOST_TEST(counted("billing") == 12u); // 10.5 + 2

    request.tres_per_node = "gres:gpu:1";
    BOOST_TEST(counted("billing") == 14u);
}

BOOST_AUTO_TEST_CASE(licenses_and_array_tasks_are_counted) {
    request.licenses = "foo:3";
    request.array = "0-9%2";

    BOOST_TEST(counted("license/foo") == 3u);
    BOOST_TEST(count().array_tasks == 10u);
}

BOOST_AUTO_TEST_CASE(the_partitions_default_time_applies_where_none_was_given) {
    partitions[0].default_time = TimeLimit{30};
    BOOST_TEST(count().time_limit.value() == TimeLimit{30});

    request.time_limit = TimeLimit{5};
    BOOST_TEST(count().time_limit.value() == TimeLimit{5});
}

BOOST_AUTO_TEST_CASE(a_long_node_list_raises_the_counts_before_23_02) {
    request.required_nodes = "n[1-3]";

    BOOST_TEST(counts_of({"node", "cpu"}) == (Counts{3, 3}));
    release = limits::Release(23, 2);
    BOOST_TEST(counted("node") == 1u);
}

BOOST_AUTO_TEST_CASE(models_add_up_however_each_is_asked_for) {
    request.tres_per_node = "gres:gpu:a100:1";
    request.tres_per_job = "gres:gpu:h100:2";

    BOOST_TEST(counts_of({"gres/gpu", "gres/gpu:a100"}) == (Counts{3, 1}));
}

BOOST_AUTO_TEST_CASE(any_model_is_left_out_next_to_a_model) {
    request.tres_per_node = "gres:gpu:a100:2";
    request.memory_per_tres = "gres:gpu:1500";

    BOOST_TEST(counts_of({"gres/gpu", "mem"}) == (Counts{2, 3000}));
}

BOOST_AUTO_TEST_CASE(any_model_counts_as_some_model_where_the_cluster_counts_nothing_else) {
    records.tres = std::make_shared<const model::TresCatalogue>(
        std::vector<std::string>{"cpu", "mem", "energy", "node", "billing", "gres/gpu:a100"});
    request.tres_per_node = "gres:gpu:2";

    BOOST_TEST(counted("gres/gpu:a100") == 2u);
}

BOOST_AUTO_TEST_CASE(gpus_per_socket_count_sockets_asked_for_else_those_of_the_tasks) {
    request.min_nodes = 2;
    request.tres_per_socket = "gres:gpu:1";
    request.tasks = 6;
    request.tasks_per_socket = 2;
    BOOST_TEST(counted("gres/gpu") == 3u);

    request.sockets_per_node = 2;
    BOOST_TEST(counted("gres/gpu") == 4u);
}

BOOST_AUTO_TEST_CASE(gpus_follow_from_tasks_per_gpu) {
    request.tasks = request.min_cpus = 6;
    request.tasks_per_tres = 2;

    BOOST_TEST(counted("gres/gpu") == 3u);
}

BOOST_AUTO_TEST_CASE(cpus_per_gpu_count_for_each_model_from_24_05_on) {
    release = limits::Release(24, 5);
    request.tres_per_node = "gres/gpu:a100:2";
    request.cpus_per_tres = "gres/gpu:3";

    BOOST_TEST(counted("cpu") == 6u);
}

BOOST_AUTO_TEST_CASE(memory_per_gpu_counts_gpus_as_they_are_asked_for) {
    request.memory_per_tres = "gres:gpu:100";
    request.tasks = request.min_cpus = 3;
    request.tres_per_task = "gres:gpu:2";
    BOOST_TEST(counted("mem") == 600u);

    request.tres_per_task.reset();
    request.tres_per_node = "gres:gpu:2";
    request.min_nodes = 2;
    BOOST_TEST(counted("mem") == 400u);
}

BOOST_AUTO_TEST_CASE(a_license_named_twice_adds_up) {
    request.licenses = "foo:2,foo:1";

    BOOST_TEST(counted("license/foo") == 3u);
}

BOOST_AUTO_TEST_CASE(of_several_partitions_the_least_minimum_raises_the_nodes) {
    request.partition = "main,viz";
    partitions[0].min_nodes = 3;
    partitions[1].min_nodes = 2;
    BOOST_TEST(counted("node") == 2u);

    request.max_nodes = 1;
    BOOST_TEST(counted("node") == 1u);
}

BOOST_AUTO_TEST_CASE(tasks_per_node_count_tasks_only_where_nodes_are_known) {
    request.tasks.reset();
    request.min_nodes.reset();
    request.tasks_per_node = 4;
    BOOST_TEST(counted("cpu") == 1u);

    request.min_nodes = 2;
    BOOST_TEST(counted("cpu") == 8u);

    request.min_nodes.reset();
    release = limits::Release(23, 2);
    BOOST_TEST(counted("cpu") == 4u);
}

BOOST_AUTO_TEST_SUITE_END()
