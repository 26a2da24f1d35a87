// SPDX-License-Identifier: GPL-2.0-or-later
//
// CPUs of whole cores and sockets: what 22.05.8 gave, and where it allocates CPUs.
#include "support/count_setup.hpp"

#include "qosgate/gate/size/whole_cores.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using gate::Extent;
using model::JobDetail;

namespace {

/// Nodes with two sockets of eight cores with two threads each.
struct CoreSetup : test::CountSetup {
    CoreSetup() {
        allocated_unit = model::AllocatedUnit::core;
        partitions[0].processors = {2, 2, 2, 16, 16};
        request.memory = model::Memory{100, /*per_cpu=*/true};
    }

    /// The CPUs of the job on so many nodes, and the MiB of its memory.
    std::uint64_t given(std::uint64_t cpus, std::uint64_t nodes, Extent extent) const {
        return gate::whole_cores(request, partitions[0], cluster(), cpus, nodes, extent).cpus;
    }
    std::uint64_t given_memory(std::uint64_t cpus) const {
        return gate::whole_cores(request, partitions[0], cluster(), cpus, 1, Extent::most).with_memory;
    }
    /// Expects the same count, whichever nodes the job gets.
    void expect(std::uint64_t cpus, std::uint64_t nodes, std::uint64_t count) const {
        BOOST_TEST(given(cpus, nodes, Extent::least) == count);
        BOOST_TEST(given(cpus, nodes, Extent::most) == count);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(whole_cores, CoreSetup)

BOOST_AUTO_TEST_CASE(cpus_are_rounded_up_to_cores) {
    expect(1, 1, 2);
    expect(2, 1, 2);
    expect(3, 1, 4);
    expect(4, 2, 4);
    expect(2, 2, 4); // a core on each node
    expect(32, 1, 32);
}

BOOST_AUTO_TEST_CASE(where_cpus_are_allocated_none_are_added) {
    allocated_unit = model::AllocatedUnit::cpu;
    BOOST_TEST(!gate::gives_whole_cores(&partitions[0], cluster()));
    expect(1, 1, 1);
    expect(3, 2, 3);
    allocated_unit = model::AllocatedUnit::core;
    BOOST_TEST(gate::gives_whole_cores(&partitions[0], cluster()));
    partitions[0].processors = {1, 1, 2, 8, 8};
    BOOST_TEST(!gate::gives_whole_cores(&partitions[0], cluster()));
    BOOST_TEST(!gate::gives_whole_cores(nullptr, cluster()));
}

BOOST_AUTO_TEST_CASE(tasks_that_leave_threads_idle_take_further_cores) {
    request.details.set(JobDetail::tasks_per_core, std::int64_t{1});
    expect(4, 1, 8);
    BOOST_TEST(given_memory(4) == 8u);
    request.cpus_per_task = 3;
    expect(9, 1, 12);
    request.cpus_per_task = 2;
    expect(4, 1, 4);
    request.cpus_per_task.reset();
    request.details.set(JobDetail::tasks_per_core, std::int64_t{2});
    expect(4, 1, 4);
}

BOOST_AUTO_TEST_CASE(memory_counts_for_the_threads_that_threads_per_core_names) {
    request.details.set(JobDetail::threads_per_core, std::int64_t{1});
    expect(4, 1, 8);
    BOOST_TEST(given_memory(4) == 4u);
    request.details.set(JobDetail::threads_per_core, std::int64_t{2});
    expect(4, 1, 4);
    BOOST_TEST(given_memory(4) == 4u);
}

BOOST_AUTO_TEST_CASE(of_several_nodes_each_may_leave_a_thread_idle) {
    request.cpus_per_task = 3;
    BOOST_TEST(given(12, 2, Extent::least) == 12u);
    BOOST_TEST(given(12, 2, Extent::most) == 14u);
    expect(6, 1, 6);
    request.cpus_per_task.reset();

    request.tasks_per_node = 3;
    BOOST_TEST(given(6, 2, Extent::most) == 8u);
    request.tasks_per_node = 2;
    BOOST_TEST(given(4, 2, Extent::most) == 4u);
    request.tasks_per_node.reset();

    request.details.set(JobDetail::plane, std::int64_t{1});
    BOOST_TEST(given(4, 2, Extent::most) == 6u);
    BOOST_TEST(given(4, 1, Extent::most) == 4u);
    request.details.set(JobDetail::plane, std::monostate());

    request.cpus_per_tres = "gres:gpu:3"; // each node has those of its GPUs
    BOOST_TEST(given(12, 4, Extent::most) == 16u);
    BOOST_TEST(given(12, 4, Extent::least) == 12u);
    BOOST_TEST(given(12, 1, Extent::most) == 12u);
}

BOOST_AUTO_TEST_CASE(each_of_several_nodes_has_whole_cores_for_mincpus) {
    request.min_cpus_per_node = 3;
    BOOST_TEST(given(6, 2, Extent::least) == 6u);
    BOOST_TEST(given(6, 2, Extent::most) == 8u);
    expect(3, 1, 4);
    request.min_cpus_per_node = 4;
    expect(8, 2, 8);
}

// Where each node must have more CPUs than a task takes, slurmctld puts a second task on the first one's
// core.
BOOST_AUTO_TEST_CASE(tasks_that_share_cpus_may_get_further_threads_of_a_core) {
    allocated_unit = model::AllocatedUnit::cpu;
    request.overcommit = true;
    request.tasks = 4;
    expect(1, 1, 1);
    expect(2, 2, 2);
    for (const auto more : {&model::JobRequest::min_cpus_per_node, &model::JobRequest::sockets_per_node,
                            &model::JobRequest::min_cpus, &model::JobRequest::max_cpus}) {
        const model::JobRequest before = request;
        request.*more = 1;
        expect(1, 1, 1);
        request.*more = 3;
        BOOST_TEST(given(1, 1, Extent::least) == 1u);
        BOOST_TEST(given(1, 1, Extent::most) == 2u);
        BOOST_TEST(given(2, 2, Extent::most) == 4u);
        BOOST_TEST(given(4, 4, Extent::most) == 4u); // one task on each node
        request.cpus_per_task = 2;
        expect(4, 2, 4);
        request = before;
    }
    for (const auto detail : {JobDetail::cores_per_socket, JobDetail::threads_per_core}) {
        request.details.set(detail, std::int64_t{1});
        BOOST_TEST(given(1, 1, Extent::most) == 1u);
        request.details.set(detail, std::int64_t{2});
        BOOST_TEST(given(1, 1, Extent::most) == 2u);
        request.details.set(detail, std::monostate());
    }
    request.cpus_per_tres = "gres:gpu:4";
    BOOST_TEST(given(1, 1, Extent::most) == 2u);
    request.tasks.reset(); // not sent
    BOOST_TEST(given(1, 1, Extent::most) == 2u);
    request.tasks = 1;
    BOOST_TEST(given(1, 1, Extent::most) == 1u);
    request.tasks = 2;
    partitions[0].processors = {1, 1, 2, 8, 8};
    BOOST_TEST(given(1, 1, Extent::most) == 1u);
}

BOOST_AUTO_TEST_CASE(the_second_of_tasks_that_share_cpus_may_begin_a_core) {
    request.overcommit = true;
    request.tasks = 2;
    request.details.set(JobDetail::threads_per_core, std::int64_t{1});
    BOOST_TEST(given(1, 1, Extent::most) == 2u);
    request.min_cpus_per_node = 2;
    BOOST_TEST(given(1, 1, Extent::most) == 4u);
    request.tasks = 1;
    BOOST_TEST(given(1, 1, Extent::most) == 2u);
}

BOOST_AUTO_TEST_CASE(a_partition_may_allocate_otherwise_than_the_cluster) {
    partitions[0].selection = model::Selection{model::AllocatedUnit::socket, /*shares_out_memory=*/false};
    expect(1, 1, 16);
    partitions[0].selection->unit = model::AllocatedUnit::core;
    expect(1, 1, 2);
    allocated_unit = model::AllocatedUnit::socket;
    expect(1, 1, 2);
    partitions[0].selection.reset();
    expect(1, 1, 16);
    // slurmctld ignores it where the cluster allocates CPUs.
    partitions[0].selection = model::Selection{model::AllocatedUnit::socket, /*shares_out_memory=*/true};
    allocated_unit = model::AllocatedUnit::cpu;
    expect(1, 1, 1);
    BOOST_TEST(!gate::gives_whole_cores(&partitions[0], cluster()));
}

BOOST_AUTO_TEST_CASE(sockets_of_nodes_that_differ_are_bounded_by_the_largest_node) {
    allocated_unit = model::AllocatedUnit::socket;
    partitions[0].processors = {1, 1, 4, 4, 16}; // four sockets of 4, and one of 16
    BOOST_TEST(given(5, 1, Extent::most) == 64u);
    model::NodeKind kind;
    kind.count = 1;
    kind.cpus = 16;
    partitions[0].node_kinds = {kind};
    BOOST_TEST(given(5, 1, Extent::most) == 16u);
    BOOST_TEST(given(5, 2, Extent::most) == 32u);
}

BOOST_AUTO_TEST_CASE(bound_gpus_add_a_core_of_each_socket) {
    request.tres_per_node = "gres:gpu:1";
    request.details.set(JobDetail::enforce_binding, std::int64_t{1});
    BOOST_TEST(given(1, 1, Extent::least) == 2u);
    BOOST_TEST(given(1, 1, Extent::most) == 4u);
    partitions[0].processors = {1, 1, 2, 8, 8};
    BOOST_TEST(given(1, 1, Extent::most) == 2u);
    BOOST_TEST(given(3, 1, Extent::most) == 3u);
    allocated_unit = model::AllocatedUnit::cpu;
    BOOST_TEST(given(1, 1, Extent::most) == 2u);
}

BOOST_AUTO_TEST_CASE(no_job_gets_more_than_its_nodes_have) {
    request.details.set(JobDetail::tasks_per_core, std::int64_t{1});
    expect(16, 1, 32);
    BOOST_TEST(given(17, 1, Extent::most) == 32u);
    BOOST_TEST(given(17, 2, Extent::most) == 34u);
}

BOOST_AUTO_TEST_CASE(whole_sockets_count) {
    allocated_unit = model::AllocatedUnit::socket;
    BOOST_TEST(given(1, 1, Extent::least) == 16u);
    BOOST_TEST(given(1, 1, Extent::most) == 16u);
    BOOST_TEST(given(3, 1, Extent::least) == 16u);
    BOOST_TEST(given(3, 1, Extent::most) == 32u); // two cores, which may be on two sockets
    BOOST_TEST(given(17, 1, Extent::least) == 32u);
    BOOST_TEST(given(2, 2, Extent::least) == 32u);
    partitions[0].processors = {1, 1, 2, 8, 8};
    BOOST_TEST(gate::gives_whole_cores(&partitions[0], cluster()));
    BOOST_TEST(given(1, 1, Extent::least) == 8u);
}

BOOST_AUTO_TEST_CASE(of_nodes_that_differ_the_least_is_certain) {
    partitions[0].processors = {1, 2, 2, 8, 16};
    BOOST_TEST(given(3, 1, Extent::least) == 3u);
    BOOST_TEST(given(3, 1, Extent::most) == 4u);
    request.details.set(JobDetail::threads_per_core, std::int64_t{1});
    BOOST_TEST(given(3, 1, Extent::least) == 3u);
    BOOST_TEST(given(3, 1, Extent::most) == 6u);
    BOOST_TEST(given_memory(3) == 3u);
}

BOOST_AUTO_TEST_CASE(an_attempt_counts_cores_and_the_submission_does_not) {
    request.tasks = request.min_cpus = 3;
    BOOST_TEST(counted("cpu") == 3u);
    BOOST_TEST(attempted("cpu") == 4u);
    BOOST_TEST(attempted("mem") == 400u);
    request.tasks = request.min_cpus = 4;
    BOOST_TEST(attempted("cpu") == 4u);
    request.details.set(JobDetail::threads_per_core, std::int64_t{1});
    BOOST_TEST(attempted("cpu") == 8u);
    BOOST_TEST(attempted("mem") == 400u);
    allocated_unit = model::AllocatedUnit::cpu;
    BOOST_TEST(attempted("cpu") == 4u);
}

BOOST_AUTO_TEST_SUITE_END()
