// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partition_rules.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/job_size.hpp"
#include "qosgate/gate/partition_list.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/quota/privacy.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

namespace qg::gate {
namespace {

namespace rules = limits::rules;
using model::EnforcePartLimits;
using model::Partition;
using model::RejectCode;

using Problem = std::optional<PartitionProblem>;
using Problems = std::vector<PartitionProblem>;

void add(Problems& problems, Problem problem) {
    if (problem) problems.push_back(*std::move(problem));
}

void add(Problems& problems, Problems more) {
    std::ranges::move(more, std::back_inserter(problems));
}

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

/// Whom a partition accepts: " (accepted: long, normal)", " (denied: short)"; nothing where the reader may
/// not know.
std::string list_accepted(std::span<const std::string> allowed, std::span<const std::string> denied,
                          bool is_private) {
    if (is_private) return "";
    return allowed.empty() ? text::format(" (denied: {})", text::list_names(denied))
                           : text::format(" (accepted: {})", text::list_names(allowed));
}

/// "partition long does not accept QOS short (accepted: long, normal)"
std::string not_accepted(const Partition& partition, std::string_view what, std::string_view accepted) {
    return text::format("partition {} does not accept {}{}", partition.name, what, accepted);
}

/// Whether the reader may know nothing of a partition but its name. The gate has no opinion on its rules:
/// even that it refuses would tell a number, one question after the other.
bool is_hidden(const PartitionView& asked, const Partition& partition) {
    return std::ranges::any_of(asked.view.partitions, [&](const model::PartitionChoice& choice) {
        return choice.is_hidden && choice.partition.get() == &partition;
    });
}

PartitionProblem node_problem(std::string text) {
    return {RejectCode::invalid_node_count, "PartitionNodeLimit", std::move(text)};
}

std::string count_nodes(std::uint64_t nodes) {
    return limits::format_amount("node", nodes);
}

/// "2", or "1-4" of a job that takes fewer.
std::string asked_nodes(std::uint64_t least, std::uint64_t most) {
    return least < most ? text::format("{}-{}", least, most) : std::to_string(most);
}

Problem find_excess_nodes(const Partition& partition, bool is_exempt, std::uint64_t least,
                          std::uint64_t most) {
    if (is_exempt || !partition.max_nodes || most <= *partition.max_nodes) return std::nullopt;
    return node_problem(text::format("partition {} allows at most {} per job; this job asks for {}",
                                     partition.name, count_nodes(*partition.max_nodes),
                                     asked_nodes(least, most)));
}

Problem find_missing_nodes(const Partition& partition, bool is_exempt, std::uint64_t least,
                           std::uint64_t most) {
    if (is_exempt || least >= partition.min_nodes) return std::nullopt;
    return node_problem(text::format("partition {} requires at least {} per job; this job asks for {}",
                                     partition.name, count_nodes(partition.min_nodes),
                                     asked_nodes(least, most)));
}

void add_total_problems(Problems& problems, const JobSize& size, const Partition& partition) {
    if (partition.total_cpus != 0 && size.cpus.value_or(0) > partition.total_cpus)
        problems.push_back({RejectCode::partition_limits, "PartitionConfig",
                            text::format("partition {} has {}; this job asks for {}", partition.name,
                                         limits::format_amount("cpu", partition.total_cpus), *size.cpus)});
    if (partition.total_nodes != 0 && size.nodes.value_or(0) > partition.total_nodes)
        problems.push_back(node_problem(text::format(
            "partition {} has {}; this job asks for {}", partition.name, count_nodes(partition.total_nodes),
            asked_nodes(*size.nodes, size.max_nodes.value_or(*size.nodes)))));
}

void add_node_problems(Problems& problems, const PartitionView& asked, const JobSize& size,
                       const Partition& partition) {
    const std::uint64_t least = size.nodes.value_or(size.max_nodes.value_or(0));
    const std::uint64_t most = size.max_nodes.value_or(least);
    const model::QosFlags flags = job_qos_flags(asked.view);
    if (size.nodes) add(problems, find_missing_nodes(partition, flags.partition_min_nodes, least, most));
    if (size.max_nodes) add(problems, find_excess_nodes(partition, flags.partition_max_nodes, least, most));
}

/// `is_least`: the job can do with more, but not with less (--time-min).
Problem find_time_problem(const PartitionView& asked, const Partition& partition,
                          std::optional<TimeLimit> time, bool is_least) {
    if (!time || job_qos_flags(asked.view).partition_time_limit || *time <= partition.max_time)
        return std::nullopt;
    return PartitionProblem{
        RejectCode::invalid_time_limit, "PartitionTimeLimit",
        text::format("wall time per job in partition {}: limit {}, this job asks for {}{}", partition.name,
                     units::format_minutes(partition.max_time), units::format_minutes(*time),
                     is_least ? " (--time-min)" : "")};
}

/// What is compared alike at submission and in every attempt to start the job.
Problems find_rule_problems(const PartitionView& asked, const JobSize& size, const Partition& partition,
                            std::optional<TimeLimit> time, bool is_least) {
    Problems problems;
    add_total_problems(problems, size, partition);
    add_node_problems(problems, asked, size, partition);
    add(problems, find_time_problem(asked, partition, time, is_least));
    return problems;
}

Problem find_qos_problem(const PartitionView& asked, const Partition& partition) {
    const model::QosChoice& qos = asked.view.job_qos;
    const std::string_view name = qos.flags ? std::string_view(qos.name) : std::string_view();
    if (lets_in(partition.allow_qos, partition.deny_qos, name)) return std::nullopt;
    return PartitionProblem{
        RejectCode::invalid_qos, "QOSNotAllowed",
        not_accepted(partition, qos.flags ? "QOS " + qos.name : "jobs without a QOS",
                     list_accepted(partition.allow_qos, partition.deny_qos, /*is_private=*/false))};
}

bool lets_account_in(const PartitionView& asked, const Partition& partition) {
    return partition.allow_accounts.empty() ? !names_account(partition.deny_accounts, asked)
                                            : names_account(partition.allow_accounts, asked);
}

Problem find_account_problem(const PartitionView& asked, const Partition& partition) {
    if (lets_account_in(asked, partition)) return std::nullopt;
    return PartitionProblem{RejectCode::invalid_account, "AccountNotAllowed",
                            not_accepted(partition, "account " + asked.view.account,
                                         list_accepted(partition.allow_accounts, partition.deny_accounts,
                                                       asked.view.hidden.accounts))};
}

/// In slurmctld's order at submission; `size` is what the client sent, and nothing else counts.
Problems find_problems_at_submission(const PartitionView& asked, const JobSize& size,
                                     const Partition& partition) {
    Problems problems;
    const bool is_qos_first = asked.release.follows(rules::checks_qos_before_account);
    const auto add_problems_of_qos = [&](const PartitionView& with_qos) {
        add(problems, find_rule_problems(with_qos, size, partition, asked.request.time_limit,
                                         /*is_least=*/false));
        if (is_qos_first) add(problems, find_qos_problem(with_qos, partition));
    };
    add_problems_of_qos(asked);
    for (const model::AccountView& view : views_of_other_qos(asked.view))
        add_problems_of_qos({asked.request, asked.job, view, asked.release});
    add(problems, find_account_problem(asked, partition));
    if (!is_qos_first) add(problems, find_qos_problem(asked, partition));
    return problems;
}

/// Of the partitions of a job the one that sets the most generous bound.
template <typename Bound>
const Partition& most_generous(const model::AccountView& view, Bound bound) {
    const auto less = [&](const auto& a, const auto& b) { return bound(*a.partition) < bound(*b.partition); };
    return *std::max_element(view.partitions.begin(), view.partitions.end(), less)->partition;
}

const Partition& with_most_time(const model::AccountView& view) {
    return most_generous(view, [](const Partition& partition) { return partition.max_time; });
}

/// What is checked against the most generous of the partitions, where partitions are enforced.
Problems find_problems_everywhere(const PartitionView& asked, const JobSize& size) {
    static constexpr auto unlimited = std::numeric_limits<std::uint32_t>::max();
    const Partition& largest = most_generous(
        asked.view, [](const Partition& partition) { return partition.max_nodes.value_or(unlimited); });
    const Partition& smallest =
        most_generous(asked.view, [](const Partition& partition) { return unlimited - partition.min_nodes; });
    Problems problems;
    const model::QosFlags flags = job_qos_flags(asked.view);
    if (size.nodes)
        add(problems, find_excess_nodes(largest, flags.partition_max_nodes, *size.nodes, *size.nodes));
    if (size.max_nodes)
        add(problems,
            find_missing_nodes(smallest, flags.partition_min_nodes, *size.max_nodes, *size.max_nodes));
    if (!asked.request.time_min)
        add(problems, find_time_problem(asked, with_most_time(asked.view), asked.job.time_limit, false));
    return problems;
}

/// No time where the first partition wants one: refused whatever EnforcePartLimits says.
std::optional<Refusal> refuse_missing_time(const PartitionView& asked) {
    const Partition& first = *asked.view.partitions.front().partition;
    if (asked.request.time_limit || !first.wants_time_limit()) return std::nullopt;
    return Refusal{RejectCode::invalid_time_limit,
                   {text::format("partition {} requires a time limit: add --time", first.name)}};
}

/// Times that are refused whatever EnforcePartLimits says.
Problem find_impossible_time(const PartitionView& asked) {
    if (!asked.request.time_min) return std::nullopt;
    if (auto problem =
            find_time_problem(asked, with_most_time(asked.view), asked.request.time_min, /*is_least=*/true))
        return problem;
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

/// Refuses what any partition refuses; with ANY, what every one does. All problems of all partitions are
/// told, except of hidden ones. What those refuse is not known, and so nothing where their answer may be
/// slurmctld's.
std::optional<Refusal> refuse_by_each(const PartitionView& asked, const JobSize& size,
                                      EnforcePartLimits enforce) {
    Problems all;
    RejectCode code = RejectCode::none;
    const PartitionOrder order = order_at_submission(asked);
    for (std::size_t place = 0; place < order.size(); ++place) {
        const model::PartitionChoice& choice = asked.view.partitions[order[place]];
        const bool is_any = enforce == EnforcePartLimits::any;
        if (choice.is_hidden) {
            if (is_any || all.empty()) return std::nullopt;
            continue;
        }
        Problems problems = find_problems_at_submission(asked, size, *choice.partition);
        if (problems.empty() && is_any) return std::nullopt;
        // With ALL the first that refuses answers, with ANY the last.
        if (!problems.empty() && (is_any || all.empty())) code = problems.front().code;
        add(all, std::move(problems));
    }
    return all.empty() ? std::nullopt : std::optional(Refusal{code, lines_of(all)});
}

/// Whether the user may well have use of it. AllowGroups: nobody knows here who is in a group.
bool is_open_to(const PartitionView& asked, const Partition& partition) {
    const bool is_seen = asked.view.reader_is_operator ||
                         (!partition.has_groups && quota::is_shown(partition, asked.view.hidden));
    return is_seen && !partition.is_for_root && partition.takes_jobs && partition.starts_jobs &&
           lets_account_in(asked, partition);
}

} // namespace

bool has_hidden_partition(const model::AccountView& view) {
    return std::ranges::any_of(view.partitions, &model::PartitionChoice::is_hidden);
}

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

    if (has_hidden_partition(asked.view)) return std::nullopt;
    Problems problems;
    if (is_enforced) problems = find_problems_everywhere(asked, size);
    if (problems.empty())
        if (auto refusal = refuse_missing_time(asked)) return refusal;
    if (problems.empty()) add(problems, find_impossible_time(asked));
    if (problems.empty()) return std::nullopt;
    return Refusal{problems.front().code, lines_of(problems)};
}

std::vector<std::string> lines_of(std::span<const PartitionProblem> problems) {
    std::vector<std::string> lines;
    std::ranges::transform(problems, std::back_inserter(lines), &PartitionProblem::text);
    return lines_once(std::move(lines));
}

std::vector<PartitionProblem> find_early_problems(const PartitionView& asked, const JobSize& size,
                                                  const Partition& partition, std::optional<TimeLimit> time,
                                                  EnforcePartLimits enforce) {
    if (is_hidden(asked, partition)) return {};
    // A job that may do with less time is tried with that.
    const bool is_least = asked.request.time_min.has_value();
    Problems problems =
        find_rule_problems(asked, size, partition, is_least ? asked.request.time_min : time, is_least);
    const bool is_enforced = enforce != EnforcePartLimits::no;
    if (problems.empty() && !is_enforced) return problems;
    for (PartitionProblem& problem : find_access_problems(asked, partition)) {
        if (is_enforced) problem.pending = "PartitionConfig";
        problems.push_back(std::move(problem));
    }
    return problems;
}

std::vector<PartitionProblem> find_access_problems(const PartitionView& asked, const Partition& partition) {
    Problems problems;
    if (is_hidden(asked, partition)) return problems;
    add(problems, find_qos_problem(asked, partition));
    add(problems, find_account_problem(asked, partition));
    return problems;
}

std::optional<PartitionProblem> find_selection_problem(const PartitionView& asked,
                                                       const Partition& partition) {
    if (is_hidden(asked, partition)) return std::nullopt;
    const auto node = asked.view.tres->node();
    const std::uint64_t nodes = node ? model::count_at(asked.job.tres, *node) : 1;
    const bool is_exempt = job_qos_flags(asked.view).partition_max_nodes && asked.request.max_nodes;
    return find_excess_nodes(partition, is_exempt, nodes, nodes);
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
    return partition.starts_jobs && size.least_nodes >= partition.min_nodes &&
           (!partition.max_nodes || size.most_nodes <= *partition.max_nodes) &&
           is_within(size.most_nodes, partition.total_nodes) &&
           is_within(size.most_cpus, partition.total_cpus) &&
           (!asked.job.time_limit || *asked.job.time_limit <= partition.max_time) &&
           (partition.keeps_nobody_out() || find_access_problems(asked, partition).empty());
}

} // namespace qg::gate
