// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests for whole nodes, and for nodes by name and feature, in partitions with many kinds of nodes.
#include "hostile_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace qg;
using namespace qg::test;

namespace {

/// The nodes of a kind: other features and other GPUs than those of the other kinds.
model::NodeKind make_kind(std::uint32_t number) {
    model::NodeKind kind{1, 57 + number, 64000, {}, {}, 57 + number};
    for (std::uint32_t model = 0; model < 8; ++model)
        kind.gres.push_back({"gpu", numbered("a", 100 + model), 1 + number % 3});
    for (std::uint32_t feature = 0; feature < 16; ++feature)
        kind.features += numbered("feature_", number * feature) + ",";
    kind.features += "big,fast";
    return kind;
}

/// Partitions that give whole nodes, each with as many kinds of nodes as are distinguished.
struct ManyKinds : HostileRequests {
    ManyKinds() {
        std::vector<std::shared_ptr<const model::Partition>> partitions;
        for (std::size_t i = 0; i < strict_count; ++i) {
            auto partition = std::make_shared<model::Partition>(*cluster.partitions.all()[i]);
            partition->is_default = i == 0;
            partition->gives_whole_nodes = true;
            partition->node_kinds.clear();
            for (std::uint32_t kind = 0; kind < model::Partition::max_node_kinds; ++kind)
                partition->node_kinds.push_back(make_kind(kind));
            for (std::uint32_t kind = 0; kind < model::Partition::max_featured_kinds; ++kind)
                partition->featured_kinds.push_back(make_kind(kind));
            partition->nodes = {{0, name_count - 1}};
            partition->total_nodes = name_count;
            partitions.push_back(std::move(partition));
        }
        cluster.partitions = model::PartitionTable(std::move(partitions));
        for (std::uint32_t kind = 0; kind < model::NodeTable::max_kinds; ++kind)
            cluster.nodes.kinds.push_back(make_kind(kind));
        for (std::uint32_t node = 0; node < name_count; ++node)
            cluster.nodes.kind_of.push_back(static_cast<std::uint16_t>(node % model::NodeTable::max_kinds));
    }

    /// Requests for whole nodes, with each kind of text, in one and more partitions.
    void expect_little_work();
};

/// "n[1000-1127]"
std::string node_list(std::uint32_t first, std::uint32_t last) {
    return "n[" + std::to_string(first) + "-" + std::to_string(last) + "]";
}

void ManyKinds::expect_little_work() {
    struct Texts {
        const char* name;
        std::string required, excluded, features, per_node, per_task;
    };
    std::string models;
    for (std::size_t i = 0; i < 8; ++i)
        models += numbered(i == 0 ? "gres:gpu:a" : ",gres:gpu:a", 100 + i) + ":1";
    const std::string features = "big&fast&feature_0&big&fast&feature_0&big&fast";
    const Texts cases[] = {
        {"nothing else", "", "", "", "", ""},
        {"node names", node_list(1000, 1127), node_list(1200, 1327), "", "", ""},
        {"features", "", "", features, "", ""},
        {"gres", "", "", "", models, "gres:gpu:1"},
        {"all of it", node_list(1000, 1127), node_list(1200, 1327), features, models, "gres:gpu:1"},
        {"all but node names", "", node_list(1200, 1327), features, "gres:gpu:1", "gres:gpu:1"},
    };
    for (const Texts& texts : cases)
        for (const std::size_t ways : {1, 2, 8, 16, 64})
            for (const limits::Release release : releases)
                for (const char* qos : {"", "denying", "waiting", "q1,waiting"}) {
                    std::string partitions = list_of("p", ways), required = texts.required,
                                excluded = texts.excluded, constraint = texts.features,
                                per_node = texts.per_node, per_task = texts.per_task;
                    const auto set = [](char*& field, std::string& text) {
                        if (!text.empty()) field = text.data();
                    };
                    const auto work = work_for(release, qos, [&](job_desc_msg_t& job) {
                        job.shared = JOB_SHARED_NONE;
                        job.partition = partitions.data();
                        job.min_nodes = 1;
                        job.max_nodes = name_count;
                        job.pn_min_memory = 100 | MEM_PER_CPU;
                        set(job.req_nodes, required);
                        set(job.exc_nodes, excluded);
                        set(job.features, constraint);
                        set(job.tres_per_node, per_node);
                        set(job.tres_per_task, per_task);
                    });
                    BOOST_TEST_MESSAGE(texts.name << ", " << ways << " partitions, QOS " << qos << ": "
                                                  << work << " instructions");
                    BOOST_TEST_CONTEXT(texts.name << ", " << ways << " partitions, QOS " << qos)
                    BOOST_TEST(work < a_millisecond * 3 / 2);
                }
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(hostile_nodes, ManyKinds)

BOOST_AUTO_TEST_CASE(whole_nodes_in_many_partitions_take_less_than_two_milliseconds) {
    expect_little_work();
}

BOOST_AUTO_TEST_CASE(and_so_do_those_with_more_memory_than_max_mem_per_cpu) {
    cluster.max_memory = model::Memory{10, /*per_cpu=*/true};
    expect_little_work();
}

BOOST_AUTO_TEST_SUITE_END()
