// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partitions/partition_rules.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/size/job_size.hpp"
#include "qosgate/quota/privacy.hpp"

#include <algorithm>
#include <array>
#include <iterator>
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

/// An allow list alone decides if it is set. An empty name is on no list.
bool is_allowed(std::span<const std::string> allowed, std::span<const std::string> denied,
                std::string_view name) {
    return allowed.empty() ? !names(denied, name) : names(allowed, name);
}

/// Whether the list names the job's account or one of its parents.
bool names_account(std::span<const std::string> list, const model::AccountView& view,
                   limits::Release release) {
    if (names(list, view.account)) return true;
    const auto& chain = view.associations;
    return release.follows(rules::lists_sub_accounts) &&
           std::any_of(chain.begin(), chain.end(),
                       [&](const model::Association& link) { return names(list, link.account); });
}

/// The names that a partition accepts or denies: " (accepted: long, normal)", " (denied: short)".
std::string list_accepted(std::span<const std::string> allowed, std::span<const std::string> denied) {
    return allowed.empty() ? text::format(" (denied: {})", text::list_names(denied))
                           : text::format(" (accepted: {})", text::list_names(allowed));
}

/// "partition long does not accept QOS short (accepted: long, normal)"
std::string not_accepted(const Partition& partition, std::string_view what, std::string_view accepted) {
    return text::format("partition {} does not accept {}{}", partition.name, what, accepted);
}

/// Whether the reader may see only the name of a partition. The gate does not judge its rules then: refusals
/// of several jobs would reveal the numbers.
bool is_hidden(const model::AccountView& view, const Partition& partition) {
    return std::ranges::any_of(view.partitions, [&](const model::PartitionChoice& choice) {
        return choice.is_hidden && choice.partition.get() == &partition;
    });
}

/// The amounts that are compared in the same way at submission and in every attempt to start the job.
BoundedAmounts amounts_of(const JobSize& size, std::optional<TimeLimit> time) {
    return {.cpus = size.cpus,
            .nodes = size.nodes,
            .min_nodes = size.nodes,
            .max_nodes = size.max_nodes,
            .minutes = time ? std::optional<std::uint64_t>(time->minutes) : std::nullopt};
}

/// The sizes that are compared with the widest bounds of all partitions. One possible number of nodes is
/// enough.
std::array<BoundedAmount, 2> amounts_for_widest(const JobSize& size) {
    return {{{bounds::max_nodes, size.nodes}, {bounds::min_nodes, size.max_nodes}}};
}

/// The amount that is compared when nodes are selected.
BoundedAmount selected_nodes(const model::ResolvedJob& job, const model::AccountView& view) {
    return {bounds::max_nodes, min_nodes_of(job, view)};
}

/// The amounts that are hardest to keep within bounds, of all that are compared at any time.
BoundedAmounts hardest_amounts(const model::ResolvedJob& job, const model::AccountView& view,
                               const JobSize& sent, const JobSize& at_attempt) {
    BoundedAmounts hardest = amounts_of(sent, job.time_limit);
    if (at_attempt != sent) take_hardest(hardest, amounts_of(at_attempt, job.time_limit));
    for (const BoundedAmount& amount : amounts_for_widest(sent))
        take_hardest(hardest, amount);
    take_hardest(hardest, selected_nodes(job, view));
    return hardest;
}

bool lets_qos_in(const model::QosChoice& qos, const Partition& partition) {
    const std::string_view name = qos.flags ? std::string_view(qos.name) : std::string_view();
    return is_allowed(partition.allow_qos, partition.deny_qos, name);
}

Problem find_qos_problem(const model::QosChoice& qos, const Partition& partition) {
    if (lets_qos_in(qos, partition)) return std::nullopt;
    return PartitionProblem{RejectCode::invalid_qos, "QOSNotAllowed",
                            not_accepted(partition, qos.flags ? "QOS " + qos.name : "jobs without a QOS",
                                         list_accepted(partition.allow_qos, partition.deny_qos))};
}

bool lets_account_in(const model::AccountView& view, limits::Release release, const Partition& partition) {
    return partition.allow_accounts.empty() ? !names_account(partition.deny_accounts, view, release)
                                            : names_account(partition.allow_accounts, view, release);
}

Problem find_account_problem(const ResolvedRequest& asked, const Partition& partition) {
    if (lets_account_in(asked.view(), asked.context.release, partition)) return std::nullopt;
    return PartitionProblem{RejectCode::invalid_account, "AccountNotAllowed",
                            not_accepted(partition, "account " + asked.view().account,
                                         list_accepted(partition.allow_accounts, partition.deny_accounts))};
}

/// The QOS of the job, or all QOSs that it names.
std::vector<model::QosChoice> qos_choices(const model::AccountView& view) {
    std::vector<model::QosChoice> choices{view.job_qos};
    for (const std::size_t index : view.job_qos.alternatives) {
        model::QosChoice& other = choices.emplace_back();
        other.name = view.qos[index].name;
        other.flags = view.qos[index].flags;
    }
    return choices;
}

/// The problems in slurmctld's order at submission. Only `size`, which the client sent, is compared.
Problems find_problems_at_submission(const ResolvedRequest& asked, const JobSize& size,
                                     const Partition& partition) {
    Problems problems;
    const bool is_qos_first = asked.context.release.follows(rules::checks_qos_before_account);
    const BoundedAmounts job = amounts_of(size, asked.request.time_limit);
    for (const model::QosChoice& qos : qos_choices(asked.view())) {
        add(problems, find_bound_problems(partition, job, qos.flags.value_or(model::QosFlags{})));
        if (is_qos_first) add(problems, find_qos_problem(qos, partition));
    }
    add(problems, find_account_problem(asked, partition));
    if (!is_qos_first) add(problems, find_qos_problem(asked.view().job_qos, partition));
    return problems;
}

/// Compares with the widest bound of all partitions of the job.
Problem find_problem_everywhere(const ResolvedRequest& asked, const PartitionBound& bound,
                                const BoundedAmounts& job) {
    return find_bound_problem(bound, widest_partition(asked.view(), bound), job, job_qos_flags(asked.view()));
}

/// The problems with the widest bounds, if slurmctld enforces rules of partitions.
Problems find_problems_everywhere(const ResolvedRequest& asked, const JobSize& size) {
    Problems problems;
    for (const BoundedAmount& amount : amounts_for_widest(size))
        add(problems, find_problem_everywhere(asked, amount.bound, amount.alone()));
    if (!asked.request.time_min)
        add(problems, find_problem_everywhere(asked, bounds::max_time, amounts_of({}, asked.job.time_limit)));
    return problems;
}

/// Whether the job has no time limit although its first partition requires one.
bool lacks_time_limit(const model::JobRequest& request, const model::AccountView& view) {
    return !request.time_limit && view.partitions.front().partition->requires_time_limit();
}

/// slurmctld refuses this regardless of EnforcePartLimits.
std::optional<Refusal> refuse_missing_time(const ResolvedRequest& asked) {
    if (!lacks_time_limit(asked.request, asked.view())) return std::nullopt;
    const Partition& first = *asked.view().partitions.front().partition;
    return Refusal{RejectCode::invalid_time_limit,
                   {text::format("partition {} requires a time limit: add --time", first.name)}};
}

/// Times that slurmctld refuses regardless of EnforcePartLimits.
Problem find_impossible_time(const ResolvedRequest& asked) {
    if (!asked.request.time_min) return std::nullopt;
    BoundedAmounts min_time = amounts_of({}, asked.request.time_min);
    min_time.is_time_min = true;
    if (auto problem = find_problem_everywhere(asked, bounds::max_time, min_time)) {
        problem->code = RejectCode::invalid_time_min;
        return problem;
    }
    const bool is_inverted = asked.job.time_limit && *asked.request.time_min > *asked.job.time_limit;
    if (!is_inverted || job_qos_flags(asked.view()).partition_time_limit) return std::nullopt;
    return PartitionProblem{RejectCode::invalid_time_min, "PartitionTimeLimit",
                            text::format("--time-min ({}) is longer than the time limit ({})",
                                         units::format_minutes(*asked.request.time_min),
                                         units::format_minutes(*asked.job.time_limit))};
}

/// With ALL refuses if any partition does; with ANY if every one does. The lines contain all problems of all
/// partitions that are not hidden. Whether a hidden partition refuses is not known, so nothing is refused
/// here if slurmctld's answer may depend on one.
std::optional<Refusal> refuse_by_each(const ResolvedRequest& asked, const JobSize& size,
                                      EnforcePartLimits enforce) {
    Problems all;
    RejectCode code = RejectCode::none;
    const PartitionOrder order = order_at_submission(asked);
    for (std::size_t place = 0; place < order.size(); ++place) {
        const model::PartitionChoice& choice = asked.view().partitions[order[place]];
        const bool is_any = enforce == EnforcePartLimits::any;
        if (choice.is_hidden) {
            if (is_any || all.empty()) return std::nullopt;
            continue;
        }
        Problems problems = find_problems_at_submission(asked, size, *choice.partition);
        if (problems.empty() && is_any) return std::nullopt;
        // With ALL slurmctld's answer is that of the first partition that refuses, with ANY that of the last.
        if (!problems.empty() && (is_any || all.empty())) code = problems.front().code;
        add(all, std::move(problems));
    }
    return all.empty() ? std::nullopt : std::optional(Refusal{code, lines_of(all)});
}

/// Whether the user can probably use the partition. It is not known here who is in the groups of AllowGroups.
bool is_open_to(const ResolvedRequest& asked, const Partition& partition) {
    const bool is_seen = asked.view().reader_is_operator ||
                         (partition.allow_groups.empty() && quota::is_shown(partition, asked.view().hidden));
    return is_seen && !partition.is_for_root && partition.takes_jobs && partition.starts_jobs &&
           lets_account_in(asked.view(), asked.context.release, partition);
}

/// In a list, slurmctld stops at the first partition that denies access. If that is the first of all, a job
/// without a maximum of nodes asks for 4294967295 nodes from then on (limits/README.md 8.3).
Problem find_closed_first(const ResolvedRequest& asked) {
    const auto& choices = asked.view().partitions;
    const model::JobRequest& request = asked.request;
    if (choices.size() < 2 || request.max_nodes || asked.job.is_update || request.submit_uid == 0 ||
        request.submit_uid == asked.context.cluster.slurm_user_id ||
        asked.context.cluster.enforce_part_limits != EnforcePartLimits::no)
        return std::nullopt;
    const model::PartitionChoice& first = choices[order_at_submission(asked)[0]];
    const Partition& partition = *first.partition;
    if (asked.context.release.follows(rules::honours_partition_min_nodes) &&
        job_qos_flags(asked.view()).partition_min_nodes)
        return std::nullopt;
    const bool lacks_reservation = partition.needs_reservation && !request.reservation;
    if (first.is_hidden || !(partition.is_for_root || lacks_reservation)) return std::nullopt;
    return PartitionProblem{
        RejectCode::invalid_node_count, "PartitionNodeLimit",
        text::format("partition {} is {}; {}", partition.name,
                     partition.is_for_root ? "for root only" : "for jobs in a reservation",
                     consequence_of_closed_first)};
}

} // namespace

PartitionOrder order_at_submission(const ResolvedRequest& asked) {
    if (asked.context.release.follows(rules::sorts_partitions_at_submission))
        return PartitionOrder::by_tier(asked.view().partitions);
    return PartitionOrder(asked.view().partitions.size());
}

bool has_hidden_partition(const model::AccountView& view) {
    return std::ranges::any_of(view.partitions, &model::PartitionChoice::is_hidden);
}

std::vector<std::string> list_open_partitions(const ResolvedRequest& asked) {
    std::vector<std::string> names;
    if (asked.view().hidden.partitions) return names;
    for (const auto& partition : asked.context.cluster.partitions.all())
        if (is_open_to(asked, *partition)) names.push_back(partition->name);
    return names;
}

std::optional<Refusal> refuse_by_partitions(const ResolvedRequest& asked) {
    if (asked.view().partitions.empty()) return std::nullopt;
    const EnforcePartLimits enforce = asked.context.cluster.enforce_part_limits;
    const bool is_enforced = enforce != EnforcePartLimits::no;
    const JobSize& size = asked.counter.sent();
    if (is_enforced)
        if (auto refusal = refuse_by_each(asked, size, enforce)) return refusal;

    if (has_hidden_partition(asked.view())) return std::nullopt;
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

std::vector<PartitionProblem> find_early_problems(const ResolvedRequest& asked, const JobSize& size,
                                                  const Partition& partition, std::optional<TimeLimit> time) {
    if (is_hidden(asked.view(), partition)) return {};
    if (auto problem = find_closed_first(asked)) return {*std::move(problem)};
    // With --time-min slurmctld compares that time.
    const bool has_time_min = asked.request.time_min.has_value();
    BoundedAmounts job = amounts_of(size, has_time_min ? asked.request.time_min : time);
    job.is_time_min = has_time_min;
    Problems problems = find_bound_problems(partition, job, job_qos_flags(asked.view()));
    const bool is_enforced = asked.context.cluster.enforce_part_limits != EnforcePartLimits::no;
    if (problems.empty() && !is_enforced) return problems;
    for (PartitionProblem& problem : find_access_problems(asked, partition)) {
        if (is_enforced) problem.pending = "PartitionConfig";
        problems.push_back(std::move(problem));
    }
    return problems;
}

std::vector<std::string> find_too_small_partitions(const ResolvedRequest& asked, const JobSize& size) {
    const auto& choices = asked.view().partitions;
    const limits::Release release = asked.context.release;
    const bool looks_for_nodes = choices.size() > 1 || release.follows(rules::looks_for_nodes_beyond_bounds);
    const bool is_held = asked.request.priority == 0u; // slurmctld selects no nodes for a held job
    if (!looks_for_nodes || is_held || has_hidden_partition(asked.view())) return {};
    const BoundedAmounts job = amounts_of(size, std::nullopt);
    const model::QosFlags flags = job_qos_flags(asked.view());
    Problems problems;
    bool is_looked_for = false; // in any partition
    for (const model::PartitionChoice& choice : choices) {
        const auto find = [&](const PartitionBound& bound) {
            return find_bound_problem(bound, *choice.partition, job, flags);
        };
        auto problem = find(bounds::total_cpus);
        const bool is_of_cpus = problem.has_value();
        if (!problem) problem = find(bounds::total_nodes);
        if (!problem || find(bounds::max_nodes)) return {};
        problems.push_back(*std::move(problem));
        is_looked_for = is_looked_for || !release.follows(is_of_cpus ? rules::accepts_beyond_total_cpus
                                                                     : rules::accepts_beyond_total_nodes);
    }
    return is_looked_for ? lines_of(problems) : std::vector<std::string>();
}

std::vector<PartitionProblem> find_access_problems(const ResolvedRequest& asked, const Partition& partition) {
    Problems problems;
    if (is_hidden(asked.view(), partition)) return problems;
    add(problems, find_qos_problem(asked.view().job_qos, partition));
    add(problems, find_account_problem(asked, partition));
    return problems;
}

std::optional<PartitionProblem> find_selection_problem(const ResolvedRequest& asked,
                                                       const Partition& partition) {
    if (is_hidden(asked.view(), partition)) return std::nullopt;
    model::QosFlags flags = job_qos_flags(asked.view());
    flags.partition_max_nodes = flags.partition_max_nodes && asked.request.max_nodes;
    const BoundedAmount nodes = selected_nodes(asked.job, asked.view());
    return find_bound_problem(nodes.bound, partition, nodes.alone(), flags);
}

std::optional<PartitionProblem> find_down_problem(const ResolvedRequest& asked, const Partition& partition) {
    if (!partition.takes_jobs || partition.starts_jobs || is_hidden(asked.view(), partition))
        return std::nullopt;
    return PartitionProblem{RejectCode::partition_limits, "PartitionDown",
                            text::format("partition {} is down", partition.name)};
}

bool certainly_admit(const JobCounter& counter, const model::ResolvedJob& job, const model::AccountView& view,
                     const JobSize& at_attempt) {
    if (counter.request().time_min) return false; // the job may start with less time
    if (counter.request().empty_names != 0 || counter.may_have_no_nodes()) return false;
    if (job.array_tasks == 0) return false; // --array cannot be read
    if (!view.partitions.empty() && lacks_time_limit(counter.request(), view)) return false;
    if (has_too_few_tasks(counter.request(), job, view, counter.release())) return false;
    const BoundedAmounts hardest = hardest_amounts(job, view, counter.sent(), at_attempt);
    return std::ranges::all_of(view.partitions, [&](const model::PartitionChoice& choice) {
        const Partition& partition = *choice.partition;
        return partition.is_open() && keeps_all_bounds(partition, hardest) &&
               (partition.admits_everyone() || (lets_qos_in(view.job_qos, partition) &&
                                                lets_account_in(view, counter.release(), partition)));
    });
}

} // namespace qg::gate
