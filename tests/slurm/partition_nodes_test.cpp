// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is read of the nodes of a partition.
#include "partition_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::slurm;
using namespace qg::test;
using model::Memory;
using model::Partition;

namespace {

/// Expects that the minimum is unknown if the nodes of `raw` are unknown or beyond the table.
template <typename Least>
void expect_unknown_without_nodes(partition_info_t& raw, Least least) {
    raw.node_inx = nullptr;
    BOOST_TEST(least() == 0u);
    std::int32_t beyond[] = {1, 5, -1};
    raw.node_inx = beyond;
    BOOST_TEST(least() == 0u);
}

/// The table of all nodes, as of a cluster with one partition.
model::NodeTable read_table(std::vector<node_info_t>& nodes) {
    partition_info_t raw = plain_partition();
    partition_info_msg_t partitions{};
    partitions.partition_array = &raw;
    partitions.record_count = 1;
    node_info_msg_t message{};
    message.node_array = nodes.data();
    message.record_count = static_cast<std::uint32_t>(nodes.size());
    return read_cluster(partitions, &message, nullptr).nodes;
}

} // namespace

BOOST_AUTO_TEST_SUITE(partition_nodes)

BOOST_AUTO_TEST_CASE(memory_is_that_of_the_first_node) {
    partition_info_t raw = plain_partition();
    BOOST_TEST(read(raw).node_memory_mib == 60000u);
    raw.node_inx = second_node;
    BOOST_TEST(read(raw).node_memory_mib == 128000u);
}

BOOST_AUTO_TEST_CASE(a_partition_without_known_nodes_knows_no_memory) {
    partition_info_t raw = plain_partition();
    BOOST_TEST(read_partition(raw, {}).node_memory_mib == 0u);
    for (std::int32_t* indexes : {no_nodes, static_cast<std::int32_t*>(nullptr)}) {
        raw.node_inx = indexes;
        BOOST_TEST(read(raw).node_memory_mib == 0u);
    }
}

BOOST_AUTO_TEST_CASE(nodes_that_are_alike_are_one_kind) {
    auto nodes = two_nodes();
    std::string gres = "gpu:a100:4(S:0-1),gpu:2";
    nodes[0].cpus = 64;
    nodes[1].cpus = 32;
    nodes[0].gres = gres.data();
    partition_info_t raw = plain_partition();
    auto kinds = read_partition(raw, nodes).node_kinds;
    BOOST_TEST_REQUIRE(kinds.size() == 2u);
    BOOST_TEST(kinds[0].count == 1u);
    BOOST_TEST(kinds[0].cpus == 64u);
    BOOST_TEST(kinds[0].memory_mib == 60000u);
    BOOST_TEST_REQUIRE(kinds[0].gres.size() == 2u);
    BOOST_TEST(kinds[0].gres[0].name == "gpu");
    BOOST_TEST(kinds[0].gres[0].model == "a100");
    BOOST_TEST(kinds[0].gres[0].count == 4u);
    BOOST_TEST(kinds[1].memory_mib == 128000u);

    nodes[1] = nodes[0];
    kinds = read_partition(raw, nodes).node_kinds;
    BOOST_TEST_REQUIRE(kinds.size() == 1u);
    BOOST_TEST(kinds[0].count == 2u);
}

BOOST_AUTO_TEST_CASE(too_many_kinds_of_nodes_are_none) {
    constexpr auto max = model::Partition::max_node_kinds;
    std::vector<node_info_t> nodes(max + 1);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        nodes[i].cpus = static_cast<std::uint16_t>(i + 1);
    partition_info_t raw = plain_partition();
    std::int32_t some[] = {0, static_cast<std::int32_t>(max) - 1, -1};
    raw.node_inx = some;
    BOOST_TEST(read_partition(raw, nodes).node_kinds.size() == max);
    ++some[1];
    BOOST_TEST(read_partition(raw, nodes).node_kinds.empty());
    ++some[1]; // one that is not known
    BOOST_TEST(read_partition(raw, nodes).node_kinds.empty());
    raw.node_inx = no_nodes;
    BOOST_TEST(read_partition(raw, nodes).node_kinds.empty());
}

BOOST_AUTO_TEST_CASE(nodes_are_told_apart_by_active_features_too) {
    std::string big = "big", big_and_ib = "big,ib", other = "other";
    std::vector<node_info_t> nodes(70, two_nodes().front());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        nodes[i].features = nodes[i].features_act = i < 2 ? big.data() : i < 5 ? big_and_ib.data() : nullptr;
    partition_info_t raw = plain_partition();
    std::int32_t some[] = {0, 5, -1};
    raw.node_inx = some;
    Partition partition = read_partition(raw, nodes);
    BOOST_TEST_REQUIRE(partition.featured_kinds.size() == 3u);
    BOOST_TEST(partition.featured_kinds[0].features == "big");
    BOOST_TEST(partition.featured_kinds[1].features == "big,ib");
    BOOST_TEST(partition.featured_kinds[1].count == 3u);
    BOOST_TEST(partition.featured_kinds[2].features == "");
    BOOST_TEST_REQUIRE(partition.node_kinds.size() == 1u);
    BOOST_TEST(partition.node_kinds[0].count == 6u);
    BOOST_TEST(partition.node_kinds[0].features == "");

    nodes[0].features = other.data(); // slurmctld may make it active
    partition = read_partition(raw, nodes);
    BOOST_TEST(partition.featured_kinds.empty());
    BOOST_TEST_REQUIRE(partition.node_kinds.size() == 1u);
    BOOST_TEST(partition.node_kinds[0].count == 6u);

    std::vector<std::string> names(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        names[i] = "f" + std::to_string(i);
        nodes[i].features = nodes[i].features_act = names[i].data();
    }
    some[1] = 63;
    partition = read_partition(raw, nodes);
    BOOST_TEST(partition.featured_kinds.size() == 64u);
    BOOST_TEST(partition.node_kinds.at(0).count == 64u);
    ++some[1];
    partition = read_partition(raw, nodes);
    BOOST_TEST(partition.featured_kinds.empty());
    BOOST_TEST(partition.node_kinds.at(0).count == 65u);

    for (std::size_t i = 0; i < nodes.size(); ++i)
        nodes[i].real_memory = 100000 + i % 17; // one kind too many, and no more than that with features
    some[1] = 20;
    partition = read_partition(raw, nodes);
    BOOST_TEST(partition.featured_kinds.size() == 21u);
    BOOST_TEST(partition.node_kinds.empty());
}

BOOST_AUTO_TEST_CASE(a_partition_has_the_nodes_of_its_ranges) {
    partition_info_t raw = plain_partition();
    std::int32_t ranges[] = {2, 4, 7, 7, -1};
    raw.node_inx = ranges;
    const Partition partition = read(raw);
    for (const std::uint32_t inside : {2u, 3u, 4u, 7u})
        BOOST_TEST(partition.has_node(inside));
    for (const std::uint32_t outside : {0u, 1u, 5u, 6u, 8u})
        BOOST_TEST(!partition.has_node(outside));
    BOOST_TEST(!Partition{}.has_node(0));
}

BOOST_AUTO_TEST_CASE(the_most_memory_and_cpus_of_a_job_on_a_node_are_read) {
    partition_info_t raw = plain_partition();
    raw.max_cpus_per_node = INFINITE;
    BOOST_TEST(!read(raw).max_cpus_per_node.has_value());
    BOOST_TEST(!read(raw).max_memory.has_value());
    raw.max_cpus_per_node = 8;
    raw.max_mem_per_cpu = 16000;
    BOOST_TEST(read(raw).max_cpus_per_node.value() == 8u);
    BOOST_TEST(read(raw).max_memory == (Memory{16000, /*per_cpu=*/false}));
    raw.max_mem_per_cpu = MEM_PER_CPU | 1000;
    BOOST_TEST(read(raw).max_memory == (Memory{1000, /*per_cpu=*/true}));
    raw.max_mem_per_cpu = MEM_PER_CPU;
    BOOST_TEST(!read(raw).max_memory.has_value());
}

BOOST_AUTO_TEST_CASE(more_memory_reserved_than_there_is_leaves_none) {
    auto nodes = two_nodes();
    nodes[0].mem_spec_limit = 64001;
    BOOST_TEST(read_partition(plain_partition(), nodes).node_memory_mib == 0u);
    nodes[0].mem_spec_limit = NO_VAL64;
    BOOST_TEST(read_partition(plain_partition(), nodes).node_memory_mib == 64000u);
}

BOOST_AUTO_TEST_CASE(the_least_node_bounds_what_whole_nodes_have) {
    auto nodes = two_nodes();
    for (node_info_t& node : nodes) {
        node.cpus = node.cpus_efctv = 64;
        node.threads = 1;
    }
    nodes[1].cpus_efctv = 60; // some are for the system
    std::int32_t all[] = {0, 1, -1};
    partition_info_t raw = plain_partition();
    raw.node_inx = all;
    raw.max_cpus_per_node = INFINITE;
    const auto least = [&] { return read_partition(raw, nodes).min_node_cpus; };
    BOOST_TEST(least() == 60u);

    raw.max_cpus_per_node = 48;
    BOOST_TEST(least() == 48u);
    raw.max_cpus_per_node = INFINITE;

    nodes[1].threads = 2; // whatever threads a job asks for, a whole node counts with all of them
    BOOST_TEST(least() == 60u);

    nodes[1].cpus_efctv = NO_VAL16;
    BOOST_TEST(least() == 0u);
    expect_unknown_without_nodes(raw, least);
}

BOOST_AUTO_TEST_CASE(processors_are_known_over_all_nodes) {
    auto nodes = two_nodes();
    for (node_info_t& node : nodes) {
        node.sockets = 2;
        node.cores = 8;
        node.threads = 2;
        node.cpus = 32;
    }
    std::int32_t all[] = {0, 1, -1};
    partition_info_t raw = plain_partition();
    raw.node_inx = all;
    using Numbers = std::vector<std::uint32_t>;
    const auto processors = [&] {
        const model::Processors found = read_partition(raw, nodes).processors;
        return Numbers{found.min_threads_per_core, found.max_threads_per_core, found.max_sockets,
                       found.min_cpus_per_socket, found.max_cpus_per_socket};
    };
    BOOST_TEST(processors() == (Numbers{2, 2, 2, 16, 16}));

    nodes[1].cpus = 16; // as many as cores
    BOOST_TEST(processors() == (Numbers{1, 2, 2, 8, 16}));
    nodes[1].cpus = 17;
    BOOST_TEST(processors() == (Numbers{2, 2, 2, 16, 16}));
    nodes[1].sockets = 4;
    nodes[1].cores = NO_VAL16;
    nodes[1].threads = NO_VAL16;
    BOOST_TEST(processors() == (Numbers{1, 2, 4, 0, 16}));
    raw.node_inx = nullptr;
    BOOST_TEST(processors() == (Numbers{1, 1, 0, 0, 0}));
}

BOOST_AUTO_TEST_CASE(each_node_of_the_cluster_has_its_kind) {
    auto nodes = two_nodes();
    nodes.push_back(nodes[0]);
    std::string features = "ib";
    nodes[2].features = nodes[2].features_act = features.data();
    nodes.push_back(nodes[2]);
    for (node_info_t& node : nodes) {
        node.cpus = node.cpus_efctv = 64;
        node.sockets = 2;
        node.cores = 16;
        node.threads = 2;
    }
    const model::NodeTable table = read_table(nodes);
    BOOST_TEST(table.kind_of == (std::vector<std::uint16_t>{0, 1, 2, 2}));
    BOOST_TEST_REQUIRE(table.find(1) != nullptr);
    BOOST_TEST(table.find(1)->memory_mib == 128000u);
    BOOST_TEST(table.find(1)->whole_cpus == 64u);
    BOOST_TEST(table.find(1)->threads_per_core == 2u);
    BOOST_TEST(table.find(1)->shape.sockets == 2u);
    BOOST_TEST(table.find(1)->shape.cores_per_socket == 16u);
    BOOST_TEST(table.find(1)->shape.threads_per_core == 2u);
    BOOST_TEST(table.find(3)->features == "ib");
    BOOST_TEST(table.find(4) == nullptr);
}

BOOST_AUTO_TEST_CASE(nodes_of_another_shape_are_of_another_kind) {
    std::vector<node_info_t> nodes(2, two_nodes().front());
    for (node_info_t& node : nodes) {
        node.cpus = node.cpus_efctv = 16;
        node.sockets = 2;
        node.cores = 8;
        node.threads = 2; // which slurm.conf does not count
    }
    BOOST_TEST(read_table(nodes).kinds.size() == 1u);
    nodes[1].sockets = 1;
    nodes[1].cores = 16;
    BOOST_TEST(read_table(nodes).kinds.size() == 2u);
    BOOST_TEST(read_table(nodes).find(0)->threads_per_core == 1u);
    BOOST_TEST(read_table(nodes).find(0)->shape.threads_per_core == 2u);
}

BOOST_AUTO_TEST_CASE(of_too_many_kinds_no_node_is_known) {
    std::vector<node_info_t> nodes(model::NodeTable::max_kinds, two_nodes().front());
    for (std::size_t i = 0; i < nodes.size(); ++i)
        nodes[i].real_memory = 10000 + i;
    BOOST_TEST(read_table(nodes).find(0) != nullptr);
    nodes.push_back(nodes.front());
    BOOST_TEST(read_table(nodes).find(0) != nullptr);
    nodes.back().real_memory = 1;
    BOOST_TEST(read_table(nodes).find(0) == nullptr);
}

BOOST_AUTO_TEST_CASE(the_smallest_node_has_the_least_memory) {
    auto nodes = two_nodes();
    nodes[0].real_memory = 4000;
    nodes[1].real_memory = 3000;
    std::int32_t all[] = {0, 1, -1};
    partition_info_t raw = plain_partition();
    raw.node_inx = all;
    const auto least = [&] { return read_partition(raw, nodes).min_node_memory_mib; };
    nodes[0].mem_spec_limit = nodes[1].mem_spec_limit = 0;
    BOOST_TEST(least() == 3000u);
    nodes[0].mem_spec_limit = 1001; // for the system
    BOOST_TEST(least() == 2999u);

    nodes[1].real_memory = NO_VAL64;
    BOOST_TEST(least() == 0u);
    expect_unknown_without_nodes(raw, least);
}

BOOST_AUTO_TEST_SUITE_END()
