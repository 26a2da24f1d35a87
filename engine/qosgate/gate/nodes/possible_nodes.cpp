// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nodes/possible_nodes.hpp"

#include "qosgate/gate/nodes/node_features.hpp"

#include <iterator>

namespace qg::gate {
namespace {

using model::JobRequest;
using model::NodeKind;
using model::NodeTable;
using model::Partition;

/// The number of GPUs asked for on each node, of all models together; 0 if it is not certain. If two entries
/// name one model (--gres beside --gpus-per-node), slurmctld takes one of them. An entry without a model does
/// not count beside entries with one.
std::uint64_t count_gpus_per_node(const JobRequest& request) {
    if (!request.tres_per_node) return 0;
    constexpr std::size_t max_models = 8;
    std::vector<std::string_view> models;
    std::uint64_t of_models = 0;
    std::optional<std::uint64_t> of_any;
    bool is_certain = true;
    model::for_each_tres_item(*request.tres_per_node, [&](const model::TresItem& item) {
        if (item.type != model::TresKind::gres || item.name != "gpu" || !is_certain) return;
        if (item.kind.empty()) {
            is_certain = !of_any;
            of_any = item.count;
            return;
        }
        is_certain = models.size() < max_models && std::ranges::find(models, item.kind) == models.end();
        models.push_back(item.kind);
        of_models = saturated_sum(of_models, item.count);
    });
    if (!is_certain) return 0;
    return models.empty() ? of_any.value_or(0) : of_models;
}

/// The nodes of the ranges, by kind.
std::vector<NodesOfKind> nodes_by_kind(std::span<const model::NodeRange> ranges, const NodeTable& table) {
    std::vector<std::uint32_t> counts(ranges.empty() ? 0 : table.kinds.size());
    for (const auto [first, last] : ranges)
        for (std::size_t node = first; node <= last && node < table.kind_of.size(); ++node)
            ++counts[table.kind_of[node]];
    std::vector<NodesOfKind> some;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] != 0) some.push_back({&table.kinds[i], counts[i]});
    return some;
}

/// The nodes that the partition has and the job may have.
std::vector<model::NodeRange> usable(std::span<const std::uint32_t> nodes, const Partition& partition,
                                     const NamedNodes& named) {
    std::vector<model::NodeRange> some;
    for (const std::uint32_t node : nodes)
        if (partition.has_node(node) && named.may_have(node)) some.push_back({node, node});
    return some;
}

/// Removes nodes from `all`. `by_features`: nodes with different features are of different kinds.
void take_out(std::vector<NodesOfKind>& all, std::span<const NodesOfKind> nodes, bool by_features) {
    for (const auto& [kind, count] : nodes) {
        const auto found = std::ranges::find_if(all, [&](const NodesOfKind& one) {
            return one.kind->has_same_resources(*kind) &&
                   (!by_features || one.kind->features == kind->features);
        });
        if (found != all.end()) found->count -= std::min(found->count, count);
    }
}

std::uint64_t count(std::span<const NodesOfKind> nodes) {
    std::uint64_t sum = 0;
    for (const NodesOfKind& some : nodes)
        sum += some.count;
    return sum;
}

} // namespace

std::size_t count_gres(const std::optional<std::string>& text) {
    std::size_t count = 0;
    model::for_each_gres_item(text, [&](const model::TresItem&) { ++count; });
    return count;
}

PossibleNodes::PossibleNodes(const JobRequest& request, const Partition& partition,
                             const model::Cluster& cluster, const NamedNodes& named, std::uint64_t max_nodes)
    : request_(request), partition_(partition), demand_(request, partition, cluster),
      asks_for_features_(request.features &&
                         kind_of_constraint(*request.features) == ConstraintKind::by_node &&
                         !partition.featured_kinds.empty()),
      max_nodes_(max_nodes), gpus_per_node_(count_gpus_per_node(request)) {
    set_kinds(cluster, named);
    find_candidates();
}

void PossibleNodes::set_kinds(const model::Cluster& cluster, const NamedNodes& named) {
    const auto& kinds = asks_for_features_ ? partition_.featured_kinds : partition_.node_kinds;
    is_reserved_ = named.knows_reserved();
    are_known_ = !kinds.empty() && !(is_reserved_ && cluster.nodes.kinds.empty());
    if (!are_known_) return; // NodeDemand then assumes that all nodes are alike
    const auto by_kind = [&](std::span<const std::uint32_t> nodes) {
        return nodes_by_kind(usable(nodes, partition_, named), cluster.nodes);
    };
    std::vector<NodesOfKind> others;
    if (is_reserved_)
        others = nodes_by_kind(named.reserved->in(partition_), cluster.nodes);
    else
        for (const NodeKind& kind : kinds)
            others.push_back({&kind, kind.count});
    const auto excluded = by_kind(named.excluded.indices);
    leaves_some_out_ = !excluded.empty();
    kinds_ = by_kind(named.required.indices);
    take_out(others, excluded, asks_for_features_ || is_reserved_);
    take_out(others, kinds_, asks_for_features_ || is_reserved_);
    required_kinds_ = kinds_.size();
    required_nodes_ = count(kinds_);
    if (request_.required_nodes)
        are_known_ = are_known_ && named.required.is_whole && required_nodes_ != 0 &&
                     required_nodes_ == named.required.indices.size();
    if (required_nodes_ != 0 && required_nodes_ >= max_nodes_) {
        are_all_required_ = true;
        others.clear();
    }
    std::ranges::copy_if(others, std::back_inserter(kinds_), [&](const NodesOfKind& some) {
        return some.count != 0 && (!asks_for_features_ || has_features(*some.kind));
    });
}

/// The candidates are the others without those that lack something and those that are too small. A node is
/// too small if the job, with that node and its maximum number of nodes, cannot place all of its tasks.
void PossibleNodes::find_candidates() {
    const auto tasks_on = [&](const NodeKind& kind) { return demand_.tasks_on(kind); };
    const std::uint64_t asked = request_.overcommit ? 0 : request_.tasks.value_or(0);
    const std::uint64_t on_others =
        asked <= 1 ? 0 : capacity_of(measure(all(), tasks_on), std::max<std::uint64_t>(max_nodes_, 1) - 1);
    std::ranges::copy_if(others(), std::back_inserter(candidates_), [&](const NodesOfKind& some) {
        return may_be_of_job(*some.kind) && saturated_sum(on_others, tasks_on(*some.kind)) >= asked;
    });
    // With whole nodes slurmctld starts a job of more tasks than they hold. [L22]
    if (candidates_.empty()) candidates_.assign(others().begin(), others().end());
}

bool PossibleNodes::has_features(const NodeKind& kind) const {
    return gate::has_features(kind, *request_.features);
}

bool PossibleNodes::holds_share(const NodeKind& kind) const {
    bool holds = demand_.holds_cpus_and_memory(kind) && gpus_per_node_ <= gpus_of(kind);
    if (count_gres(request_.tres_per_node) == 1) // if several name one model, slurmctld takes one of them
        model::for_each_gres_item(request_.tres_per_node, [&](const model::TresItem& item) {
            holds = holds && item.count <= demand_.count_on(kind, item);
        });
    return holds;
}

bool PossibleNodes::may_be_of_job(const NodeKind& kind) const {
    bool may_be = holds_share(kind);
    model::for_each_gres_item(request_.tres_per_job, [&](const model::TresItem& item) {
        may_be = may_be && demand_.count_on(kind, item) != 0;
    });
    return may_be;
}

std::uint64_t PossibleNodes::min_nodes(std::uint64_t asked) const {
    std::uint64_t nodes = std::max(asked, required_nodes_);
    // If several entries name one model, slurmctld takes one of them.
    if (count_gres(request_.tres_per_job) != 1) return nodes;
    model::for_each_gres_item(request_.tres_per_job, [&](const model::TresItem& item) {
        const auto count_on = [&](const NodeKind& kind) { return demand_.count_on(kind, item); };
        const auto needed = nodes_for(measure(all(), count_on), item.count, NodeOrder::largest_first);
        nodes = std::max(nodes, needed.value_or(nodes));
    });
    return nodes;
}

} // namespace qg::gate
