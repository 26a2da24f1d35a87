// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/elsewhere.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/placement.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace qg::gate {
namespace {

using model::JobRequest;
using model::Partition;

/// How many QOSs, partitions and accounts are tried each.
constexpr std::size_t most_tried = 8;

/// Whether slurmctld gets as far as limits and partitions.
bool names_are_known(const Resolved& resolved) {
    const model::AccountView& view = resolved.view();
    return resolved.partitions.unknown.empty() && view.job_qos.problem == model::QosProblem::none &&
           !(view.enforce.associations && view.associations.empty());
}

/// What else the user could ask for.
model::AccountView look_up_alternatives(const Case& at) {
    quota::Lookup lookup;
    lookup.user_id = at.request.user_id;
    if (at.request.account) lookup.account = *at.request.account;
    lookup.lists_alternatives = true;
    lookup.partitions = at.resolved.partitions.found;
    return at.provider.check(lookup).value_or(model::AccountView{});
}

/// Whether the nodes of a partition surely are such as the job needs: of its resources and features nothing
/// is known.
bool has_nodes_for(const Partition& partition, const JobRequest& request, const model::ResolvedJob& job) {
    const bool asks_for_kinds_of_nodes =
        request.tres_per_job || request.tres_per_node || request.tres_per_socket || request.tres_per_task ||
        request.tasks_per_tres || request.features || request.required_nodes || request.reservation;
    if (asks_for_kinds_of_nodes || partition.total_nodes == 0) return false;
    const std::uint64_t per_task = request.cpus_per_task.value_or(1);
    const std::uint64_t per_node =
        std::max(request.tasks_per_node.value_or(1) * per_task, request.least_cpus_on(1));
    const std::uint64_t memory_per_cpu = request.memory && request.memory->per_cpu ? request.memory->mib : 0;
    const std::uint64_t memory =
        memory_per_cpu != 0 ? memory_per_cpu * per_node : request.memory.value_or(model::Memory{}).mib;
    return per_node <= partition.total_cpus / partition.total_nodes && memory <= partition.node_memory_mib &&
           (!job.time_limit || *job.time_limit <= partition.max_time);
}

/// Tries requests that differ in one name.
class Trial {
  public:
    Trial(const Case& at, limits::Strictness strictness) : at_(at), strictness_(strictness) {}

    /// The first of `names` with which the job is taken; `current` is the one that it has.
    std::optional<JobRequest> run(std::optional<std::string> JobRequest::*field,
                                  std::span<const std::string> names, std::string_view current) const {
        std::size_t tried = 0;
        for (const std::string& name : names) {
            if (text::iequals(name, current)) continue;
            if (tried++ == most_tried) break;
            JobRequest proposal = at_.request;
            proposal.*field = name;
            if (is_surely_taken(proposal, at_, strictness_)) return proposal;
        }
        return std::nullopt;
    }

  private:
    const Case& at_;
    limits::Strictness strictness_;
};

std::vector<std::string> other_partitions(const Case& at) {
    const auto& asked = at.resolved.partitions.found;
    std::vector<std::string> names;
    for (const auto& partition : at.cluster.partitions.all()) {
        if (names.size() == most_tried) break;
        if (partition->is_for_everybody && std::ranges::find(asked, partition) == asked.end() &&
            has_nodes_for(*partition, at.request, at.resolved.job))
            names.push_back(partition->name);
    }
    return names;
}

} // namespace

std::optional<JobRequest> find_elsewhere(const Outlook& outlook, const Case& at,
                                         limits::Strictness strictness) {
    if (outlook.takes_the_job() || !names_are_known(at.resolved)) return std::nullopt;
    const Trial trial(at, strictness);
    const model::AccountView others = look_up_alternatives(at);
    const model::AccountView& view = at.resolved.view();
    if (auto found = trial.run(&JobRequest::qos, others.permitted_qos, view.job_qos.name)) return found;
    if (auto found = trial.run(&JobRequest::partition, other_partitions(at), "")) return found;
    return trial.run(&JobRequest::account, others.accounts, view.account);
}

} // namespace qg::gate
