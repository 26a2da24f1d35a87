// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice on jobs that do not fit on the nodes, on unknown nodes and on array indices that are too large.
#include "qosgate/base/text.hpp"
#include "support/gate_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::Memory;

namespace {

constexpr bool per_cpu = true, per_node = false;

/// Nodes a1 and a2 have 16 CPUs, 64000 MiB and 2 GPUs, b1 64 CPUs and 32000 MiB. All are in main; a1, a2 in
/// viz.
struct SizeSetup : test::GateSetup {
    SizeSetup() {
        request.submit_uid = request.user_id;
        const model::NodeKind small{2, 16, 64000, {{"gpu", "", 2}}}, wide{1, 64, 32000, {}};
        set(partitions[0], {small, wide}, {0, 2});
        set(partitions[1], {small}, {0, 1});
        names.emplace();
        names->nodes = {"a1", "a2", "b1", "c1"};
        names->node_indices = {0, 1, 2, 3};
        names->gres = {{"gpu"}};
        request.min_nodes.reset();
        for (auto& partition : partitions)
            partition.is_for_everybody = false; // and so is none suggested
    }

    static void set(model::Partition& partition, std::vector<model::NodeKind> kinds, model::NodeRange nodes) {
        partition.total_nodes = partition.total_cpus = 0;
        for (const model::NodeKind& kind : kinds) {
            partition.total_nodes += kind.count;
            partition.total_cpus += kind.count * static_cast<std::uint32_t>(kind.cpus);
        }
        partition.node_kinds = std::move(kinds);
        partition.nodes = {nodes};
        partition.min_node_cpus = 16;
        partition.node_memory_mib = 64000;
    }

    void ask(std::uint32_t tasks, std::uint32_t cpus_per_task = 1) {
        request.tasks = tasks;
        request.cpus_per_task = cpus_per_task;
        request.min_cpus = tasks * cpus_per_task;
    }

    std::string advice() const {
        const auto decision = decide();
        BOOST_TEST(decision.reject == model::RejectCode::none); // advice never refuses
        return text::join(decision.message, "\n");
    }

    /// Expects no advice with `good`, and `words` with `bad`, the first value that is too much.
    template <typename Field, typename Value>
    void expect(Field field, Value good, Value bad, const std::string& words) {
        request.*field = good;
        BOOST_TEST(advice() == "");
        request.*field = bad;
        BOOST_TEST(advice() == words);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(advice_size, SizeSetup)

BOOST_AUTO_TEST_CASE(memory_of_a_node_is_bounded_by_max_mem_per_node) {
    partitions[0].max_memory = Memory{16000, per_node};
    const std::string bound =
        "partition main allows a job 16000M of memory on each node (MaxMemPerNode); this job asks for ";
    const std::string never = "; slurmctld never starts it as it is (MaxMemPerLimit)";
    const std::string less = never + ": ask for --mem=16000M or less";
    expect(&model::JobRequest::memory, Memory{16000, per_node}, Memory{16001, per_node},
           bound + "16001M" + less);
    expect(&model::JobRequest::memory, Memory{16000, per_cpu}, Memory{16001, per_cpu},
           bound + "16001M" + never);
    expect(&model::JobRequest::memory, Memory{1, per_node}, Memory{0, per_node}, bound + "64000M" + less);
    ask(4);
    request.max_nodes = 2; // at least two tasks per node
    expect(&model::JobRequest::memory, Memory{8000, per_cpu}, Memory{8001, per_cpu},
           bound + "16002M, 8001M for each of 2 CPUs" + never);
    enforce_part_limits = model::EnforcePartLimits::all; // slurmctld refuses the job
    BOOST_TEST(advice() == bound + "16002M, 8001M for each of 2 CPUs");
    enforce_part_limits = model::EnforcePartLimits::no;
    request.partition = "main,viz";
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(the_cluster_bounds_memory_where_the_partition_does_not) {
    max_memory = Memory{2000, per_node};
    request.memory = Memory{2001, per_node};
    BOOST_TEST(advice() != "");
    partitions[0].max_memory = Memory{2001, per_node};
    BOOST_TEST(advice() == "");
    request.memory.reset();
    default_memory = Memory{2002, per_node};
    partitions[0].default_memory.reset();
    request.cpus_per_task = 2;
    BOOST_TEST(advice() ==
               "partition main allows a job 2001M of memory on each node (MaxMemPerNode); this job "
               "gets 2002M; slurmctld never starts it as it is (MaxMemPerLimit)");
}

BOOST_AUTO_TEST_CASE(max_mem_per_cpu_takes_more_cpus_for_memory) {
    request.partition = "viz";
    partitions[1].max_memory = Memory{1000, per_cpu};
    const std::string none =
        "no node of partition viz has that many CPUs: the largest has 16, this job asks for 17, "
        "one for each 1000M of its memory (MaxMemPerCPU)";
    expect(&model::JobRequest::memory, Memory{16000, per_node}, Memory{16001, per_node}, none);
    request.memory.reset();
    expect(&model::JobRequest::memory, Memory{16000, per_cpu}, Memory{16001, per_cpu}, none);
}

BOOST_AUTO_TEST_CASE(cpus_that_are_too_few_for_a_task_count_in_some_releases) {
    request.partition = "viz";
    model::Partition& viz = partitions[1];
    viz.node_kinds = {{.count = 2, .cpus = 16, .memory_mib = 64000}};
    viz.total_nodes = 2;
    viz.total_cpus = 32;
    request.memory = model::Memory{10, /*per_cpu=*/false};
    const auto told = [this](std::uint32_t tasks, std::uint32_t cpus, limits::Release of) {
        release = of;
        request.cpus_per_task = cpus;
        request.tasks = tasks;
        request.min_cpus = tasks * cpus;
        return advice();
    };
    const char* const words = "partition viz has room for 2 tasks of this job; it asks for 3 (9 CPUs each)";
    for (const limits::Release each : {limits::Release{22, 5, 7}, limits::Release{23, 2, 4}})
        BOOST_TEST(told(3, 9, each) == "");
    for (const limits::Release each : {limits::Release{22, 5, 6}, limits::Release{23, 2, 5}})
        BOOST_TEST(told(3, 9, each) == words);
    BOOST_TEST(told(3, 10, {22, 5, 8}) == "");
    request.memory = model::Memory{10, /*per_cpu=*/true};
    BOOST_TEST(told(3, 9, {22, 5, 8}).starts_with("partition viz has room for 2 tasks of this job"));
    request.memory = model::Memory{10, /*per_cpu=*/false};
    request.tasks_per_socket = 1;
    BOOST_TEST(told(3, 9, {22, 5, 8}) == "");
    viz.node_kinds[0].shape.sockets = 1;
    BOOST_TEST(told(3, 9, {22, 5, 8}) == words); // 9 CPUs on each node
}

BOOST_AUTO_TEST_CASE(each_node_has_the_sockets_cores_and_threads_asked_for) {
    using model::JobDetail;
    request.sockets_per_node = 99; // of nodes whose shape is not known
    BOOST_TEST(advice() == "");
    request.sockets_per_node.reset();
    auto& kinds = partitions[0].node_kinds;
    kinds[0].shape = {2, 4, 2};
    kinds[1].shape = {1, 64, 1};
    expect(&model::JobRequest::sockets_per_node, std::optional(2u), std::optional(3u),
           "no node of partition main has that many sockets: the largest has 2, this job asks for 3");
    request.sockets_per_node = 1;
    const auto told = [&](JobDetail detail, std::int64_t count) {
        request.details.set(detail, count);
        const std::string words = advice();
        request.details.set(detail, std::int64_t{0});
        return words;
    };
    BOOST_TEST(told(JobDetail::cores_per_socket, 64) == "");
    BOOST_TEST(told(JobDetail::cores_per_socket, 65) ==
               "no node of partition main has that many cores on each socket: the largest has 64, this job "
               "asks for 65");
    BOOST_TEST(told(JobDetail::threads_per_core, 2) == "");
    BOOST_TEST(told(JobDetail::threads_per_core, 3) ==
               "no node of partition main has that many threads on each core: the largest has 2, this job "
               "asks for 3");
    request.sockets_per_node = 2; // no node has both
    BOOST_TEST(told(JobDetail::cores_per_socket, 5) ==
               "partition main has no node with all that this job asks for on each");
    request.partition = "main,viz"; // whose nodes are not known
    BOOST_TEST(told(JobDetail::cores_per_socket, 5) == "");
}

BOOST_AUTO_TEST_CASE(cpus_of_each_node_count_on_the_threads_that_the_job_uses) {
    partitions[0].node_kinds = {{.count = 2, .cpus = 16, .memory_mib = 64000, .threads_per_core = 2}};
    request.min_cpus_per_node = 16;
    BOOST_TEST(advice() == "");
    for (const auto detail : {model::JobDetail::threads_per_core, model::JobDetail::tasks_per_core}) {
        request.details.set(detail, std::int64_t{1});
        for (const bool overcommit : {false, true}) {
            request.overcommit = overcommit;
            expect(&model::JobRequest::min_cpus_per_node, std::optional(8u), std::optional(9u),
                   "no node of partition main has that many CPUs: the largest has 8 on the threads that "
                   "this job uses, this job asks for 9");
        }
        request.details.set(detail, std::int64_t{0});
    }
}

BOOST_AUTO_TEST_CASE(max_cpus_per_node_bounds_what_a_job_gets_of_each) {
    partitions[0].max_cpus_per_node = 8;
    const std::string none = "no node of partition main has that many CPUs: the largest has 8 for a job "
                             "(MaxCPUsPerNode), this job "
                             "asks for ";
    expect(&model::JobRequest::cpus_per_task, 8u, 9u, none + "9");
    request.cpus_per_task = 2;
    expect(&model::JobRequest::tasks_per_node, 4u, 5u, none + "10");
    request.tasks_per_node.reset();
    request.cpus_per_task.reset();
    ask(24);
    BOOST_TEST(advice() == "");
    ask(25);
    BOOST_TEST(
        advice().starts_with("this job can never start as it is: partition main gives a job at most 24 "
                             "CPUs, 8 on each node (MaxCPUsPerNode); this job asks for 25 "
                             "(PartitionConfig)"));
    ask(1);
    request.exclusive = true;
    BOOST_TEST(advice() == "partition main gives a job at most 8 CPUs of a node (MaxCPUsPerNode), and so no "
                           "whole nodes");
}

BOOST_AUTO_TEST_CASE(what_no_node_has_together_is_told) {
    request.cpus_per_task = 17;
    expect(&model::JobRequest::memory, Memory{32000, per_node}, Memory{32001, per_node},
           "partition main has no node with all that this job asks for on each");
    request.cpus_per_task = 16;
    BOOST_TEST(advice() == "");
    request.memory = Memory{64001, per_node};
    BOOST_TEST(advice() == "no node of partition main has that much memory: the largest has 64000M, this job "
                           "asks for 64001M");
}

BOOST_AUTO_TEST_CASE(whole_nodes_have_memory_for_all_of_their_cpus) {
    request.partition = "viz";
    request.memory = Memory{4001, per_cpu};
    BOOST_TEST(advice() == "");
    request.exclusive = true;
    BOOST_TEST(advice() == "no node of partition viz has that much memory: the largest has 64000M, this job "
                           "asks for 64016M, 4001M for each CPU of a whole node");
    request.memory = Memory{4000, per_cpu};
    BOOST_TEST(advice() == "");
    request.exclusive = false;
    partitions[1].gives_whole_nodes = true;
    request.memory = Memory{4001, per_cpu};
    BOOST_TEST(advice() != "");
}

BOOST_AUTO_TEST_CASE(fewer_nodes_than_asked_for_that_have_the_share_are_told) {
    ask(1);
    request.min_nodes = request.max_nodes = 2;
    request.memory = Memory{64000, per_node};
    BOOST_TEST(advice() == "");
    request.min_nodes = request.max_nodes = request.tasks = request.min_cpus = 3;
    BOOST_TEST(advice() ==
               "2 nodes of partition main have what this job asks for on each; it asks for 3 nodes");
}

BOOST_AUTO_TEST_CASE(tasks_for_which_there_is_no_room_are_told) {
    ask(64); // 16 tasks each on a1 and a2, 32 on b1; each has 1000 MiB
    BOOST_TEST(advice() == "");
    ask(65);
    BOOST_TEST(advice() == "partition main has room for 64 tasks of this job; it asks for 65 (1 CPU each, "
                           "1000M of memory per CPU)");
    shares_out_memory = false;
    BOOST_TEST(advice() == "");
    shares_out_memory = true;

    partitions[0].max_nodes = 2;
    ask(48);
    BOOST_TEST(advice() == "");
    ask(49);
    BOOST_TEST(advice() ==
               "partition main has room for 48 tasks of this job on 2 nodes; it asks for 49 (1 CPU "
               "each, 1000M of memory per CPU)");
    request.max_nodes = 1;
    ask(33);
    BOOST_TEST(
        advice().starts_with("partition main has room for 32 tasks of this job on 1 node; it asks for 33"));
    request.overcommit = true;
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(tasks_per_node_are_no_maximum_for_a_job_with_gpus_in_all) {
    ask(4);
    request.tasks_per_node = 1; // three nodes
    BOOST_TEST(advice() == "partition main has room for 3 tasks of this job; it asks for 4 (1 CPU each, "
                           "1000M of memory per CPU)");
    request.tres_per_job = "gres:gpu:2";
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(gpus_of_all_nodes_that_a_job_may_have_are_told) {
    const std::string has = "partition main has ";
    expect(&model::JobRequest::tres_per_job, std::string("gres:gpu:4"), std::string("gres:gpu:5"),
           has + "4 GPUs; this job asks for 5");
    request.max_nodes = 1;
    expect(&model::JobRequest::tres_per_job, std::string("gres:gpu:2"), std::string("gres:gpu:3"),
           has + "2 GPUs on 1 node; this job asks for 3");
    request.max_nodes.reset();
    request.tres_per_job.reset();
    ask(3);
    expect(&model::JobRequest::tres_per_task, std::string("gres:gpu:1"), std::string("gres:gpu:2"),
           has + "4 GPUs; this job asks for 6");
}

BOOST_AUTO_TEST_CASE(what_applies_is_told_where_a_partition_bounds_nodes) {
    partitions[0].max_nodes = 1;
    ask(97);
    BOOST_TEST(
        advice().starts_with("this job can never start as it is: partition main gives a job at most 64 "
                             "CPUs, on 1 node; this job asks for 97"));
    partitions[0].max_nodes.reset();
    BOOST_TEST(advice().starts_with("this job can never start as it is: partition main has 96 CPUs; this job "
                                    "asks for 97"));
}

BOOST_AUTO_TEST_CASE(of_a_hidden_partition_no_size_is_told) {
    ask(65);
    request.memory = Memory{9999999, per_node};
    request.required_nodes = "c1";
    request.excluded_nodes = "a[1-2],b1";
    BOOST_TEST(advice() != "");
    partitions[0].is_hidden = true;
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(an_array_ends_before_max_array_size) {
    expect(&model::JobRequest::array, std::string("0-1000"), std::string("0-1001"),
           "indices of job arrays end at 1000 here (MaxArraySize); this job asks for 1001");
    request.array = "x";
    BOOST_TEST(advice().starts_with("--array=x is no list of indices"));
}

BOOST_AUTO_TEST_CASE(a_node_that_nobody_knows_is_told) {
    expect(&model::JobRequest::required_nodes, std::string("a[1-2],b1"), std::string("a[1-2],b11"),
           "no node 'b11' is known; did you mean b1?");
    request.required_nodes = "zzzzzzz";
    BOOST_TEST(advice() == "no node 'zzzzzzz' is known");
    for (const char* list : {"a1,a[1-2", "a]]", "a[1-[2]", "a[1-2]]"}) {
        request.required_nodes = list;
        BOOST_TEST(advice() ==
                   text::format("--nodelist: '{}' lacks a bracket: write n1,n2 or n[1-4,7]", list));
    }
    request.required_nodes = "a[1],a[2]";
    BOOST_TEST(advice() == "");
    request.required_nodes.reset();
    request.excluded_nodes = "b[1";
    BOOST_TEST(advice().starts_with("--exclude: 'b[1' lacks a bracket"));
    request.required_nodes.reset();
    request.excluded_nodes = "c1";
    BOOST_TEST(advice() == "");
    request.excluded_nodes = "c2"; // c1 is in no partition of the job
    BOOST_TEST(advice().starts_with("no node 'c2' is known; did you mean a"));
    names->nodes.clear();
    names->node_indices.clear();
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(a_node_of_another_partition_is_told) {
    request.partition = "viz";
    expect(&model::JobRequest::required_nodes, std::string("a[1-2]"), std::string("a1,b1"),
           "partition viz has no node b1");
    request.partition = "main,viz";
    BOOST_TEST(advice() == "");
    request.required_nodes = "c1";
    BOOST_TEST(advice() == "no partition of this job has all nodes of --nodelist");
}

BOOST_AUTO_TEST_CASE(nodes_that_an_exclusion_leaves_are_told) {
    request.partition = "viz";
    expect(&model::JobRequest::excluded_nodes, std::string_view("a1,b1,c1,a1"), std::string_view("a1,a[1-2]"),
           "--exclude leaves no node of partition viz; this job asks for 1");
    request.has_all_excluded = false; // the names that were not read do not matter
    request.excluded_nodes = "a2";
    request.required_nodes = "a[1-2]";
    BOOST_TEST(advice() == "node a2 is in --nodelist and in --exclude");
    request.required_nodes.reset();
    BOOST_TEST(advice() == "");
    request.has_all_excluded = true;
    ask(2);
    request.min_nodes = request.max_nodes = 2;
    BOOST_TEST(advice() == "--exclude leaves 1 node of partition viz; this job asks for 2");
}

BOOST_AUTO_TEST_CASE(what_nodes_with_features_have_is_told) {
    auto with = [this](std::size_t kind, std::uint32_t count, const char* features) {
        model::NodeKind node = partitions[0].node_kinds[kind];
        node.count = count;
        node.features = features;
        return node;
    };
    partitions[0].featured_kinds = {with(0, 1, "big,ib"), with(0, 1, "ib"), with(1, 1, "wide")};
    names->features = {{"big", "ib", "wide"}};
    const auto expect_features = [this](const char* good, const char* bad, const std::string& words) {
        expect(&model::JobRequest::features, std::string(good), std::string(bad), words);
    };
    expect_features("big&ib", "big&wide", "no node of partition main has the features 'big&wide'");
    expect_features("big|wide", "[big&wide]", ""); // slurmctld refuses it for another reason
    const auto no_node = [](const std::string& features) {
        return text::format("no node of partition main has the features '{}'", features);
    };
    expect_features("(big|wide)&ib", "(big|ib)&wide", no_node("(big|ib)&wide"));
    expect_features("big&wide|ib", "ib|big&wide", no_node("ib|big&wide")); // from left to right
    expect_features("[big|wide]", "[big|ib]&wide", no_node("big&wide") + "\n" + no_node("ib&wide"));
    expect_features("ib*2", "ib*3",
                    "partition main has 2 nodes with the feature 'ib'; --constraint asks for 3");
    expect_features("[big*1&wide*1]", "[big*1&wide*2]",
                    "partition main has 1 node with the feature 'wide'; --constraint asks for 2");
    expect_features("big", "nope", "no feature 'nope' is known (known: big, ib, wide)");

    request.min_nodes = request.max_nodes = 2;
    request.tasks = request.min_cpus = 2;
    expect_features("ib", "big",
                    "1 node of partition main (its nodes with 'big') has what this job asks for on each; it "
                    "asks for 2 nodes");
    expect_features(
        "[big|ib]", "[big|wide]",
        "1 node of partition main (its nodes with 'big') has what this job asks for on each; it "
        "asks for 2 nodes\n1 node of partition main (its nodes with 'wide') has what this job asks "
        "for on each; it asks for 2 nodes");
    expect_features(
        "big|wide", "big&ib",
        "1 node of partition main (its nodes with 'big&ib') has what this job asks for on each; it "
        "asks for 2 nodes");
    expect_features("ib*2", "[ib*2&big*1]", "--constraint asks for 3 nodes; this job may have 2");
    request.min_nodes = request.max_nodes = 1;
    ask(1, 17);
    expect_features("wide", "ib",
                    "no node of partition main (its nodes with 'ib') has that many CPUs: the largest has 16, "
                    "this job asks for 17");
    partitions[0].featured_kinds.clear(); // too many kinds of nodes
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(no_request_is_so_large_that_it_counts_as_nothing) {
    partitions[0].max_memory = Memory{1024, per_cpu};
    request.memory = Memory{std::uint64_t{1} << 62, per_cpu}; // 2^52 CPUs for each of 2^12
    request.cpus_per_task = 4096;
    request.tasks = request.min_cpus = 2;
    BOOST_TEST(advice() ==
               "no node of partition main has that many CPUs: the largest has 64, this job asks for "
               "18446744073709551615, one for each 1G of its memory (MaxMemPerCPU)");
}

BOOST_AUTO_TEST_CASE(a_partition_without_gpus_is_told_as_such) {
    partitions[0].node_kinds[0].gres.clear();
    names->gres = {{"gpu"}};
    expect(&model::JobRequest::tres_per_job, std::string("license:matlab:1"), std::string("gres:gpu:1"),
           "partition main has no GPUs; this job asks for 1");
}

BOOST_AUTO_TEST_CASE(models_of_gpus_that_too_few_nodes_have_are_told) {
    partitions[0].node_kinds[0].gres = {{"gpu", "a100", 2}};
    partitions[0].node_kinds[1].gres = {{"gpu", "h100", 1}};
    names->gres = {{"gpu", "gpu:a100", "gpu:h100"}};
    expect(&model::JobRequest::tres_per_job, std::string("gres:gpu:a100:1"),
           std::string("gres:gpu:a100:1,gres:gpu:h100:1"),
           "partition main has no node with all that this job asks for on each");
    request.tres_per_job.reset();
    expect(&model::JobRequest::tres_per_node, std::string("gres:gpu:h100:1"), std::string("gres:gpu:h100:2"),
           "no node of partition main has that many h100 GPUs: the largest has 1, this job asks for 2");
    request.min_nodes = request.max_nodes = request.tasks = request.min_cpus = 2;
    expect(&model::JobRequest::tres_per_node, std::string("gres:gpu:a100:1"), std::string("gres:gpu:h100:1"),
           "1 node of partition main has what this job asks for on each; it asks for 2 nodes");
    request.tres_per_node.reset();
    partitions[0].node_kinds[1].gres.clear();
    request.min_nodes = request.max_nodes = request.tasks = request.min_cpus = 3;
    expect(&model::JobRequest::tres_per_job, std::string("license:matlab:3"), std::string("gres:gpu:3"),
           "2 nodes of partition main have what this job asks for on each; it asks for 3 nodes");
}

BOOST_AUTO_TEST_CASE(gpus_without_a_model_are_of_none) {
    partitions[0].node_kinds[1].gres = {{"gpu", "a100", 4}}; // the others name no model
    names->gres = {{"gpu", "gpu:a100"}};
    expect(&model::JobRequest::tres_per_job, std::string("gres:gpu:a100:4"), std::string("gres:gpu:a100:5"),
           "partition main has 4 a100 GPUs; this job asks for 5");
    request.tres_per_job.reset();
    expect(&model::JobRequest::tres_per_job, std::string("gres:gpu:8"), std::string("gres:gpu:9"),
           "partition main has 8 GPUs; this job asks for 9");
    request.tres_per_job.reset();
    request.tasks = request.min_cpus = 2;
    request.tres_per_job = "gres:gpu:a100:2";
    expect(&model::JobRequest::min_nodes, std::optional(1u), std::optional(2u),
           "1 node of partition main has what this job asks for on each; it asks for 2 nodes");
}

BOOST_AUTO_TEST_CASE(other_gres_may_have_models_that_nodes_do_not_show) {
    partitions[0].node_kinds[0].gres = {{"shard", "", 8}};
    partitions[0].node_kinds[1].gres = {{"shard", "a100", 4}};
    names->gres = {{"shard", "shard:a100"}};
    expect(&model::JobRequest::tres_per_node, std::string("gres:shard:a100:8"),
           std::string("gres:shard:a100:9"),
           "no node of partition main has that many gres/shard:a100: the largest has 8, this job asks for 9");
}

BOOST_AUTO_TEST_CASE(gpus_that_leave_too_few_cpus_or_memory_for_each_are_told) {
    request.tres_per_job = "gres:gpu:2";
    const auto too_few = [](const std::string& share) {
        return "partition main has room for no GPUs with " + share + "); this job asks for 2";
    };
    expect(&model::JobRequest::cpus_per_tres, std::string("gres:gpu:16"), std::string("gres:gpu:17"),
           too_few("17 CPUs each (a node has at most 16 CPUs"));
    request.cpus_per_tres.reset();
    expect(&model::JobRequest::memory_per_tres, std::string("gres:gpu:64000"), std::string("gres:gpu:64001"),
           too_few("64001M of memory each (a node has at most 64000M of memory"));
    request.cpus_per_tres = "gres:gpu:2";
    BOOST_TEST(advice() ==
               too_few("2 CPUs and 64001M of memory each (a node has at most 16 CPUs and 64000M of memory"));
}

BOOST_AUTO_TEST_SUITE_END()
