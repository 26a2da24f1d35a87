// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a job needs of a node in one partition, per node and per task (limits/README.md 6.3, 8.4).
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/partition.hpp"
#include "qosgate/model/tres_request.hpp"
#include "qosgate/model/whole_nodes_by.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::gate {

/// Stands for amounts that are not known or not limited.
inline constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();

/// The CPUs of such a node that one job may use in a partition; very many if not known.
std::uint64_t usable_cpus(const model::NodeKind& node, const model::Partition& partition) noexcept;

/// A gres of a node; `gres_model` empty: of all models. Those without a model are of none.
std::uint64_t gres_of(const model::NodeKind& node, std::string_view name, std::string_view gres_model = {});

/// The GPUs of a node.
inline std::uint64_t gpus_of(const model::NodeKind& node) {
    return gres_of(node, "gpu");
}

/// Ownership: borrows the request, the partition and the cluster. Threads: pure.
class NodeDemand {
  public:
    NodeDemand(const model::JobRequest& request, const model::Partition& partition,
               const model::Cluster& cluster);

    /// The minimum of CPUs on each node, for the job's tasks or its memory.
    [[nodiscard]] std::uint64_t cpus() const noexcept { return cpus_; }
    /// Whether MaxMemPerCPU raised the CPUs because of the memory asked for.
    [[nodiscard]] bool has_cpus_for_memory() const noexcept { return has_cpus_for_memory_; }
    /// The minimum of CPUs that each node must have (--mincpus); with --overcommit the job uses fewer.
    [[nodiscard]] std::uint64_t min_cpus() const noexcept { return request_.min_cpus_per_node.value_or(0); }
    /// The memory on a node in MiB. A job with whole nodes and memory per CPU counts all CPUs of the node.
    [[nodiscard]] std::uint64_t memory_mib(const model::NodeKind& node) const noexcept;
    /// MiB per CPU; 0 if memory is asked for otherwise, or is not a consumable resource.
    [[nodiscard]] std::uint64_t memory_per_cpu() const noexcept { return memory_per_cpu_; }
    [[nodiscard]] std::uint64_t cpus_per_task() const noexcept { return per_task_; }

    /// Whether the job gets whole nodes, and none of which MaxCPUsPerNode leaves some CPUs out. select/linear
    /// does not look at MaxCPUsPerNode.
    [[nodiscard]] bool bounds_whole_nodes() const noexcept {
        return whole_by_ != model::WholeNodesBy::nothing && whole_by_ != model::WholeNodesBy::select_linear;
    }
    [[nodiscard]] bool takes_whole_nodes() const noexcept {
        return whole_by_ != model::WholeNodesBy::nothing;
    }

    /// The CPUs of a node on those threads of its cores that the job's tasks may use; very many if not known.
    [[nodiscard]] std::uint64_t cpus_on_used_threads(const model::NodeKind& node) const;
    /// Whether a node has the sockets, cores and threads that the job asks for, or its own are not known.
    [[nodiscard]] bool has_shape(const model::NodeKind& node) const;
    /// Whether a node has the shape, the CPUs and the memory that the job needs on each node.
    [[nodiscard]] bool holds_cpus_and_memory(const model::NodeKind& node) const;
    /// Whether a node has everything that the job needs on each node. Cost: linear in the request's entries.
    [[nodiscard]] bool holds_share(const model::NodeKind& node) const;
    /// How many of the job's tasks fit on a node. Cost: the same.
    [[nodiscard]] std::uint64_t tasks_on(const model::NodeKind& node) const;
    /// The CPUs of a node that count for tasks where slurmctld only adds up the CPUs of all nodes
    /// (`adds_up_cpus_of_nodes`): with a part of a task, unless memory is asked for per CPU; 0 if no task
    /// fits. Cost: the same.
    [[nodiscard]] std::uint64_t cpus_for_tasks_on(const model::NodeKind& node) const;
    /// How many of a gres a node has. If the kinds of nodes are not known, the average of the partition.
    [[nodiscard]] std::uint64_t count_on(const model::NodeKind& node, const model::TresItem& item) const;
    /// How many of a gres one job can use on a node, which must also have their CPUs and memory
    /// (--cpus-per-gpu, --mem-per-gpu).
    [[nodiscard]] std::uint64_t usable_on(const model::NodeKind& node, const model::TresItem& item) const;

  private:
    /// The CPUs of such a node that the job's tasks use; very many if not known.
    [[nodiscard]] std::uint64_t task_cpus(const model::NodeKind& node) const;
    /// The CPUs of a node that --ntasks-per-socket leaves to tasks: whole cores of each socket; very many if
    /// it is not given, or the sockets are not known. [L22]
    [[nodiscard]] std::uint64_t cpus_of_sockets(const model::NodeKind& node) const;
    /// Whether nodes are real kinds of nodes. If not, they are averages over the partition.
    [[nodiscard]] bool knows_kinds() const noexcept {
        return !partition_.node_kinds.empty() || (request_.features && !partition_.featured_kinds.empty());
    }

    const model::JobRequest& request_;
    const model::Partition& partition_;
    const model::Cluster& cluster_;
    model::WholeNodesBy whole_by_;
    std::uint64_t per_task_;           ///< CPUs
    std::uint64_t memory_per_cpu_ = 0; ///< MiB
    std::uint64_t cpus_ = 1;           ///< on each node, at least
    bool has_cpus_for_memory_ = false;
};

/// Whether the node names the models of its gres, if the item asks for a model. If it does not, slurmctld may
/// know more than the node shows, except of GPUs.
[[nodiscard]] bool says_model(const model::NodeKind& node, const model::TresItem& item);

/// Whether a job whose memory is this, asked for or by default, has none once slurmctld tries to start it:
/// DefMemPerCPU=0. When it is submitted, that counts as all memory of its nodes, as 0 that the job asks for
/// does (limits/README.md 6.2, 6.3).
[[nodiscard]] inline bool gets_no_memory(const model::JobRequest& request,
                                         const std::optional<model::Memory>& memory) noexcept {
    const bool is_default = !request.memory || request.has_default_memory;
    return is_default && memory && memory->per_cpu && memory->mib == 0;
}

/// The memory that a job asks for or gets by default; empty: none, or memory per gres.
std::optional<model::Memory> memory_of(const model::JobRequest& request, const model::Partition& partition,
                                       const model::Cluster& cluster);

/// The default memory of the partition, or else of the cluster; empty: none.
std::optional<model::Memory> default_memory_of(const model::Partition* partition,
                                               const model::Cluster& cluster);

/// The maximum of memory, per CPU or per node, in a partition; empty: no maximum.
std::optional<model::Memory> max_memory_of(const model::Partition& partition, const model::Cluster& cluster);

/// How MaxMemPerCPU changes a request (limits/README.md 8.5).
struct CpusForMemory {
    std::uint64_t cpus; ///< for the memory of one CPU or one node
    std::uint64_t mib;  ///< memory of each of these CPUs
};

/// Empty if the maximum is not per CPU, or is not exceeded. Memory of 0 (--mem=0) is that of the partition's
/// first node.
std::optional<CpusForMemory> cpus_for_memory(const std::optional<model::Memory>& asked,
                                             const model::Partition& partition,
                                             const model::Cluster& cluster);

// ---- what nodes of different sizes hold together -------------------------------------------------------

/// Whether to take the nodes that hold most first or last.
enum class NodeOrder : std::uint8_t { largest_first, smallest_first };

/// A number of nodes that each hold the same amount.
struct AlikeNodes {
    std::uint64_t count = 0;
    std::uint64_t amount = 0;
};

/// The maximum that `max_nodes` of the nodes hold together.
std::uint64_t capacity_of(std::vector<AlikeNodes> nodes, std::uint64_t max_nodes);

/// The minimum that so many of the nodes hold together; if there are fewer, what all hold.
std::uint64_t min_of(std::vector<AlikeNodes> nodes, std::uint64_t count);

/// How many of the nodes, taken in this order, hold `wanted`; empty if all together do not.
std::optional<std::uint64_t> nodes_for(std::vector<AlikeNodes> nodes, std::uint64_t wanted, NodeOrder order);

/// Some of the nodes of one kind. Borrows the kind.
struct NodesOfKind {
    const model::NodeKind* kind = nullptr;
    std::uint64_t count = 0;
};

/// The nodes of these kinds, each of which holds `amount(kind)`.
template <typename Amount>
std::vector<AlikeNodes> measure(std::span<const model::NodeKind> kinds, Amount amount) {
    std::vector<AlikeNodes> nodes;
    nodes.reserve(kinds.size());
    for (const model::NodeKind& kind : kinds)
        nodes.push_back({kind.count, amount(kind)});
    return nodes;
}
template <typename Amount>
std::vector<AlikeNodes> measure(std::span<const NodesOfKind> some, Amount amount) {
    std::vector<AlikeNodes> nodes;
    nodes.reserve(some.size());
    for (const auto& [kind, count] : some)
        nodes.push_back({count, amount(*kind)});
    return nodes;
}

} // namespace qg::gate
