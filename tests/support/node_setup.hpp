// SPDX-License-Identifier: GPL-2.0-or-later
//
// A cluster of four nodes that are known one by one.
#pragma once

#include "support/count_setup.hpp"

namespace qg::test {

/// Main has a1 and a2 (16 CPUs, 64000 MiB, 2 a100 GPUs, feature big), b1 (64 CPUs, 32000 MiB) and c1 (4 CPUs,
/// 8000 MiB); viz has a1 and a2. A CPU gets 100 MiB.
struct NodeSetup : CountSetup {
    NodeSetup() {
        request.submit_uid = request.user_id;
        request.min_nodes.reset();
        node_table.kinds = {kind(2, 16, 64000, "big"), kind(1, 64, 32000, ""), kind(1, 4, 8000, "")};
        node_table.kinds[0].gres = {{"gpu", "a100", 2}};
        node_table.kind_of = {0, 0, 1, 2};
        names.emplace();
        names->nodes = {"a1", "a2", "b1", "c1"};
        names->node_indices = {0, 1, 2, 3};
        names->gres = {{"gpu", "gpu:a100"}};
        names->features = {{"big"}};
        set(partitions[0], node_table.kinds, {0, 3}, 4);
        set(partitions[1], {node_table.kinds[0]}, {0, 1}, 16);
    }

    static model::NodeKind kind(std::uint32_t count, std::uint64_t cpus, std::uint64_t memory_mib,
                                const char* features) {
        return {
            .count = count, .cpus = cpus, .memory_mib = memory_mib, .features = features, .whole_cpus = cpus};
    }

    static void set(model::Partition& partition, const std::vector<model::NodeKind>& kinds,
                    model::NodeRange range, std::uint32_t min_cpus) {
        partition.total_nodes = partition.total_cpus = 0;
        for (const model::NodeKind& kind : kinds) {
            partition.total_nodes += kind.count;
            partition.total_cpus += kind.count * static_cast<std::uint32_t>(kind.cpus);
        }
        partition.featured_kinds = partition.node_kinds = kinds;
        for (model::NodeKind& kind : partition.node_kinds)
            kind.features.clear();
        partition.nodes = {range};
        partition.min_node_cpus = min_cpus;
        partition.node_memory_mib = 64000;
        partition.default_memory = model::Memory{100, /*per_cpu=*/true};
    }

    void ask_nodes(std::uint32_t count) {
        request.min_nodes = request.max_nodes = request.tasks = request.min_cpus = count;
    }
    void ask_tasks(std::uint32_t count) { request.tasks = request.min_cpus = count; }
};

} // namespace qg::test
