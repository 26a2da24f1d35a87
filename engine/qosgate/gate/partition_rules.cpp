// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partition_rules.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/job_size.hpp"
#include "qosgate/gate/partition_list.hpp"
#include "qosgate/limits/catalogue.hpp"

#include <algorithm>
#include <span>

namespace qg::gate {
namespace {

namespace rules = limits::rules;
using model::EnforcePartLimits;
using model::Partition;
using model::RejectCode;

using Problem = std::optional<PartitionProblem>;

bool names(std::span<const std::string> list, std::string_view name) {
    return std::any_of(list.begin(), list.end(),
                       [&](const std::string& n) { return text::iequals(n, name); });
}

/// An allow list decides alone where it is set; a name that is empty is on no list.
bool lets_in(std::span<const std::string> allowed, std::span<const std::string> denied,
             std::string_view name) {
    return allowed.empty() ? !names(denied, name) : names(allowed, name);
}

/// Whether the list names the job's account, or one above it.
bool names_account(std::span<const std::string> list, const PartitionView& asked) {
    if (names(list, asked.view.account)) return true;
    const auto& chain = asked.view.associations;
    return asked.release.follows(rules::lists_sub_accounts) &&
           std::any_of(chain.begin(), chain.end(),
                       [&](const model::Association& link) { return names(list, link.account); });
}

/// Whom a partition accepts: "long, normal", "all but short"; nothing where the reader may not know.
std::string list_accepted(std::span<const std::string> allowed, std::span<const std::string> denied,
                          bool is_hidden) {
    if (is_hidden) return "";
    return allowed.empty() ? "all but " + text::list_names(denied) : text::list_names(allowed);
}

/// "partition long does not accept QOS short (accepted: long, normal)"
std::string not_accepted(const Partition& partition, std::string_view what, std::string_view accepted) {
    std::string line = text::format("partition {} does not accept {}", partition.name, what);
    return accepted.empty() ? line : line + text::format(" (accepted: {})", accepted);
}

PartitionProblem node_problem(std::string text) {
    return {RejectCode::invalid_node_count, "PartitionNodeLimit", std::move(text)};
}

std::string count_nodes(std::uint64_t nodes) {
    return limits::format_amount("node", nodes);
}

PartitionProblem too_many_nodes(std::string_view partition, std::uint64_t most, std::uint64_t asked) {
    return node_problem(text::format("partition {} allows at most {} per job; this job asks for {}",
                                     partition, count_nodes(most), asked));
}

PartitionProblem too_few_nodes(std::string_view partition, std::uint64_t least, std::string_view asked) {
    return node_problem(text::format("partition {} requires at least {} per job; this job asks for {}",
                                     partition, count_nodes(least), asked));
}

Problem find_total_problem(const JobSize& size, const Partition& partition) {
    if (partition.total_cpus != 0 && size.cpus.value_or(0) > partition.total_cpus)
        return PartitionProblem{RejectCode::partition_limits, "PartitionConfig",
                                text::format("partition {} has {}; this job asks for {}", partition.name,
                                             limits::format_amount("cpu", partition.total_cpus), *size.cpus)};
    if (partition.total_nodes != 0 && size.nodes.value_or(0) > partition.total_nodes)
        return node_problem(text::format("partition {} has {}; this job asks for {}", partition.name,
                                         count_nodes(partition.total_nodes), *size.nodes));
    return std::nullopt;
}

Problem find_node_problem(const PartitionView& asked, const JobSize& size, const Partition& partition) {
    const model::QosFlags flags = job_qos_flags(asked.view);
    if (size.nodes && *size.nodes < partition.min_nodes && !flags.partition_min_nodes)
        return too_few_nodes(partition.name, partition.min_nodes, std::to_string(*size.nodes));
    if (size.max_nodes && partition.max_nodes && *size.max_nodes > *partition.max_nodes &&
        !flags.partition_max_nodes)
        return too_many_nodes(partition.name, *partition.max_nodes, *size.max_nodes);
    return std::nullopt;
}

/// What a job is compared with: the bounds of one partition, or of several as one.
struct Bounds {
    explicit Bounds(const Partition& partition)
        : name(partition.name), min_nodes(partition.min_nodes), max_nodes(partition.max_nodes),
          max_time(partition.max_time) {}

    std::string_view name;
    std::uint32_t min_nodes;
    std::optional<std::uint32_t> max_nodes;
    TimeLimit max_time;
};

Problem find_time_problem(const PartitionView& asked, const Bounds& bounds, std::optional<TimeLimit> time) {
    if (!time || job_qos_flags(asked.view).partition_time_limit || *time <= bounds.max_time)
        return std::nullopt;
    return PartitionProblem{RejectCode::invalid_time_limit, "PartitionTimeLimit",
                            text::format("wall time per job in partition {}: limit {}, this job asks for {}",
                                         bounds.name, units::format_minutes(bounds.max_time),
                                         units::format_minutes(*time))};
}

/// What is compared alike at submission and in every attempt to start the job.
Problem find_rule_problem(const PartitionView& asked, const JobSize& size, const Partition& partition,
                          std::optional<TimeLimit> time) {
    if (auto problem = find_total_problem(size, partition)) return problem;
    if (auto problem = find_node_problem(asked, size, partition)) return problem;
    return find_time_problem(asked, Bounds(partition), time);
}

Problem find_qos_problem(const PartitionView& asked, const Partition& partition) {
    const model::QosChoice& qos = asked.view.job_qos;
    const std::string_view name = qos.flags ? std::string_view(qos.name) : std::string_view();
    if (lets_in(partition.allow_qos, partition.deny_qos, name)) return std::nullopt;
    const bool is_hidden = !may_be_shown(partition, asked.view.hidden);
    return PartitionProblem{RejectCode::invalid_qos, "QOSNotAllowed",
                            not_accepted(partition, qos.flags ? "QOS " + qos.name : "jobs without a QOS",
                                         list_accepted(partition.allow_qos, partition.deny_qos, is_hidden))};
}

bool lets_account_in(const PartitionView& asked, const Partition& partition) {
    return partition.allow_accounts.empty() ? !names_account(partition.deny_accounts, asked)
                                            : names_account(partition.allow_accounts, asked);
}

Problem find_account_problem(const PartitionView& asked, const Partition& partition) {
    if (lets_account_in(asked, partition)) return std::nullopt;
    const bool is_hidden = asked.view.hidden.accounts || !may_be_shown(partition, asked.view.hidden);
    return PartitionProblem{
        RejectCode::invalid_account, "AccountNotAllowed",
        not_accepted(partition, "account " + asked.view.account,
                     list_accepted(partition.allow_accounts, partition.deny_accounts, is_hidden))};
}

/// In slurmctld's order at submission; `size` is what the client sent, and nothing else counts.
Problem find_problem_at_submission(const PartitionView& asked, const JobSize& size,
                                   const Partition& partition) {
    const auto find_problem_of_qos = [&](const PartitionView& with_qos) -> Problem {
        if (auto problem = find_rule_problem(with_qos, size, partition, asked.request.time_limit))
            return problem;
        return asked.release.follows(rules::checks_qos_before_account) ? find_qos_problem(with_qos, partition)
                                                                       : std::nullopt;
    };
    if (auto problem = find_problem_of_qos(asked)) return problem;
    for (const model::AccountView& view : views_of_other_qos(asked.view))
        if (auto problem = find_problem_of_qos({asked.request, asked.job, view, asked.release}))
            return problem;
    if (auto problem = find_account_problem(asked, partition)) return problem;
    return find_qos_problem(asked, partition);
}

/// The partitions of a job as one: the bounds that the most generous of them sets.
Bounds most_generous(const model::AccountView& view) {
    Bounds bounds(*view.partitions.front().partition);
    for (const auto& choice : view.partitions) {
        const Partition& partition = *choice.partition;
        bounds.min_nodes = std::min(bounds.min_nodes, partition.min_nodes);
        bounds.max_time = std::max(bounds.max_time, partition.max_time);
        if (bounds.max_nodes && (!partition.max_nodes || *partition.max_nodes > *bounds.max_nodes))
            bounds.max_nodes = partition.max_nodes;
    }
    return bounds;
}

/// What is checked against the most generous of the partitions, where partitions are enforced.
Problem find_problem_with_bounds(const PartitionView& asked, const JobSize& size, const Bounds& bounds) {
    const model::QosFlags flags = job_qos_flags(asked.view);
    if (size.nodes && bounds.max_nodes && *size.nodes > *bounds.max_nodes && !flags.partition_max_nodes)
        return too_many_nodes(bounds.name, *bounds.max_nodes, *size.nodes);
    if (size.max_nodes && *size.max_nodes < bounds.min_nodes && !flags.partition_min_nodes)
        return too_few_nodes(bounds.name, bounds.min_nodes, text::format("at most {}", *size.max_nodes));
    return asked.request.time_min ? std::nullopt : find_time_problem(asked, bounds, asked.job.time_limit);
}

/// Times that are refused whatever EnforcePartLimits says.
Problem find_impossible_time(const PartitionView& asked, const Bounds& bounds) {
    const Partition& first = *asked.view.partitions.front().partition;
    if (!asked.request.time_limit && first.wants_time_limit())
        return PartitionProblem{RejectCode::invalid_time_limit, "PartitionTimeLimit",
                                text::format("partition {} requires a time limit: add --time", first.name)};
    if (!asked.request.time_min) return std::nullopt;
    if (auto problem = find_time_problem(asked, bounds, asked.request.time_min)) return problem;
    const bool is_inverted = asked.job.time_limit && *asked.request.time_min > *asked.job.time_limit;
    if (!is_inverted || job_qos_flags(asked.view).partition_time_limit) return std::nullopt;
    return PartitionProblem{RejectCode::invalid_time_limit, "PartitionTimeLimit",
                            text::format("--time-min ({}) is longer than the time limit ({})",
                                         units::format_minutes(*asked.request.time_min),
                                         units::format_minutes(*asked.job.time_limit))};
}

PartitionOrder order_at_submission(const PartitionView& asked) {
    if (asked.release.follows(rules::sorts_partitions_at_submission))
        return PartitionOrder::by_tier(asked.view.partitions);
    return PartitionOrder(asked.view.partitions.size());
}

Refusal to_refusal(PartitionProblem problem) {
    return {problem.code, {std::move(problem.text)}};
}

/// Refuses what any partition refuses; with ANY, what every one does.
std::optional<Refusal> refuse_by_each(const PartitionView& asked, const JobSize& size,
                                      EnforcePartLimits enforce) {
    Problem last;
    bool fits_somewhere = false;
    const PartitionOrder order = order_at_submission(asked);
    for (std::size_t place = 0; place < order.size(); ++place) {
        auto problem =
            find_problem_at_submission(asked, size, *asked.view.partitions[order[place]].partition);
        if (problem && enforce != EnforcePartLimits::any) return to_refusal(*std::move(problem));
        if (problem)
            last = std::move(problem);
        else
            fits_somewhere = true;
    }
    return last && !fits_somewhere ? std::optional(to_refusal(*std::move(last))) : std::nullopt;
}

/// Whether the user may well have use of it. AllowGroups: nobody knows here who is in a group.
bool is_open_to(const PartitionView& asked, const Partition& partition) {
    return !partition.is_hidden && !partition.has_groups && !partition.is_for_root && partition.takes_jobs &&
           partition.starts_jobs && lets_account_in(asked, partition);
}

} // namespace

std::vector<std::string> list_open_partitions(const PartitionView& asked, const model::PartitionTable& all) {
    std::vector<std::string> names;
    if (asked.view.hidden.partitions) return names;
    for (const auto& partition : all.all())
        if (is_open_to(asked, *partition)) names.push_back(partition->name);
    return names;
}

std::vector<model::AccountView> views_of_other_qos(const model::AccountView& view) {
    std::vector<model::AccountView> views;
    for (const std::size_t qos : view.job_qos.more) {
        views.push_back(view);
        set_job_qos(views.back(), qos);
        views.back().job_qos.more.clear();
    }
    return views;
}

std::optional<Refusal> refuse_by_partitions(const PartitionView& asked, const model::Cluster& cluster) {
    if (asked.view.partitions.empty()) return std::nullopt;
    const bool is_enforced = cluster.enforce_part_limits != EnforcePartLimits::no;
    const JobSize size = size_of(asked.request, asked.release);
    if (is_enforced)
        if (auto refusal = refuse_by_each(asked, size, cluster.enforce_part_limits)) return refusal;

    const Bounds bounds = most_generous(asked.view);
    if (is_enforced)
        if (auto problem = find_problem_with_bounds(asked, size, bounds))
            return to_refusal(*std::move(problem));
    if (auto problem = find_impossible_time(asked, bounds)) return to_refusal(*std::move(problem));
    return std::nullopt;
}

std::optional<PartitionProblem> find_early_problem(const PartitionView& asked, const JobSize& size,
                                                   const Partition& partition, std::optional<TimeLimit> time,
                                                   EnforcePartLimits enforce) {
    // A job that may do with less time is tried with that.
    const auto least = asked.request.time_min ? asked.request.time_min : time;
    if (auto problem = find_rule_problem(asked, size, partition, least)) return problem;
    if (enforce == EnforcePartLimits::no) return std::nullopt;
    auto problem = find_access_problem(asked, partition);
    if (problem) problem->pending = "PartitionConfig";
    return problem;
}

std::optional<PartitionProblem> find_access_problem(const PartitionView& asked, const Partition& partition) {
    if (auto problem = find_qos_problem(asked, partition)) return problem;
    return find_account_problem(asked, partition);
}

std::optional<PartitionProblem> find_selection_problem(const PartitionView& asked,
                                                       const Partition& partition) {
    const auto node = asked.view.tres->node();
    const std::uint64_t nodes = node ? model::count_at(asked.job.tres, *node) : 1;
    const bool is_exempt = job_qos_flags(asked.view).partition_max_nodes && asked.request.max_nodes;
    if (!partition.max_nodes || nodes <= *partition.max_nodes || is_exempt) return std::nullopt;
    return too_many_nodes(partition.name, *partition.max_nodes, nodes);
}

void SizeBounds::widen(const JobSize& size) noexcept {
    for (const auto& nodes : {size.nodes, size.max_nodes}) {
        if (!nodes) continue;
        least_nodes = std::min(least_nodes, *nodes);
        most_nodes = std::max(most_nodes, *nodes);
    }
    most_cpus = std::max(most_cpus, size.cpus.value_or(0));
}

bool surely_takes(const Partition& partition, const PartitionView& asked, const SizeBounds& size) {
    const auto is_within = [](std::uint64_t value, std::uint64_t total) {
        return total == 0 || value <= total;
    };
    return size.least_nodes >= partition.min_nodes &&
           (!partition.max_nodes || size.most_nodes <= *partition.max_nodes) &&
           is_within(size.most_nodes, partition.total_nodes) &&
           is_within(size.most_cpus, partition.total_cpus) &&
           (!asked.job.time_limit || *asked.job.time_limit <= partition.max_time) &&
           (partition.keeps_nobody_out() || !find_access_problem(asked, partition));
}

} // namespace qg::gate
