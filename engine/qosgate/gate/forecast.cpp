// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/forecast.hpp"

#include "qosgate/gate/partition_list.hpp"
#include "qosgate/limits/schedule.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using limits::Violation;
using model::RejectCode;

Wait wait_for_limits(std::vector<Violation> violations) {
    Wait wait;
    wait.reason = violations.front().reason;
    wait.is_permanent = std::any_of(violations.begin(), violations.end(),
                                    [](const Violation& v) { return v.is_permanent(); });
    wait.violations = std::move(violations);
    return wait;
}

Wait wait_for_partition(PartitionProblem problem) {
    return {problem.pending, /*is_permanent=*/true, {}, std::move(problem.text), /*is_refused=*/true};
}

/// Everything that one attempt to start a job reads.
struct Attempt {
    const PartitionView& asked;
    const model::Cluster& cluster;
    const JobCounter& counter;
    const limits::SubmitVerdict& accepted;
    std::size_t index; ///< of the partition

    const model::Partition* partition() const {
        const auto& all = asked.view.partitions;
        return index < all.size() ? all[index].partition.get() : nullptr;
    }

    /// As partitions look at it; resources may settle for fewer nodes than were counted.
    JobSize size() const {
        const auto node = asked.view.tres->node();
        return counter.size_with(node ? std::optional(model::count_at(asked.job.tres, *node)) : std::nullopt);
    }

    limits::ScheduleVerdict judge() const {
        auto verdict = judge(std::nullopt);
        // Where limits allow fewer nodes than the job would take, it is given fewer.
        return verdict.max_nodes && asked.request.max_nodes ? judge(verdict.max_nodes) : verdict;
    }

  private:
    limits::ScheduleVerdict judge(std::optional<std::uint64_t> most_nodes) const {
        const auto allocated = counter.at_attempt(asked.view, index, most_nodes);
        return limits::evaluate_attempt(asked.view, asked.job, allocated ? *allocated : asked.job.tres,
                                        accepted.time_limit, accepted.time_set_by_limit, asked.release,
                                        index);
    }
};

/// What holds the job in one partition, in the order of one scheduling attempt.
std::optional<Wait> find_wait(const Attempt& attempt) {

    const PartitionView& asked = attempt.asked;
    const model::Partition* partition = attempt.partition();
    if (partition)
        if (auto problem = find_early_problem(asked, attempt.size(), *partition, attempt.accepted.time_limit,
                                              attempt.cluster.enforce_part_limits))
            return wait_for_partition(*std::move(problem));

    auto verdict = attempt.judge();

    if (!verdict.passed_pre_select()) return wait_for_limits(std::move(verdict.pre_select));
    if (partition)
        if (auto problem = find_access_problem(asked, *partition))
            return wait_for_partition(*std::move(problem));
    if (verdict.node_limit && verdict.node_limit->asked > *verdict.max_nodes)
        return wait_for_limits({*verdict.node_limit});
    auto problem = partition ? find_selection_problem(asked, *partition) : std::nullopt;
    if (!problem && verdict.post_select.empty()) return std::nullopt;
    const bool is_held = asked.request.priority == 0u; // nobody selects nodes for it
    if (verdict.post_select.empty()) {
        Wait wait = wait_for_partition(*std::move(problem));
        wait.is_refused = !is_held;
        return wait;
    }
    // Limits on the allocation win over the partition's rule. At the submission of a batch job nobody asks
    // for them yet.
    Wait wait = wait_for_limits(std::move(verdict.post_select));
    if (problem) {
        wait.is_permanent = true;
        wait.partition_rule = std::move(problem->text);
        wait.is_refused = asked.request.is_batch && !is_held;
    }
    return wait;
}

/// Refuses an accepted job that breaks a partition's rule only since a limit gave it its time, or since it
/// was raised to the partition's size, where partitions are enforced: with ALL for one partition, with ANY
/// where no partition is left.
std::optional<Refusal> refuse_after_limits(const std::vector<std::optional<Wait>>& attempts,
                                           model::EnforcePartLimits enforce) {
    const auto breaks_rule = [](const std::optional<Wait>& wait) { return wait && wait->is_refused; };
    const auto first = std::find_if(attempts.begin(), attempts.end(), breaks_rule);
    if (enforce == model::EnforcePartLimits::no || first == attempts.end()) return std::nullopt;
    if (enforce == model::EnforcePartLimits::any &&
        !std::all_of(attempts.begin(), attempts.end(), breaks_rule))
        return std::nullopt;
    return Refusal{RejectCode::partition_limits, {(*first)->partition_rule}};
}

/// Answers a change of a job that its first partition cannot take at all, whether partitions are enforced or
/// not. slurmctld makes the change all the same.
std::optional<Refusal> refuse_after_change(const std::optional<Wait>& first) {
    if (!first || first->reason != "PartitionConfig") return std::nullopt;
    return Refusal{RejectCode::partition_limits, {first->partition_rule}};
}

limits::SubmitVerdict judge_submission(const PartitionView& asked, const std::vector<std::size_t>& order,
                                       limits::Strictness strictness) {
    if (asked.release < sorts_partitions_at_submission || std::is_sorted(order.begin(), order.end()))
        return limits::evaluate_submit(asked.view, asked.job, asked.release, strictness);
    model::AccountView sorted = asked.view;
    for (std::size_t i = 0; i < order.size(); ++i)
        sorted.partitions[i] = asked.view.partitions[order[i]];
    return limits::evaluate_submit(sorted, asked.job, asked.release, strictness);
}

/// What holds the job back in each partition, with each QOS of a list.
std::vector<std::optional<Wait>> try_all(const PartitionView& asked, const model::Cluster& cluster,
                                         const JobCounter& counter, const limits::SubmitVerdict& accepted,
                                         const std::vector<std::size_t>& partitions) {
    std::vector<std::optional<Wait>> attempts;
    const std::vector<model::AccountView> others = views_of_other_qos(asked.view);
    for (const std::size_t index : partitions) {
        attempts.push_back(find_wait({asked, cluster, counter, accepted, index}));
        for (const model::AccountView& view : others) {
            const PartitionView with_other{asked.request, asked.job, view, asked.release};
            const JobCounter with_qos(asked.request, view, cluster, asked.release);
            attempts.push_back(find_wait({with_other, cluster, with_qos, accepted, index}));
        }
    }
    return attempts;
}

} // namespace

Outlook look_ahead(const Resolved& resolved, const model::JobRequest& request, const model::Cluster& cluster,
                   limits::Release release, limits::Strictness strictness, Steps steps) {
    const PartitionView asked{request, resolved.job, resolved.view, release};
    Outlook outlook;
    const auto refuse = [&](std::optional<Refusal> refusal) {
        if (!refusal) return false;
        outlook.forecast.code = refusal->code;
        outlook.refusal = std::move(refusal);
        return true;
    };
    if (steps.names) {
        if (refuse(refuse_partition(resolved.unknown_partitions, cluster.partitions))) return outlook;
        if (refuse(refuse_account(resolved.view, request))) return outlook;
        if (refuse(refuse_qos(resolved.view))) return outlook;
    }

    if (steps.partitions && refuse(refuse_by_partitions(asked, cluster))) return outlook;

    std::vector<std::size_t> order = by_tier(resolved.view.partitions);
    auto verdict = judge_submission(asked, order, strictness);
    if (steps.limits && !verdict.accepted()) {
        outlook.forecast.code = RejectCode::accounting_policy;
        outlook.forecast.reason = verdict.violations.front().reason;
        outlook.refusing = std::move(verdict.violations);
        return outlook;
    }
    if (resolved.job.is_update) {
        // The job's own limit was left out of the comparison, and stays.
        verdict.time_limit = request.time_limit;
        verdict.time_set_by_limit = false;
    }
    outlook.forecast.time_limit = verdict.time_limit;
    outlook.forecast.time_set_by_limit = verdict.time_set_by_limit;

    if (order.empty()) order.push_back(0);
    outlook.attempts = try_all(asked, cluster, *resolved.counter, verdict, order);
    if (refuse(resolved.job.is_update ? refuse_after_change(outlook.attempts.front())
                                      : refuse_after_limits(outlook.attempts, cluster.enforce_part_limits)))
        return outlook;

    // Every partition is tried; the Reason of the last one that held the job stays.
    const bool starts_somewhere = std::any_of(outlook.attempts.begin(), outlook.attempts.end(),
                                              [](const std::optional<Wait>& wait) { return !wait; });
    if (starts_somewhere) return outlook;
    outlook.forecast.pending_reason = outlook.attempts.back()->reason;
    for (const auto& wait : outlook.attempts)
        if (!outlook.wait || (outlook.wait->is_permanent && !wait->is_permanent)) outlook.wait = wait;
    return outlook;
}

} // namespace qg::gate
