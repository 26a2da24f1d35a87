// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/placement.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/no_nodes.hpp"
#include "qosgate/gate/tres_request.hpp"

#include <algorithm>
#include <limits>

namespace qg::gate {
namespace {

using model::JobRequest;
using model::Memory;
using model::Partition;

constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

/// What a node has; `any_number`: not known.
struct Node {
    std::uint64_t cpus = any_number;
    std::uint64_t memory_mib = any_number;
};

std::uint64_t known(std::uint64_t value) {
    return value == 0 ? any_number : value;
}

Node average_node(const Partition& partition) {
    const std::uint64_t nodes = std::max(partition.total_nodes, 1u);
    return {known(partition.total_cpus / nodes), known(partition.node_memory_mib)};
}

Node largest_node(const Partition& partition) {
    const Node average = average_node(partition);
    return {partition.largest.cpus == 0 ? average.cpus : partition.largest.cpus,
            partition.largest.memory_mib == 0 ? average.memory_mib : partition.largest.memory_mib};
}

std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) {
    return value / by + (value % by != 0 ? 1 : 0);
}

/// How many nodes of one partition a job fills.
class Filling {
  public:
    Filling(const JobRequest& request, const Partition& partition, const model::Cluster& cluster,
            const JobSize& size)
        : request_(request), partition_(partition),
          per_task_(std::max<std::uint64_t>(request.cpus_per_task.value_or(1), 1)),
          nodes_(least_nodes(request, partition, size)), tasks_(size.tasks.value_or(nodes_)),
          cpus_(size.cpus.value_or(1)), memory_(memory_of(request, partition, cluster)) {}

    /// The fewest; nothing: no number of them is enough.
    [[nodiscard]] std::optional<std::uint64_t> count() const {
        if (nodes_ == 1 && count_of(largest_node(partition_)) == 1u) return 1;
        return count_of(average_node(partition_));
    }

  private:
    static std::uint64_t least_nodes(const JobRequest& request, const Partition& partition,
                                     const JobSize& size) {
        const std::uint64_t asked = std::max<std::uint64_t>(size.nodes.value_or(1), 1);
        const bool is_raised = partition.min_nodes <= request.max_nodes.value_or(partition.min_nodes);
        return is_raised ? std::max<std::uint64_t>(asked, partition.min_nodes) : asked;
    }

    /// MiB for each CPU; 0 where memory is that of the node or of a resource.
    static std::uint64_t memory_of(const JobRequest& request, const Partition& partition,
                                   const model::Cluster& cluster) {
        std::optional<Memory> memory = request.memory;
        if (!memory && request.memory_per_tres) return 0;
        if (!memory) memory = partition.default_memory ? partition.default_memory : cluster.default_memory;
        return memory && memory->per_cpu ? memory->mib : 0;
    }

    [[nodiscard]] std::optional<std::uint64_t> count_of(const Node& node) const {
        const std::uint64_t fitting = tasks_on(node);
        if (fitting == 0 || !holds_share(node)) return std::nullopt;
        std::uint64_t count = std::max(nodes_, divide_up(tasks_, fitting));
        if (!request_.overcommit) count = std::max(count, divide_up(cpus_, node.cpus));
        for_each(request_.tres_per_job, [&](const TresItem& item) {
            count = std::max(count, divide_up(item.count, std::max<std::uint64_t>(on_node(item), 1)));
        });
        // Every node of the job gets one at least.
        bool is_enough = true;
        const auto compare = [&](std::uint64_t times) {
            return [&, times](const TresItem& item) { is_enough = is_enough && item.count * times >= count; };
        };
        for_each(request_.tres_per_job, compare(1));
        for_each(request_.tres_per_task, compare(tasks_));
        return is_enough ? std::optional(count) : std::nullopt;
    }

    /// How many tasks a node takes.
    [[nodiscard]] std::uint64_t tasks_on(const Node& node) const {
        std::uint64_t most = request_.tasks_per_node.value_or(any_number);
        if (!request_.overcommit) most = std::min(most, node.cpus / per_task_);
        if (!request_.overcommit && memory_ != 0)
            most = std::min(most, node.memory_mib / memory_ / per_task_);
        for_each(request_.tres_per_task,
                 [&](const TresItem& item) { most = std::min(most, on_node(item) / item.count); });
        return most;
    }

    /// Whether a node holds what is asked for on each.
    [[nodiscard]] bool holds_share(const Node& node) const {
        // slurmctld multiplies tasks per node and their CPUs, also of tasks that share CPUs.
        const std::uint64_t of_one = request_.overcommit && !request_.tasks_per_node ? 1 : per_task_;
        const std::uint64_t cpus =
            std::max(request_.tasks_per_node.value_or(1) * of_one, request_.least_cpus_on(1));
        bool holds = cpus <= node.cpus && (memory_ == 0 || cpus <= node.memory_mib / memory_);
        if (request_.memory && !request_.memory->per_cpu)
            holds = holds && request_.memory->mib <= node.memory_mib;
        for_each(request_.tres_per_node,
                 [&](const TresItem& item) { holds = holds && item.count <= on_node(item); });
        for_each(request_.tres_per_socket, [&](const TresItem& item) {
            holds = holds && item.count * request_.sockets_per_node.value_or(1) <= on_node(item);
        });
        return holds;
    }

    template <typename Body>
    static void for_each(const std::optional<std::string>& text, Body body) {
        if (!text) return;
        for_each_tres_item(*text, [&](const TresItem& item) {
            if (item.type == model::TresKind::gres && item.count != 0) body(item);
        });
    }

    /// How many of a resource a node has, nodes taken as alike.
    [[nodiscard]] std::uint64_t on_node(const TresItem& item) const {
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

    const JobRequest& request_;
    const Partition& partition_;
    std::uint64_t per_task_; ///< CPUs
    std::uint64_t nodes_;    ///< at least
    std::uint64_t tasks_;
    std::uint64_t cpus_;
    std::uint64_t memory_; ///< MiB for each CPU; 0: none
};

/// The most nodes that a job may have in a partition.
std::uint64_t most_nodes(const Partition& partition, const JobRequest& request, model::QosFlags flags) {
    std::uint64_t most = request.max_nodes.value_or(any_number);
    most = std::min(most, known(partition.total_nodes));
    if (partition.max_nodes && !flags.partition_max_nodes)
        most = std::min<std::uint64_t>(most, *partition.max_nodes);
    return most;
}

/// Whether the selection decides about --cpus-per-gpu in ways that nobody can foretell: of GPUs for each task
/// the CPUs bring more tasks along, and these more GPUs; of several models they leave tasks without any.
bool is_open_ended(const JobRequest& request) {
    return (request.cpus_per_tres && request.tres_per_task) || gives_cpus_to_models(request);
}

bool raise(std::optional<std::uint32_t>& field, std::uint64_t least) {
    if (least <= field.value_or(1)) return false;
    field = static_cast<std::uint32_t>(std::min<std::uint64_t>(least, UINT32_MAX));
    return true;
}

} // namespace

std::optional<Placed> place(const JobRequest& request, const Resolved& resolved,
                            const model::Cluster& cluster, limits::Release release) {
    const model::AccountView& view = resolved.view();
    if (view.partitions.empty()) return Placed{request};
    if (is_open_ended(request)) return std::nullopt;
    const JobSize size = size_of(request, release);
    std::uint64_t nodes = 0, sockets = 0;
    for (const model::PartitionChoice& choice : view.partitions) {
        const Partition& partition = *choice.partition;
        const auto filled = Filling(request, partition, cluster, size).count();
        if (!filled || *filled > most_nodes(partition, request, job_qos_flags(view))) continue;
        nodes = std::max(nodes, *filled);
        sockets = std::max<std::uint64_t>(sockets, partition.sockets_per_node);
    }
    if (nodes == 0) return std::nullopt;
    Placed placed{request};
    placed.has_grown = raise(placed.request.min_nodes, nodes);
    if (request.tres_per_socket)
        placed.has_grown = raise(placed.request.sockets_per_node, sockets) || placed.has_grown;
    return placed;
}

bool is_surely_taken(const JobRequest& request, const Case& at, limits::Strictness strictness) {
    const auto takes = [&](const JobRequest& asked) {
        Resolved resolved(asked, &at.cluster, at.provider, at.release);
        return resolved.known &&
               look_far_ahead(resolved, asked, at.cluster, at.release, strictness).takes_the_job();
    };
    const auto placed =
        place(request, {request, &at.cluster, at.provider, at.release}, at.cluster, at.release);
    return placed && takes(request) && (!placed->has_grown || takes(placed->request));
}

} // namespace qg::gate
