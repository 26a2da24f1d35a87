// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partition_rules.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <span>

namespace qg::gate {
namespace {

using model::EnforcePartLimits;
using model::Partition;
using model::RejectCode;

bool names(std::span<const std::string> list, std::string_view name) {
    return std::any_of(list.begin(), list.end(),
                       [&](const std::string& n) { return text::iequals(n, name); });
}

/// An allow list decides alone where it is set; a name that is empty is on no list.
bool lets_in(std::span<const std::string> allowed, std::span<const std::string> denied,
             std::string_view name) {
    return allowed.empty() ? !names(denied, name) : names(allowed, name);
}

std::string who_gets_in(std::span<const std::string> allowed, std::span<const std::string> denied) {
    return allowed.empty() ? "it shuts out: " + text::join(denied, ", ")
                           : "it lets in: " + text::join(allowed, ", ");
}

const model::Qos* job_qos(const model::AccountView& view) {
    return view.job_qos.qos ? &view.qos[*view.job_qos.qos] : nullptr;
}

model::QosFlags qos_flags(const model::AccountView& view) {
    const model::Qos* qos = job_qos(view);
    return qos ? qos->flags : model::QosFlags{};
}

PartitionProblem node_problem(std::string text) {
    return {RejectCode::invalid_node_count, "PartitionNodeLimit", std::move(text)};
}

/// The nodes that slurmctld compares with MinNodes: those asked for, before the partition raises them.
std::uint32_t asked_nodes(const PartitionView& asked) {
    return std::max(asked.request.min_nodes.value_or(1), 1u);
}

/// MinNodes counts at submission only; later the job has been raised to it.
std::optional<PartitionProblem> find_min_nodes_problem(const PartitionView& asked,
                                                       const Partition& partition) {
    if (qos_flags(asked.view).partition_min_nodes || asked_nodes(asked) >= partition.min_nodes)
        return std::nullopt;
    return node_problem(text::format("partition {} is for jobs of at least {} nodes, asked {}",
                                     partition.name, partition.min_nodes, asked_nodes(asked)));
}

std::optional<PartitionProblem> find_total_nodes_problem(const PartitionView& asked,
                                                         const Partition& partition) {
    if (partition.total_nodes == 0 || asked_nodes(asked) <= partition.total_nodes) return std::nullopt;
    return PartitionProblem{RejectCode::invalid_node_count, "PartitionConfig",
                            text::format("partition {} has {} nodes, asked {}", partition.name,
                                         partition.total_nodes, asked_nodes(asked))};
}

std::optional<PartitionProblem> find_max_nodes_problem(const PartitionView& asked, const Partition& partition,
                                                       std::uint32_t nodes) {
    if (!partition.max_nodes || qos_flags(asked.view).partition_max_nodes || nodes <= *partition.max_nodes)
        return std::nullopt;
    return node_problem(text::format("partition {} is for jobs of at most {} nodes, asked {}", partition.name,
                                     *partition.max_nodes, nodes));
}

std::optional<PartitionProblem> find_time_problem(const PartitionView& asked, const Partition& partition,
                                                  std::optional<TimeLimit> time) {
    const auto least = asked.request.time_min ? asked.request.time_min : time;
    if (!least || qos_flags(asked.view).partition_time_limit || *least <= partition.max_time)
        return std::nullopt;
    return PartitionProblem{RejectCode::invalid_time_limit, "PartitionTimeLimit",
                            text::format("wall time in partition {}: asked {}, limit {}", partition.name,
                                         units::format_minutes(*least),
                                         units::format_minutes(partition.max_time))};
}

/// In slurmctld's order at submission.
std::optional<PartitionProblem> find_problem_at_submission(const PartitionView& asked,
                                                           const Partition& partition) {
    if (auto problem = find_total_nodes_problem(asked, partition)) return problem;
    if (auto problem = find_min_nodes_problem(asked, partition)) return problem;
    if (asked.request.max_nodes)
        if (auto problem = find_max_nodes_problem(asked, partition, *asked.request.max_nodes)) return problem;
    if (auto problem = find_time_problem(asked, partition, asked.job.time_limit)) return problem;
    return find_access_problem(asked, partition);
}

Refusal to_refusal(PartitionProblem problem) {
    return {problem.code, {std::move(problem.text)}};
}

} // namespace

std::optional<Refusal> refuse_by_partitions(const PartitionView& asked, const model::Cluster& cluster) {
    std::optional<Refusal> first;
    std::size_t refusing = 0;
    for (const auto& choice : asked.view.partitions) {
        const Partition& partition = *choice.partition;
        if (!asked.request.time_limit && partition.default_time == TimeLimit{0})
            return Refusal{RejectCode::invalid_time_limit,
                           {text::format("partition {} wants a time limit: add --time", partition.name)}};
        auto problem = find_problem_at_submission(asked, partition);
        if (!problem) continue;
        ++refusing;
        if (!first) first = to_refusal(*std::move(problem));
    }
    switch (cluster.enforce_part_limits) {
    case EnforcePartLimits::no: return std::nullopt;
    case EnforcePartLimits::all: return first;
    case EnforcePartLimits::any: break;
    }
    return refusing == asked.view.partitions.size() ? first : std::nullopt;
}

std::optional<PartitionProblem> find_size_problem(const PartitionView& asked, const Partition& partition,
                                                  std::optional<TimeLimit> time) {
    const auto node = asked.view.tres->node();
    const auto nodes = node ? static_cast<std::uint32_t>(asked.job.tres.at(*node)) : 1;
    if (auto problem = find_total_nodes_problem(asked, partition)) return problem;
    if (auto problem = find_time_problem(asked, partition, time)) return problem;
    return find_max_nodes_problem(asked, partition, nodes);
}

std::optional<PartitionProblem> find_access_problem(const PartitionView& asked, const Partition& partition) {
    const model::Qos* qos = job_qos(asked.view);
    const std::string_view name = qos ? std::string_view(qos->name) : std::string_view();
    if (!lets_in(partition.allow_qos, partition.deny_qos, name))
        return PartitionProblem{RejectCode::invalid_qos, "QOSNotAllowed",
                                text::format("partition {} is not open to {}; {}", partition.name,
                                             qos ? "QOS " + qos->name : "jobs without a QOS",
                                             who_gets_in(partition.allow_qos, partition.deny_qos))};
    if (!lets_in(partition.allow_accounts, partition.deny_accounts, asked.view.account))
        return PartitionProblem{RejectCode::invalid_account, "AccountNotAllowed",
                                text::format("partition {} is not open to account {}; {}", partition.name,
                                             asked.view.account,
                                             who_gets_in(partition.allow_accounts, partition.deny_accounts))};
    return std::nullopt;
}

} // namespace qg::gate
