// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nodes/whole_nodes.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/gate/nodes/possible_nodes.hpp"
#include "qosgate/gate/size/whole_cores.hpp"

#include <algorithm>
#include <string_view>

namespace qg::gate {

using model::NodeKind;

namespace {

/// Shares of GPUs, of which slurmctld gives none with whole nodes. [S]
bool is_shared_gres(std::string_view name) {
    return name == "shard" || name == "mps";
}

} // namespace

bool knows_whole_nodes(const model::JobRequest& request, const model::Partition& partition,
                       const model::Cluster& cluster) {
    const bool is_range = request.max_nodes && request.max_nodes != request.min_nodes;
    return !is_range && !cluster.gives_whole_nodes && !partition.node_kinds.empty() &&
           std::ranges::all_of(partition.node_kinds, [&](const NodeKind& kind) {
               return kind.whole_cpus != 0 && kind.has_same_resources(partition.node_kinds.front());
           });
}

WholeNodes min_whole_nodes(const model::JobRequest& request, const model::Partition& partition,
                           const model::Cluster& cluster, const NamedNodes& named, std::uint64_t min_nodes,
                           std::uint64_t max_nodes, const model::TresCatalogue& catalogue) {
    const PossibleNodes possible(request, partition, cluster, named, max_nodes);
    const std::uint64_t nodes = possible.min_nodes(min_nodes);
    WholeNodes min;
    min.cpus = std::max(nodes * partition.min_node_cpus,
                        possible.min(nodes, [](const NodeKind& kind) { return kind.whole_cpus; }));
    const std::uint64_t least =
        cpus_with_memory(request, nodes * partition.min_node_cpus, partition.processors.max_threads_per_core);
    min.cpus_with_memory = std::max(least, possible.min(nodes, [&](const NodeKind& kind) {
        return cpus_with_memory(request, kind.whole_cpus, kind.threads_per_core);
    }));
    min.memory_mib = possible.min(nodes, [](const NodeKind& kind) { return kind.memory_mib; });
    min.gres.resize(catalogue.size());
    for (std::size_t tres = 0; tres < catalogue.size(); ++tres) {
        constexpr std::string_view prefix = "gres/";
        std::string_view gres = catalogue.name(tres);
        if (!gres.starts_with(prefix)) continue;
        gres.remove_prefix(prefix.size());
        const std::string_view name = gres.substr(0, gres.find(':'));
        const std::string_view of_model = gres.substr(std::min(name.size() + 1, gres.size()));
        if (is_shared_gres(name)) continue;
        min.gres[tres] =
            possible.min(nodes, [&](const NodeKind& kind) { return gres_of(kind, name, of_model); });
    }
    return min;
}

std::uint64_t fewest_nodes(const model::JobRequest& request, const JobSize& size, const GresRequest& gres,
                           const model::Partition& partition, const model::Cluster& cluster) {
    const PossibleNodes possible(request, partition, cluster, NamedNodes(), any_number);
    std::uint64_t nodes = possible.min_nodes(1);
    const auto raise_for = [&](std::uint64_t wanted, auto amount) {
        const auto needed = nodes_for(measure(possible.all(), amount), wanted, NodeOrder::largest_first);
        nodes = std::max(nodes, needed.value_or(1));
    };
    const NodeDemand& demand = possible.demand();
    raise_for(size.tasks.value_or(1), [&](const NodeKind& kind) { return demand.tasks_on(kind); });
    for (const GresEntry& entry : gres.entries())
        raise_for(entry.per_job, [&](const NodeKind& kind) { return demand.count_on(kind, entry.item); });
    if (!request.overcommit) {
        raise_for(size.cpus.value_or(1), [&](const NodeKind& kind) { return usable_cpus(kind, partition); });
        raise_for(saturated_product(size.tasks.value_or(1), demand.cpus_per_task()),
                  [&](const NodeKind& kind) { return demand.cpus_for_tasks_on(kind); });
    }
    return nodes;
}

} // namespace qg::gate
