// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nodes/placement.hpp"

#include "qosgate/gate/nodes/host_names.hpp"
#include "qosgate/gate/nodes/node_demand.hpp"
#include "qosgate/gate/nodes/node_features.hpp"
#include "qosgate/gate/nodes/selection_failures.hpp"
#include "qosgate/gate/partitions/partition_bounds.hpp"
#include "qosgate/gate/size/whole_cores.hpp"
#include "qosgate/model/tres_request.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

namespace qg::gate {
namespace {

using model::JobRequest;
using model::NodeKind;
using model::Partition;

/// Whether a node names the models of all gres of which the job asks for a model.
bool says_models(const NodeKind& kind, const JobRequest& request) {
    bool says_all = true;
    for (const auto text : {&JobRequest::tres_per_job, &JobRequest::tres_per_node,
                            &JobRequest::tres_per_socket, &JobRequest::tres_per_task})
        model::for_each_gres_item(request.*text, [&](const model::TresItem& item) {
            says_all = says_all && says_model(kind, item);
        });
    return says_all;
}

/// The maximum of nodes that a job excludes; empty if not known.
std::optional<std::uint64_t> count_excluded(const JobRequest& request) {
    constexpr std::size_t max_names = 256;
    if (request.nodes_to_exclude().empty()) return 0;
    const HostNames hosts = first_hosts(request.nodes_to_exclude(), max_names);
    return hosts.is_whole ? std::optional<std::uint64_t>(hosts.names.size()) : std::nullopt;
}

/// How many nodes of one partition a job fills.
class Filling {
  public:
    Filling(const JobRequest& request, const Partition& partition, const model::Cluster& cluster,
            const JobSize& size, std::uint64_t max_nodes, std::uint64_t partition_min_nodes,
            std::optional<std::uint64_t> excluded_nodes, limits::Release release)
        : request_(request), partition_(partition), demand_(request, partition, cluster),
          max_nodes_(max_nodes), nodes_(min_nodes(request, partition_min_nodes, size)),
          tasks_(size.tasks.value_or(nodes_)), cpus_(size.cpus.value_or(1)),
          cpus_of_gres_(cpus_of_gres_on_node(request, release).value_or(any_number)) {
        const auto all = known_kinds(partition, request.features.has_value());
        std::ranges::copy_if(all, std::back_inserter(kinds_),
                             [&](const NodeKind& kind) { return fits(kind); });
        if (request.required_nodes && kinds_.size() != all.size()) kinds_.clear();
        leave_out(excluded_nodes);
    }

    /// The largest number that the selection may choose; empty if no number is enough.
    [[nodiscard]] std::optional<std::uint64_t> count() const {
        const auto is_enough = [&](const NodeKind& kind) {
            return count_of(std::span(&kind, 1), NodeOrder::smallest_first) == 1u;
        };
        // It is not known of which kind the nodes in --nodelist are.
        const bool names_nodes = request_.required_nodes.has_value();
        const bool is_one_enough =
            names_nodes ? std::ranges::all_of(kinds_, is_enough) : std::ranges::any_of(kinds_, is_enough);
        if (nodes_ == 1 && is_one_enough && !kinds_.empty()) return 1;
        const auto max = count_of(kinds_, NodeOrder::smallest_first);
        if (!max || *max <= max_nodes_) return max;
        if (names_nodes) return std::nullopt;
        // The nodes with the most CPUs need not have the most gres.
        if (request_.tres_per_job) return std::nullopt;
        const auto fewest = count_of(kinds_, NodeOrder::largest_first);
        return fewest && *fewest <= max_nodes_ ? std::optional(max_nodes_) : std::nullopt;
    }

  private:
    /// Whether nodes of this kind have what the job needs on each node. A node without one of the job's gres
    /// gets none of its tasks.
    [[nodiscard]] bool fits(const NodeKind& kind) const {
        const bool knows_shape = cpus_of_shape(request_) == 1 || kind.shape != model::NodeShape{};
        bool fits = knows_shape && (!request_.features || has_features(kind, *request_.features)) &&
                    says_models(kind, request_) && demand_.holds_share(kind) && tasks_on(kind) != 0;
        model::for_each_gres_item(request_.tres_per_job, [&](const model::TresItem& item) {
            fits = fits && demand_.usable_on(kind, item) != 0;
        });
        return fits;
    }

    [[nodiscard]] std::uint64_t tasks_on(const NodeKind& kind) const {
        return std::min(demand_.tasks_on(kind), cpus_of_gres_ / demand_.cpus_per_task());
    }

    /// Excludes `count` nodes of every kind, because it is not known of which kind the excluded nodes are.
    void leave_out(std::optional<std::uint64_t> count) {
        for (NodeKind& kind : kinds_)
            kind.count -=
                static_cast<std::uint32_t>(std::min<std::uint64_t>(count.value_or(kind.count), kind.count));
        std::erase_if(kinds_, [](const NodeKind& kind) { return kind.count == 0; });
    }

    static std::uint64_t min_nodes(const JobRequest& request, std::uint64_t min, const JobSize& size) {
        const std::uint64_t asked = std::max<std::uint64_t>(size.nodes.value_or(1), 1);
        return min <= request.max_nodes.value_or(UINT32_MAX) ? std::max(asked, min) : asked;
    }

    /// The kinds of nodes. If they are not known, all nodes count as alike. Kinds by features are never
    /// guessed.
    static std::vector<NodeKind> known_kinds(const Partition& partition, bool by_features) {
        if (by_features) return partition.featured_kinds;
        if (!partition.node_kinds.empty()) return partition.node_kinds;
        NodeKind average;
        average.count = UINT32_MAX;
        average.cpus = partition.total_cpus / std::max(partition.total_nodes, 1u);
        average.memory_mib = partition.node_memory_mib;
        return {average};
    }

    /// How many nodes, taken in this order, hold the job; empty if all together do not.
    [[nodiscard]] std::optional<std::uint64_t> count_of(std::span<const NodeKind> kinds,
                                                        NodeOrder order) const {
        std::optional<std::uint64_t> count = nodes_;
        const auto hold = [&](std::uint64_t wanted, auto amount) {
            const auto needed = nodes_for(measure(kinds, amount), wanted, order);
            count = needed && count ? std::optional(std::max(*count, *needed)) : std::nullopt;
        };
        hold(nodes_, [](const NodeKind&) { return std::uint64_t{1}; });
        hold(tasks_, [&](const NodeKind& kind) { return tasks_on(kind); });
        if (!request_.overcommit)
            hold(cpus_, [&](const NodeKind& kind) { return usable_cpus(kind, partition_); });
        model::for_each_gres_item(request_.tres_per_job, [&](const model::TresItem& item) {
            hold(item.count, [&](const NodeKind& kind) { return demand_.usable_on(kind, item); });
        });
        if (!count) return std::nullopt;
        // Every node of the job needs at least one of each gres.
        bool is_enough = true;
        const auto compare = [&](std::uint64_t times) {
            return [&, times](const model::TresItem& item) {
                is_enough = is_enough && item.count * times >= *count;
            };
        };
        model::for_each_gres_item(request_.tres_per_job, compare(1));
        model::for_each_gres_item(request_.tres_per_task, compare(tasks_));
        return is_enough ? count : std::nullopt;
    }

    const JobRequest& request_;
    const Partition& partition_;
    NodeDemand demand_;
    std::vector<NodeKind> kinds_; ///< the kinds that have what the job needs on each node
    std::uint64_t max_nodes_;
    std::uint64_t nodes_; ///< minimum
    std::uint64_t tasks_;
    std::uint64_t cpus_;
    std::uint64_t cpus_of_gres_; ///< on each node; the job's tasks get no others
};

/// Whether the selection uses --cpus-per-gpu in ways that cannot be predicted. With GPUs per task, more CPUs
/// bring more tasks and these more GPUs. With several models, tasks may end up without CPUs.
bool is_open_ended(const JobRequest& request) {
    return (request.cpus_per_tres && request.tres_per_task) || gives_cpus_to_models(request);
}

/// Whether a limit counts memory, or billing that may include it.
bool limits_memory(const model::AccountView& view) {
    const auto counts = [&](const model::Limits& limits, std::optional<std::size_t> tres) {
        bool found = false;
        model::LimitSet::all().for_each_tres_limit(
            [&](model::TresLimit limit) { found = found || (tres && limits.get(limit, *tres)); });
        return found;
    };
    const auto mem = view.tres->find(model::TresKind::mem);
    const auto billing = view.tres->find(model::TresKind::billing);
    const auto is_limited = [&](const auto& owner) {
        return counts(owner.limits, mem) || counts(owner.limits, billing);
    };
    return std::ranges::any_of(view.qos, is_limited) || std::ranges::any_of(view.associations, is_limited);
}

/// Whether limits count all memory of nodes that are not selected yet.
bool has_unknown_memory(const ResolvedRequest& resolved) {
    const model::AccountView& view = resolved.view();
    for (std::size_t i = 0; i < view.partitions.size(); ++i)
        if (resolved.counter.has_open_memory(view, i)) return limits_memory(view);
    return false;
}

bool raise(std::optional<std::uint32_t>& field, std::uint64_t min) {
    if (min <= field.value_or(1)) return false;
    field = static_cast<std::uint32_t>(std::min<std::uint64_t>(min, UINT32_MAX));
    return true;
}

} // namespace

std::optional<Placed> place(const ResolvedRequest& asked) {
    const JobRequest& request = asked.request;
    const model::AccountView& view = asked.view();
    if (view.partitions.empty()) return Placed{request};
    if (is_open_ended(request) || has_unknown_memory(asked)) return std::nullopt;
    const auto excluded = count_excluded(request);
    std::uint64_t nodes = 0;
    for (const model::PartitionChoice& choice : view.partitions) {
        const Partition& partition = *choice.partition;
        const std::uint64_t max_nodes =
            cap_nodes(request.max_nodes.value_or(UINT32_MAX), partition, job_qos_flags(view));
        const std::uint64_t min_nodes =
            raised_min_nodes(partition, job_qos_flags(view), asked.context.release);
        const auto filled = Filling(request, partition, asked.context.cluster, asked.counter.sent(),
                                    max_nodes, min_nodes, excluded, asked.context.release)
                                .count();
        if (!filled || *filled > max_nodes) continue;
        nodes = std::max(nodes, *filled);
    }
    if (nodes == 0) return std::nullopt;
    Placed placed{request};
    placed.has_grown = raise(placed.request.min_nodes, nodes);
    return placed;
}

bool are_open_to_user(const ResolvedRequest& resolved) {
    return std::ranges::none_of(resolved.view().partitions, [](const model::PartitionChoice& choice) {
        return !choice.partition->allow_groups.empty();
    });
}

bool is_surely_taken(ResolvedRequest& asked, limits::Strictness strictness) {
    if (!are_open_to_user(asked)) return false;
    const auto placed = place(asked);
    const auto takes = [&](ResolvedRequest& resolved) {
        return resolved.known && predict_fully(resolved, strictness).starts_by_itself();
    };
    if (!placed || !takes(asked)) return false;
    if (!placed->has_grown) return true;
    ResolvedRequest grown = resolve(placed->request, asked.context);
    return takes(grown);
}

} // namespace qg::gate
