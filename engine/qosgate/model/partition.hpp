// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a verdict needs to know of a partition (limits/README.md 6.2, 8.3). Times are minutes, memory MiB.
#pragma once

#include "qosgate/base/units.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace qg::model {

/// An amount of memory that is asked for, or given by default, per node or per allocated CPU.
struct Memory {
    std::uint64_t mib = 0; ///< 0 = all of the node's memory
    bool per_cpu = false;
    friend bool operator==(const Memory&, const Memory&) = default;
};

/// The most that any node of a partition has; 0: not known.
struct LargestNode {
    std::uint64_t memory_mib = 0; ///< RealMemory - MemSpecLimit
    std::uint64_t cpus = 0;
    std::uint64_t gpus = 0;
};

struct Partition {
    std::string name;
    bool is_default = false;
    std::string qos; ///< the partition QOS; empty: none
    TimeLimit max_time = TimeLimit::unlimited();
    std::optional<TimeLimit> default_time;
    std::uint32_t min_nodes = 0;
    std::optional<std::uint32_t> max_nodes; ///< nothing: unlimited
    std::uint32_t priority_tier = 1;
    std::uint32_t total_nodes = 0;
    std::uint32_t total_cpus = 0;
    std::optional<Memory> default_memory; ///< DefMemPerNode, DefMemPerCPU
    std::uint64_t node_memory_mib = 0;    ///< RealMemory - MemSpecLimit of the first node; 0: not known
    std::uint32_t sockets_per_node = 1;   ///< of the first node
    std::uint32_t least_node_cpus = 0;    ///< of all its nodes, each surely allocated whole; 0: not known
    std::vector<std::string> allow_qos;   ///< empty: all
    std::vector<std::string> deny_qos;
    std::vector<std::string> allow_accounts; ///< empty: all
    std::vector<std::string> deny_accounts;
    bool takes_jobs = true;         ///< not drained or inactive
    bool starts_jobs = true;        ///< not down or inactive
    bool has_alternate = false;     ///< another one takes the jobs that it does not
    bool is_for_root = false;       ///< RootOnly
    bool needs_reservation = false; ///< ReqResv
    LargestNode largest;
    bool is_hidden = false;  ///< Hidden=YES: shown to those who ask for all
    bool has_groups = false; ///< AllowGroups: not for everybody
    std::string tres;        ///< what its nodes have, all together: "cpu=128,gres/gpu=8"; empty: not known
    bool is_for_everybody = true; ///< up, not hidden, open to all groups and from all nodes
    std::string billing_weights;  ///< TRESBillingWeights as configured; empty: none

    /// Whether it refuses jobs that name no time limit (DefaultTime=0).
    [[nodiscard]] bool wants_time_limit() const noexcept { return default_time == TimeLimit{0}; }

    /// Whether it takes and starts jobs of whoever submits them.
    [[nodiscard]] bool is_open() const noexcept {
        return takes_jobs && starts_jobs && !is_for_root && !needs_reservation;
    }

    /// Whether every QOS and account may use it.
    [[nodiscard]] bool keeps_nobody_out() const noexcept {
        return allow_qos.empty() && deny_qos.empty() && allow_accounts.empty() && deny_accounts.empty();
    }
};

/// All partitions of a cluster at one moment. Immutable once published.
class PartitionTable {
  public:
    PartitionTable() = default;
    /// `generation` tells snapshots apart in logs.
    PartitionTable(std::vector<std::shared_ptr<const Partition>> partitions, std::uint64_t generation);

    /// The partition of that name (exact case, as Slurm compares), or null.
    [[nodiscard]] std::shared_ptr<const Partition> find(std::string_view name) const;
    /// The default partition, or null.
    [[nodiscard]] std::shared_ptr<const Partition> default_partition() const noexcept { return default_; }
    [[nodiscard]] const std::vector<std::shared_ptr<const Partition>>& all() const noexcept { return all_; }
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

  private:
    std::vector<std::shared_ptr<const Partition>> all_;
    std::unordered_map<std::string_view, std::size_t> by_name_; ///< names live in all_, which never changes
    std::shared_ptr<const Partition> default_;
    std::uint64_t generation_ = 0;
};

} // namespace qg::model
