// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nodes/node_demand.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/size/whole_cores.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using model::JobRequest;
using model::Memory;
using model::NodeKind;
using model::Partition;

std::uint64_t known(std::uint64_t value) {
    return value == 0 ? any_number : value;
}

/// Whether gres of a node count for the item. slurmd forgets models of GPUs that slurm.conf does not name.
/// Shards and the like may have the models of their GPUs, which the node does not show.
bool may_be_of(const model::NodeGres& gres, const model::TresItem& item) {
    return gres.name == item.name &&
           (item.kind.empty() || gres.model == item.kind || (gres.model.empty() && item.name != "gpu"));
}

} // namespace

std::optional<Memory> memory_of(const JobRequest& request, const Partition& partition,
                                const model::Cluster& cluster) {
    bool has_memory_of_gres = false; // a count of 0 is none
    model::for_each_gres_item(request.memory_per_tres,
                              [&](const model::TresItem& /*item*/) { has_memory_of_gres = true; });
    if (request.memory || has_memory_of_gres) return request.memory;
    return default_memory_of(&partition, cluster);
}

std::optional<Memory> default_memory_of(const Partition* partition, const model::Cluster& cluster) {
    return partition != nullptr && partition->default_memory ? partition->default_memory
                                                             : cluster.default_memory;
}

std::optional<Memory> max_memory_of(const Partition& partition, const model::Cluster& cluster) {
    return partition.max_memory ? partition.max_memory : cluster.max_memory;
}

std::optional<CpusForMemory> cpus_for_memory(const std::optional<Memory>& asked, const Partition& partition,
                                             const model::Cluster& cluster) {
    const std::optional<Memory> max = max_memory_of(partition, cluster);
    if (!asked || !max || !max->per_cpu || max->mib == 0) return std::nullopt;
    const std::uint64_t mib = asked->mib != 0 ? asked->mib : partition.node_memory_mib;
    if (mib <= max->mib) return std::nullopt;
    const std::uint64_t cpus = divide_up(mib, max->mib);
    return CpusForMemory{cpus, divide_up(mib, cpus)};
}

bool says_model(const NodeKind& node, const model::TresItem& item) {
    return item.kind.empty() || std::ranges::none_of(node.gres, [&](const model::NodeGres& gres) {
               return gres.name == item.name && gres.model.empty();
           });
}

NodeDemand::NodeDemand(const JobRequest& request, const Partition& partition, const model::Cluster& cluster)
    : request_(request), partition_(partition), cluster_(cluster),
      whole_by_(model::whole_nodes_by(request, &partition, cluster)), per_task_(request.cpus_of_task()) {
    std::optional<Memory> memory = memory_of(request, partition, cluster);
    if (gets_no_memory(request, memory)) memory.reset();
    if (memory && memory->per_cpu) memory_per_cpu_ = memory->mib;
    if (const auto more = cpus_for_memory(memory, partition, cluster)) {
        has_cpus_for_memory_ = true;
        if (memory->per_cpu && memory->mib != 0) {
            per_task_ = saturated_product(per_task_, more->cpus);
            memory_per_cpu_ = more->mib;
        } else {
            cpus_ = more->cpus;
        }
    }
    if (!model::selection_in(&partition, cluster).shares_out_memory) memory_per_cpu_ = 0;
    // slurmctld multiplies tasks per node by CPUs per task, even with --overcommit.
    const std::uint64_t of_one = request.overcommit && !request.tasks_per_node ? 1 : per_task_;
    cpus_ = std::max(cpus_, saturated_product(request.tasks_per_node.value_or(1), of_one));
}

std::uint64_t usable_cpus(const NodeKind& node, const Partition& partition) noexcept {
    return std::min<std::uint64_t>(known(node.cpus), partition.max_cpus_per_node.value_or(UINT32_MAX));
}

std::uint64_t gres_of(const NodeKind& node, std::string_view name, std::string_view gres_model) {
    std::uint64_t sum = 0;
    for (const model::NodeGres& gres : node.gres)
        if (gres.name == name && (gres_model.empty() || gres.model == gres_model))
            sum = saturated_sum(sum, gres.count);
    return sum;
}

std::uint64_t NodeDemand::memory_mib(const NodeKind& node) const noexcept {
    if (request_.memory && !request_.memory->per_cpu) return request_.memory->mib;
    const std::uint64_t cpus =
        takes_whole_nodes() ? cpus_with_memory(request_, node.cpus, node.threads_per_core) : 0;
    return saturated_product(memory_per_cpu_, std::max({cpus, cpus_, request_.min_cpus_on(1)}));
}

std::uint64_t NodeDemand::cpus_on_used_threads(const NodeKind& node) const {
    if (node.threads_per_core <= 1 || node.cpus == 0) return known(node.cpus);
    return node.cpus / node.threads_per_core * used_threads(request_, cluster_, node.threads_per_core);
}

bool NodeDemand::has_shape(const NodeKind& node) const {
    const model::NodeShape asked = asked_shape(request_);
    return asked.sockets <= known(node.shape.sockets) &&
           asked.cores_per_socket <= known(node.shape.cores_per_socket) &&
           asked.threads_per_core <= known(node.shape.threads_per_core);
}

bool NodeDemand::holds_cpus_and_memory(const NodeKind& node) const {
    const std::uint64_t usable = usable_cpus(node, partition_);
    if (bounds_whole_nodes() && node.cpus != 0 && usable < node.cpus) return false;
    return has_shape(node) && cpus_ <= usable && std::max(cpus_, min_cpus()) <= cpus_on_used_threads(node) &&
           memory_mib(node) <= known(node.memory_mib);
}

bool NodeDemand::holds_share(const NodeKind& node) const {
    bool holds = holds_cpus_and_memory(node);
    model::for_each_gres_item(request_.tres_per_node, [&](const model::TresItem& item) {
        holds = holds && item.count <= usable_on(node, item);
    });
    model::for_each_gres_item(request_.tres_per_socket, [&](const model::TresItem& item) {
        holds = holds &&
                saturated_product(item.count, request_.sockets_per_node.value_or(1)) <= count_on(node, item);
    });
    return holds;
}

std::uint64_t NodeDemand::task_cpus(const NodeKind& node) const {
    return std::min(usable_cpus(node, partition_), cpus_on_used_threads(node));
}

std::uint64_t NodeDemand::cpus_of_sockets(const NodeKind& node) const {
    if (request_.tasks_per_socket.value_or(0) == 0 || node.shape.sockets == 0) return any_number;
    const std::uint64_t threads = std::max(node.threads_per_core, 1u);
    const std::uint64_t cores = divide_up(saturated_product(*request_.tasks_per_socket, per_task_), threads);
    return saturated_product(node.shape.sockets, saturated_product(cores, threads));
}

std::uint64_t NodeDemand::tasks_on(const NodeKind& node) const {
    std::uint64_t max = request_.tasks_per_node.value_or(any_number);
    if (!request_.overcommit) {
        max = std::min(max, task_cpus(node) / per_task_);
        max = std::min(max, cpus_of_sockets(node) / per_task_);
    }
    if (!request_.overcommit && memory_per_cpu_ != 0)
        max = std::min(max, known(node.memory_mib) / memory_per_cpu_ / per_task_);
    model::for_each_gres_item(request_.tres_per_task, [&](const model::TresItem& item) {
        max = std::min(max, usable_on(node, item) / item.count);
    });
    return max;
}

std::uint64_t NodeDemand::cpus_for_tasks_on(const NodeKind& node) const {
    const std::uint64_t tasks = tasks_on(node);
    const bool has_whole_tasks = memory_per_cpu_ != 0 || request_.tasks_per_node || request_.tres_per_task;
    if (tasks == 0 || has_whole_tasks) return saturated_product(tasks, per_task_);
    return std::min(task_cpus(node), cpus_of_sockets(node));
}

std::uint64_t NodeDemand::usable_on(const NodeKind& node, const model::TresItem& item) const {
    std::uint64_t count = count_on(node, item);
    const auto share = [&](const std::optional<std::string>& text, std::uint64_t amount) {
        model::for_each_gres_item(text, [&](const model::TresItem& each) {
            if (each.is_same_tres(item) || (each.kind.empty() && each.is_same_resource(item)))
                count = std::min(count, amount / each.count);
        });
    };
    share(request_.cpus_per_tres, usable_cpus(node, partition_));
    share(request_.memory_per_tres, known(node.memory_mib));
    return count;
}

std::uint64_t NodeDemand::count_on(const NodeKind& node, const model::TresItem& item) const {
    if (knows_kinds()) {
        std::uint64_t sum = 0;
        for (const model::NodeGres& gres : node.gres)
            if (may_be_of(gres, item)) sum = saturated_sum(sum, gres.count);
        return sum;
    }
    std::uint64_t count = any_number;
    const std::string name = item.tres_name();
    text::for_each_part(partition_.tres, ',', [&](std::string_view part) {
        const auto equals = std::min(part.find('='), part.size());
        if (!text::iequals(part.substr(0, equals), name)) return;
        const auto total = text::parse_unsigned(part.substr(std::min(equals + 1, part.size())));
        if (total) count = *total / std::max(partition_.total_nodes, 1u);
    });
    return count;
}

// ---- capacity ------------------------------------------------------------------------------------------

namespace {

/// What the first nodes hold together.
std::uint64_t sum_of(const std::vector<AlikeNodes>& nodes, std::uint64_t max_nodes) {
    std::uint64_t sum = 0;
    for (const auto& [count, amount] : nodes) {
        const std::uint64_t taken = std::min(count, max_nodes);
        if (taken != 0 && amount > (any_number - sum) / taken) return any_number;
        sum += taken * amount;
        max_nodes -= taken;
    }
    return sum;
}

} // namespace

std::uint64_t capacity_of(std::vector<AlikeNodes> nodes, std::uint64_t max_nodes) {
    std::ranges::sort(nodes, std::ranges::greater(), &AlikeNodes::amount);
    return sum_of(nodes, max_nodes);
}

std::uint64_t min_of(std::vector<AlikeNodes> nodes, std::uint64_t count) {
    std::ranges::sort(nodes, {}, &AlikeNodes::amount);
    return sum_of(nodes, count);
}

std::optional<std::uint64_t> nodes_for(std::vector<AlikeNodes> nodes, std::uint64_t wanted, NodeOrder order) {
    std::ranges::sort(nodes, {}, &AlikeNodes::amount);
    if (order == NodeOrder::largest_first) std::ranges::reverse(nodes);
    std::uint64_t taken = 0;
    for (const auto& [count, amount] : nodes) {
        if (wanted == 0) break;
        if (amount == 0 || count == 0) continue;
        const std::uint64_t needed = std::min(count, wanted / amount + (wanted % amount != 0 ? 1 : 0));
        wanted -= amount > wanted / needed ? wanted : needed * amount;
        taken += needed;
    }
    return wanted == 0 ? std::optional(taken) : std::nullopt;
}

} // namespace qg::gate
