// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/elsewhere.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/placement.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace qg::gate {
namespace {

using model::JobRequest;
using model::Partition;

/// The maximum of QOSs, of partitions and of accounts to try.
constexpr std::size_t max_tried = 8;

/// Whether slurmctld would get as far as the limits and partitions.
bool names_are_known(const ResolvedRequest& resolved) {
    const model::AccountView& view = resolved.view();
    return resolved.partitions.unknown.empty() && view.job_qos.problem == model::QosProblem::none &&
           !(view.enforce.associations && view.associations.empty());
}

/// The names that the user could ask for instead.
model::AccountView look_up_alternatives(const ResolvedRequest& at) {
    quota::Lookup lookup;
    lookup.user_id = at.request.user_id;
    lookup.reader = at.request.submit_uid;
    if (at.request.account) lookup.account = *at.request.account;
    lookup.lists_alternatives = true;
    lookup.partitions = at.partitions.found;
    return at.context.provider.check(lookup).value_or(model::AccountView{});
}

/// Whether enough is known about a partition's nodes to say whether they can hold the job.
bool has_known_nodes(const Partition& partition, const JobRequest& request, const model::Cluster& cluster) {
    if (partition.total_nodes == 0 || partition.total_cpus == 0) return false;
    if (partition.gives_whole_nodes || cluster.gives_whole_nodes) return false;
    if (request.memory && partition.node_memory_mib == 0) return false;
    if (request.required_nodes || request.reservation || request.tasks_per_tres) return false;
    const bool asks_for_resources =
        request.tres_per_job || request.tres_per_node || request.tres_per_socket || request.tres_per_task;
    return !asks_for_resources || !partition.node_kinds.empty();
}

/// The names with the user's default first.
std::vector<std::string> default_first(std::vector<std::string> names, std::string_view by_default) {
    std::ranges::stable_partition(
        names, [by_default](const std::string& name) { return text::iequals(name, by_default); });
    return names;
}

/// Tries requests that differ in one name.
class Trial {
  public:
    Trial(const ResolvedRequest& at, limits::Strictness strictness) : at_(at), strictness_(strictness) {}

    /// The request with the first of `names` that is accepted; `current` is skipped.
    std::optional<JobRequest> run(std::optional<std::string> JobRequest::*field,
                                  std::span<const std::string> names, std::string_view current) const {
        std::size_t tried = 0;
        for (const std::string& name : names) {
            if (text::iequals(name, current)) continue;
            if (tried++ == max_tried) break;
            JobRequest proposal = at_.request;
            proposal.*field = name;
            if (is_surely_taken(proposal, at_.context, strictness_)) return proposal;
        }
        return std::nullopt;
    }

  private:
    const ResolvedRequest& at_;
    limits::Strictness strictness_;
};

/// Other partitions that may accept the job, the cluster's default first.
std::vector<std::string> other_partitions(const ResolvedRequest& at) {
    const auto& asked = at.partitions.found;
    const auto by_default = at.context.cluster.partitions.default_partition();
    std::vector<std::string> names;
    const auto consider = [&](const std::shared_ptr<const Partition>& partition) {
        if (names.size() < max_tried && partition->is_for_everybody && partition->is_open() &&
            std::ranges::find(asked, partition) == asked.end() &&
            has_known_nodes(*partition, at.request, at.context.cluster))
            names.push_back(partition->name);
    };
    if (by_default) consider(by_default);
    for (const auto& partition : at.context.cluster.partitions.all())
        if (partition != by_default) consider(partition);
    return names;
}

} // namespace

std::optional<JobRequest> find_elsewhere(const DetailedForecast& forecast, const ResolvedRequest& at) {
    if (forecast.takes_the_job() || !names_are_known(at)) return std::nullopt;
    const Trial trial(at, forecast.strictness);
    const model::AccountView others = look_up_alternatives(at);
    const model::AccountView& view = at.view();
    const auto qos = default_first(others.permitted_qos, others.default_qos);
    if (auto found = trial.run(&JobRequest::qos, qos, view.job_qos.name)) return found;
    if (auto found = trial.run(&JobRequest::partition, other_partitions(at), "")) return found;
    const auto accounts = default_first(others.accounts, others.default_account);
    return trial.run(&JobRequest::account, accounts, view.account);
}

std::optional<JobRequest> find_open_partition(const ResolvedRequest& at, limits::Strictness strictness) {
    return Trial(at, strictness).run(&JobRequest::partition, other_partitions(at), "");
}

} // namespace qg::gate
