// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a verdict needs to know about a partition (limits/README.md 6.2, 8.3). Times are minutes, memory MiB.
#pragma once

#include "qosgate/base/units.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace qg::model {

/// An amount of memory, requested or by default, per node or per allocated CPU.
struct Memory {
    std::uint64_t mib = 0; ///< 0 = all of the node's memory
    bool per_cpu = false;
    friend bool operator==(const Memory&, const Memory&) = default;
};

/// A generic resource of a node.
struct NodeGres {
    std::string name;  ///< "gpu"
    std::string model; ///< "a100"; empty: any
    std::uint64_t count = 0;
    friend bool operator==(const NodeGres&, const NodeGres&) = default;
};

/// Processors of a node as slurm.conf names them, or those of each node that a job asks for (-B). 0: not
/// known, or any number.
struct NodeShape {
    std::uint32_t sockets = 0;
    std::uint32_t cores_per_socket = 0;
    std::uint32_t threads_per_core = 0;
    friend bool operator==(const NodeShape&, const NodeShape&) = default;
};

/// Nodes of a partition that are alike.
struct NodeKind {
    std::uint32_t count = 0;      ///< of these nodes
    std::uint64_t cpus = 0;       ///< of one; 0: not known
    std::uint64_t memory_mib = 0; ///< RealMemory - MemSpecLimit; 0: not known
    std::vector<NodeGres> gres = {};
    std::string features = {};    ///< active ones, "ib,big"; only in Partition::featured_kinds, NodeTable
    std::uint64_t whole_cpus = 0; ///< of a whole one, without specialized cores; 0: not known
    std::uint32_t threads_per_core = 1; ///< CPUs of a core
    NodeShape shape = {};

    /// Whether such nodes have the same resources, whatever their features.
    [[nodiscard]] bool has_same_resources(const NodeKind& other) const {
        return cpus == other.cpus && whole_cpus == other.whole_cpus && memory_mib == other.memory_mib &&
               threads_per_core == other.threads_per_core && shape == other.shape && gres == other.gres;
    }
};

/// The kind of each node of the cluster. Empty: not known, or more than max_kinds.
struct NodeTable {
    std::vector<NodeKind> kinds;        ///< distinguished by features, too
    std::vector<std::uint16_t> kind_of; ///< the index in `kinds`, by the index in the cluster's node table

    static constexpr std::size_t max_kinds = 256;

    /// Null: not known.
    [[nodiscard]] const NodeKind* find(std::uint32_t node) const noexcept {
        return node < kind_of.size() ? &kinds[kind_of[node]] : nullptr;
    }
};

/// The first and the last of nodes that are adjacent in the cluster's node table.
struct NodeRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

/// Whether a node is in one of these ranges, which are sorted. Cost: a binary search.
[[nodiscard]] bool has_node(std::span<const NodeRange> ranges, std::uint32_t index) noexcept;

/// The processors of a partition's nodes, whichever a job gets.
struct Processors {
    std::uint32_t min_threads_per_core = 1; ///< CPUs of a core
    std::uint32_t max_threads_per_core = 1; ///< likewise
    std::uint32_t max_sockets = 0;          ///< of a node; 0: not known
    std::uint32_t min_cpus_per_socket = 0;  ///< 0: not known for some node
    std::uint32_t max_cpus_per_socket = 0;  ///< 0: not known
    friend bool operator==(const Processors&, const Processors&) = default;
};

/// The least that slurmctld allocates of a node: SelectTypeParameters.
enum class AllocatedUnit : std::uint8_t { cpu, core, socket };

/// What SelectTypeParameters of a partition says.
struct Selection {
    AllocatedUnit unit = AllocatedUnit::cpu;
    bool shares_out_memory = false; ///< memory is allocated to jobs, as CPUs are
    friend bool operator==(const Selection&, const Selection&) = default;
};

struct Partition {
    std::string name;
    bool is_default = false;
    std::string qos; ///< the partition QOS; empty: none
    TimeLimit max_time = TimeLimit::unlimited();
    std::optional<TimeLimit> default_time;
    std::uint32_t min_nodes = 0;
    std::optional<std::uint32_t> max_nodes; ///< empty: unlimited
    std::uint32_t priority_tier = 1;
    std::uint32_t total_nodes = 0; ///< 0: not known, or has_no_nodes
    std::uint32_t total_cpus = 0;  ///< likewise
    bool has_no_nodes = false;
    std::optional<Memory> default_memory;  ///< DefMemPerNode, DefMemPerCPU
    std::uint64_t node_memory_mib = 0;     ///< RealMemory - MemSpecLimit of the first node; 0: not known
    std::uint64_t min_node_memory_mib = 0; ///< the minimum over all its nodes; 0: not known
    std::optional<std::uint64_t> max_tmp_disk_mib; ///< of one of its nodes (TmpDisk); empty: not known
    std::uint32_t min_node_cpus = 0; ///< the minimum over all its nodes, if allocated whole; 0: not known
    Processors processors;
    bool gives_whole_nodes = false;     ///< OverSubscribe=EXCLUSIVE
    std::vector<std::string> allow_qos; ///< empty: all
    std::vector<std::string> deny_qos;
    std::vector<std::string> allow_accounts; ///< empty: all
    std::vector<std::string> deny_accounts;
    bool takes_jobs = true;           ///< not drained or inactive
    bool starts_jobs = true;          ///< not down or inactive
    std::string alternate;            ///< takes the jobs that this one refuses; empty: none
    bool is_for_root = false;         ///< RootOnly
    bool needs_reservation = false;   ///< ReqResv
    std::vector<NodeKind> node_kinds; ///< of all its nodes; empty: not known, or more than max_node_kinds
    /// The same, distinguished by features too; empty: not known, or more than max_featured_kinds.
    std::vector<NodeKind> featured_kinds;
    std::vector<NodeRange> nodes;     ///< sorted; empty: not known
    std::optional<Memory> max_memory; ///< MaxMemPerNode, MaxMemPerCPU; empty: that of the cluster
    std::optional<std::uint32_t> max_cpus_per_node; ///< MaxCPUsPerNode; empty: unlimited
    bool is_hidden = false;                         ///< Hidden=YES: shown only with an option like --all
    std::vector<std::string> allow_groups;          ///< AllowGroups: Linux groups; empty: all
    std::string tres;             ///< total TRES of its nodes: "cpu=128,gres/gpu=8"; empty: not known
    bool is_for_everybody = true; ///< up, not hidden, open to all groups and from all nodes
    std::string billing_weights;  ///< TRESBillingWeights as configured; empty: none
    std::optional<std::uint64_t> cpus_per_gpu;       ///< DefCpuPerGPU; empty: not set
    std::optional<std::uint64_t> memory_per_gpu_mib; ///< DefMemPerGPU; empty: not set
    std::uint32_t priority_job_factor = 1;
    std::optional<Selection> selection; ///< SelectTypeParameters; empty: that of the cluster

    static constexpr std::size_t max_node_kinds = 16;
    static constexpr std::size_t max_featured_kinds = 64;

    /// Whether it contains the node with this index in the cluster's node table.
    [[nodiscard]] bool has_node(std::uint32_t index) const noexcept { return model::has_node(nodes, index); }

    /// Whether it refuses jobs without a time limit (DefaultTime=0).
    [[nodiscard]] bool requires_time_limit() const noexcept { return default_time == TimeLimit{0}; }

    /// Whether it accepts and starts jobs of every user.
    [[nodiscard]] bool is_open() const noexcept {
        return takes_jobs && starts_jobs && !is_for_root && !needs_reservation;
    }

    /// Whether every QOS and account may use it.
    [[nodiscard]] bool admits_everyone() const noexcept {
        return allow_qos.empty() && deny_qos.empty() && allow_accounts.empty() && deny_accounts.empty();
    }
};

/// All partitions of a cluster at one moment. Immutable once published.
class PartitionTable {
  public:
    PartitionTable() = default;
    explicit PartitionTable(std::vector<std::shared_ptr<const Partition>> partitions);

    /// The partition with that name (case matters, as in Slurm), or null.
    [[nodiscard]] const std::shared_ptr<const Partition>& find(std::string_view name) const;
    /// The default partition, or null.
    [[nodiscard]] const std::shared_ptr<const Partition>& default_partition() const noexcept {
        return default_;
    }
    [[nodiscard]] const std::vector<std::shared_ptr<const Partition>>& all() const noexcept { return all_; }
    /// Whether a partition that takes no jobs has an alternate.
    [[nodiscard]] bool has_alternates() const noexcept { return has_alternates_; }

  private:
    std::vector<std::shared_ptr<const Partition>> all_;
    std::unordered_map<std::string_view, std::size_t> by_name_; ///< names live in all_, which never changes
    std::shared_ptr<const Partition> default_;
    bool has_alternates_ = false;
};

} // namespace qg::model
