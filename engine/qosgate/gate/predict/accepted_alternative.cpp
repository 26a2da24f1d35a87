// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/predict/accepted_alternative.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/advice.hpp"
#include "qosgate/gate/nodes/known_nodes.hpp"
#include "qosgate/gate/nodes/placement.hpp"
#include "qosgate/gate/nodes/whole_nodes.hpp"
#include "qosgate/gate/predict/alternatives.hpp"
#include "qosgate/gate/size/whole_cores.hpp"
#include "qosgate/model/whole_nodes_by.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace qg::gate {
namespace {

using model::JobRequest;
using model::Partition;

/// Whether slurmctld would get as far as the limits and partitions.
bool names_are_known(const ResolvedRequest& resolved) {
    const model::AccountView& view = resolved.view();
    return resolved.partitions.unknown.empty() && view.job_qos.problem == model::QosProblem::none &&
           !(view.enforce.associations && view.associations.empty());
}

/// Whether the user may use the QOS that the job asks for, but not with its account.
bool has_qos_of_other_account(const ResolvedRequest& resolved) {
    const model::AccountView& view = resolved.view();
    return resolved.partitions.unknown.empty() && resolved.request.qos && !view.associations.empty() &&
           view.job_qos.problem == model::QosProblem::not_permitted;
}

/// Whether the QOS that the job gets with another account is its own, or one that the site lists.
bool keeps_to_listed_qos(const ResolvedRequest& at, const ResolvedRequest& with,
                         const policy::Settings& settings) {
    if (!settings.suggest_qos) return true;
    const std::string& name = with.view().job_qos.name;
    return text::iequals(name, at.view().job_qos.name) ||
           std::ranges::any_of(*settings.suggest_qos,
                               [&](const std::string& listed) { return text::iequals(name, listed); });
}

/// Whether a partition certainly has all nodes of --nodelist.
bool has_nodes(const Partition& partition, const NamedNodes& named) {
    return !partition.nodes.empty() && !named.required.indices.empty() && named.required.is_whole &&
           !named.required.unknown && std::ranges::all_of(named.required.indices, [&](std::uint32_t index) {
               return partition.has_node(index);
           });
}

/// Whether enough is known about a partition's nodes to say whether they can hold the job.
bool has_known_nodes(const Partition& partition, const JobRequest& request, const model::Cluster& cluster,
                     const NamedNodes& named) {
    if (partition.total_nodes == 0 || partition.total_cpus == 0) return false;
    if (model::takes_whole_nodes(request, &partition, cluster) &&
        !knows_whole_nodes(request, partition, cluster))
        return false;
    if (request.memory && partition.node_memory_mib == 0) return false;
    if (request.required_nodes && !has_nodes(partition, named)) return false;
    if (request.reservation || request.tasks_per_tres) return false;
    const bool asks_for_resources = request.tres_per_job || request.tres_per_node ||
                                    request.tres_per_socket || request.tres_per_task ||
                                    cpus_of_shape(request) > 1;
    return !asks_for_resources || !partition.node_kinds.empty();
}

/// Tries requests that differ in one name.
class Trial {
  public:
    Trial(const ResolvedRequest& at, limits::Strictness strictness, const IsGood& is_good,
          std::size_t max_names = max_alternatives)
        : at_(at), strictness_(strictness), is_good_(is_good), max_names_(max_names) {}

    /// The request with the first of `names` that is accepted and good, of those for which `is_meant`.
    template <typename IsMeant>
    std::optional<JobRequest> run(std::optional<std::string> JobRequest::*field,
                                  std::span<const std::string> names, IsMeant is_meant) const {
        for (const std::string& name : names.first(std::min(names.size(), max_names_))) {
            JobRequest proposal = at_.request;
            proposal.*field = name;
            ResolvedRequest resolved = resolve(proposal, at_.context);
            if (is_meant(resolved) && is_surely_taken(resolved, strictness_) && is_good_(proposal))
                return proposal;
        }
        return std::nullopt;
    }

  private:
    const ResolvedRequest& at_;
    limits::Strictness strictness_;
    const IsGood& is_good_;
    std::size_t max_names_;
};

/// Whether nothing but limits and rules of partitions, such as its nodes, keeps a job from starting.
auto needs_no_advice(bool knows_reservations) {
    return [knows_reservations](const ResolvedRequest& with) {
        return find_advice(with, knows_reservations).lines.empty();
    };
}

/// Of the partitions that may be suggested, those whose nodes are known well enough.
std::vector<std::string> known_partitions(std::vector<std::string> names, const ResolvedRequest& at) {
    const model::Cluster& cluster = at.context.cluster;
    const NamedNodes named = look_up_named_nodes(at.request, cluster.names);
    std::erase_if(names, [&](const std::string& name) {
        const auto& partition = cluster.partitions.find(name);
        return partition == nullptr || !has_known_nodes(*partition, at.request, cluster, named);
    });
    return names;
}

} // namespace

std::optional<JobRequest> find_accepted_alternative(const ResolvedRequest& at, limits::Strictness strictness,
                                                    const policy::Settings& settings, const IsGood& is_good,
                                                    std::size_t max_names) {
    const Trial trial(at, strictness, is_good, max_names);
    const auto is_listed = [&](const ResolvedRequest& with) {
        return keeps_to_listed_qos(at, with, settings);
    };
    if (has_qos_of_other_account(at))
        return trial.run(&JobRequest::account, find_alternatives(at, settings).accounts, is_listed);
    if (!names_are_known(at)) return std::nullopt;
    const Alternatives others = find_alternatives(at, settings);
    const auto is_meant = [&](const ResolvedRequest& with) { return others.means_qos(with.view()); };
    if (auto found = trial.run(&JobRequest::qos, others.qos, is_meant)) return found;
    if (auto found = trial.run(&JobRequest::partition, known_partitions(others.partitions, at),
                               needs_no_advice(/*knows_reservations=*/false)))
        return found;
    return trial.run(&JobRequest::account, others.accounts, is_listed);
}

std::optional<JobRequest> find_open_partition(const ResolvedRequest& at, limits::Strictness strictness,
                                              const policy::Settings& settings, const IsGood& is_good) {
    return find_fitting_partition(at, strictness, settings, /*knows_reservations=*/false, is_good);
}

std::optional<JobRequest> find_fitting_partition(const ResolvedRequest& at, limits::Strictness strictness,
                                                 const policy::Settings& settings, bool knows_reservations,
                                                 const IsGood& is_good) {
    return Trial(at, strictness, is_good)
        .run(&JobRequest::partition, known_partitions(other_partitions(at, settings), at),
             needs_no_advice(knows_reservations));
}

} // namespace qg::gate
