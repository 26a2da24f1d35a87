// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/gate_setup.hpp"

#include "qosgate/gate/count_job.hpp"
#include "qosgate/gate/partition_list.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;

namespace {

struct CountSetup : test::GateSetup {
    model::ResolvedJob count() const {
        const auto c = cluster();
        quota::Lookup lookup;
        lookup.user_id = request.user_id;
        const auto asked = gate::find_partitions(request, c);
        lookup.partitions = asked.found;
        const auto view = quota::LocalQuota(records).check(lookup).value();
        return gate::count_job(request, view, c, release);
    }
    std::uint64_t counted(std::string_view name) const { return count().tres.at(tres(name)); }

    /// The same at an attempt to start the job in one of its partitions.
    std::uint64_t attempted(std::string_view name, std::size_t partition = 0,
                            std::optional<std::uint64_t> most_nodes = std::nullopt) const {
        const auto c = cluster();
        quota::Lookup lookup;
        lookup.user_id = request.user_id;
        const auto asked = gate::find_partitions(request, c);
        lookup.partitions = asked.found;
        const auto view = quota::LocalQuota(records).check(lookup).value();
        const gate::JobCounter counter(request, view, c, release);
        const auto counts = counter.at_attempt(view, partition, most_nodes);
        if (counts) return counts->at(tres(name));
        model::ResolvedJob job;
        counter.count_submission(view, job);
        return job.tres.at(tres(name));
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(count_job, CountSetup)

BOOST_AUTO_TEST_CASE(a_request_that_says_nothing_is_one_cpu_on_one_node) {
    request = {};
    request.user_id = 1000;

    BOOST_TEST(counted("node") == 1u);
    BOOST_TEST(counted("cpu") == 1u);
    BOOST_TEST(counted("mem") == 1000u);
    BOOST_TEST(counted("billing") == 1u);
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
    BOOST_TEST(counted("gres/gpu") == 2u);
    BOOST_TEST(counted("gres/gpu:a100") == 2u);

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

    BOOST_TEST(counted("node") == 3u);
    BOOST_TEST(counted("cpu") == 3u);
    release = limits::Release(23, 2);
    BOOST_TEST(counted("node") == 1u);
}

BOOST_AUTO_TEST_CASE(models_add_up_however_each_is_asked_for) {
    request.tres_per_node = "gres:gpu:a100:1";
    request.tres_per_job = "gres:gpu:h100:2";

    BOOST_TEST(counted("gres/gpu") == 3u);
    BOOST_TEST(counted("gres/gpu:a100") == 1u);
}

BOOST_AUTO_TEST_CASE(any_model_is_left_out_next_to_a_model) {
    request.tres_per_node = "gres:gpu:a100:2";
    request.memory_per_tres = "gres:gpu:1500";

    BOOST_TEST(counted("gres/gpu") == 2u);
    BOOST_TEST(counted("mem") == 3000u);
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
    release = limits::Release(22, 5, 8);
    BOOST_TEST(attempted("node") == 1u);
    BOOST_TEST(attempted("gres/gpu") == 1u);

    for (const limits::Release later : {limits::Release(22, 5, 9), limits::Release(24, 11, 5)}) {
        release = later;
        BOOST_TEST(attempted("node") == 3u);
        BOOST_TEST(attempted("gres/gpu") == 3u);
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
    release = limits::Release(22, 5, 8);
    BOOST_TEST(attempted("node") == 2u);
    BOOST_TEST(attempted("cpu") == 4u);

    release = limits::Release(24, 11, 5);
    BOOST_TEST(attempted("node") == 3u);
    BOOST_TEST(attempted("cpu") == 6u);
}

BOOST_AUTO_TEST_CASE(an_attempt_takes_as_many_nodes_as_the_tasks_fill) {
    request.tasks = request.min_cpus = 5;
    request.tasks_per_node = 2;
    request.tres_per_node = "gres:gpu:1";
    BOOST_TEST(counted("node") == 1u);
    for (const limits::Release each : {limits::Release(22, 5, 8), limits::Release(24, 11, 5)}) {
        release = each;
        BOOST_TEST(attempted("node") == 3u);
        BOOST_TEST(attempted("gres/gpu") == 3u);
    }

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
    for (const limits::Release each : {limits::Release(22, 5, 8), limits::Release(24, 11, 5)}) {
        release = each;
        BOOST_TEST(attempted("node") == 2u);
        BOOST_TEST(attempted("cpu") == 2u);
    }

    request.tasks_per_node = 2;
    BOOST_TEST(attempted("node") == 4u);
    BOOST_TEST(attempted("cpu") == 2u);
}

BOOST_AUTO_TEST_CASE(an_attempt_gives_every_node_its_tasks) {
    request.min_nodes = request.max_nodes = 2;
    request.tasks = request.min_cpus = 3;
    request.tasks_per_node = 2;
    request.tres_per_task = "gres:gpu:1";

    BOOST_TEST(attempted("cpu") == 4u);
    BOOST_TEST(attempted("gres/gpu") == 4u);

    release = limits::Release(24, 11, 0);
    BOOST_TEST(attempted("cpu") == 3u);
    BOOST_TEST(attempted("gres/gpu") == 3u);
}

BOOST_AUTO_TEST_CASE(an_attempt_gives_a_single_task_no_company) {
    request.min_nodes = request.tasks = 1;
    request.max_nodes = 2;
    request.tasks_per_node = request.cpus_per_task = request.min_cpus = 2;

    release = limits::Release(22, 5, 8);
    BOOST_TEST(attempted("cpu") == 2u);
    release = limits::Release(24, 11, 5);
    BOOST_TEST(attempted("cpu") == 2u);
}

BOOST_AUTO_TEST_CASE(an_attempt_gives_tasks_that_share_cpus_those_of_one_on_every_node) {
    request.min_nodes = request.min_cpus = 2;
    request.tasks = 8;
    request.tasks_per_node = request.cpus_per_task = 4;
    request.overcommit = true;
    request.tres_per_node = "gres:gpu:2";
    request.cpus_per_tres = "gres:gpu:9";

    BOOST_TEST(attempted("cpu") == 8u);

    release = limits::Release(24, 11, 5);
    BOOST_TEST(attempted("cpu") == 36u);
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
