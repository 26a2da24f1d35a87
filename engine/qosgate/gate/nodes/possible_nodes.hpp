// SPDX-License-Identifier: GPL-2.0-or-later
//
// The nodes of one partition that a job may get. Unknown properties of a node count as sufficient, so no node
// that slurmctld might choose is left out.
#pragma once

#include "qosgate/base/saturate.hpp"
#include "qosgate/gate/nodes/known_nodes.hpp"
#include "qosgate/gate/nodes/node_demand.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace qg::gate {

/// The number of entries for generic resources in a text.
std::size_t count_gres(const std::optional<std::string>& text);

/// If a job names more partitions than this, the kinds of their nodes are not checked: slurmctld waits
/// meanwhile.
inline constexpr std::size_t max_partitions_by_node = 8;

/// Ownership: borrows request, partition and cluster. Threads: pure. Cost: linear in the partition's kinds of
/// nodes, in the nodes named, and in what the request asks for.
class PossibleNodes {
  public:
    /// `max_nodes` is the maximum number of nodes of the job.
    PossibleNodes(const model::JobRequest& request, const model::Partition& partition,
                  const model::Cluster& cluster, const NamedNodes& named, std::uint64_t max_nodes);

    /// Nodes that --nodelist does not name: those with the features, without those of --exclude, and of a
    /// reservation only its own. Empty if the job can have no other nodes than those of --nodelist, or if
    /// kinds are not known.
    [[nodiscard]] std::span<const NodesOfKind> others() const noexcept {
        return std::span(kinds_).subspan(required_kinds_);
    }
    /// The nodes of --nodelist, whatever features they have; empty if kinds are not known.
    [[nodiscard]] std::span<const NodesOfKind> required() const noexcept {
        return std::span(kinds_).first(required_kinds_);
    }
    [[nodiscard]] std::span<const NodesOfKind> all() const noexcept { return kinds_; }

    /// Whether all nodes that the job may get are known.
    [[nodiscard]] bool are_known() const noexcept { return are_known_; }
    /// Whether the job can have no other nodes than those of --nodelist.
    [[nodiscard]] bool are_all_required() const noexcept { return are_all_required_; }
    /// Whether --exclude leaves out some of the partition's nodes.
    [[nodiscard]] bool leaves_some_out() const noexcept { return leaves_some_out_; }
    /// Whether only nodes of the job's reservations count.
    [[nodiscard]] bool are_reserved() const noexcept { return is_reserved_; }
    /// Whether the job asks for features that can be checked for each node by itself.
    [[nodiscard]] bool asks_for_features() const noexcept { return asks_for_features_; }
    [[nodiscard]] const NodeDemand& demand() const noexcept { return demand_; }
    [[nodiscard]] std::uint64_t max_nodes() const noexcept { return max_nodes_; }

    /// The number of GPUs that the job asks for on each node, of all models together; 0 if it asks for none
    /// or if it is not certain.
    [[nodiscard]] std::uint64_t gpus_per_node() const noexcept { return gpus_per_node_; }

    /// Whether a node of this kind has the features that the job asks for.
    [[nodiscard]] bool has_features(const model::NodeKind& kind) const;
    /// Whether a node of this kind has what the job certainly asks for on each node.
    [[nodiscard]] bool holds_share(const model::NodeKind& kind) const;
    /// The same, and whether it has some of each resource that the job asks for as a whole: each of its nodes
    /// must have some.
    [[nodiscard]] bool may_be_of_job(const model::NodeKind& kind) const;

    /// The maximum that the job's nodes hold together.
    template <typename Amount>
    [[nodiscard]] std::uint64_t max(Amount amount) const {
        const std::uint64_t of_required = capacity_of(measure(required(), amount), any_number);
        const std::uint64_t rest = max_nodes_ - std::min(max_nodes_, required_nodes_);
        return saturated_sum(of_required, capacity_of(measure(others(), amount), rest));
    }

    /// The minimum that so many nodes hold together, if the job gets them.
    template <typename Amount>
    [[nodiscard]] std::uint64_t min(std::uint64_t nodes, Amount amount) const {
        const std::uint64_t of_required = capacity_of(measure(required(), amount), any_number);
        const std::uint64_t rest = nodes - std::min(nodes, required_nodes_);
        return saturated_sum(of_required, min_of(measure(std::span(candidates_), amount), rest));
    }

    /// The minimum number of nodes that the job gets: `asked`, the number in --nodelist, or the number that
    /// has its GPUs, whichever is largest.
    [[nodiscard]] std::uint64_t min_nodes(std::uint64_t asked) const;

  private:
    void set_kinds(const model::Cluster& cluster, const NamedNodes& named);
    void find_candidates();

    const model::JobRequest& request_;
    const model::Partition& partition_;
    NodeDemand demand_;
    bool asks_for_features_;
    bool are_known_ = false;
    bool are_all_required_ = false;
    bool leaves_some_out_ = false;
    bool is_reserved_ = false;
    std::uint64_t max_nodes_;
    std::uint64_t gpus_per_node_;
    std::uint64_t required_nodes_ = 0;
    std::size_t required_kinds_ = 0;
    std::vector<NodesOfKind> kinds_;      ///< the required ones first
    std::vector<NodesOfKind> candidates_; ///< the others that the job may get
};

} // namespace qg::gate
