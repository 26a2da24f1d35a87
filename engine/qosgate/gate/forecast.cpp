// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/forecast.hpp"

#include "qosgate/gate/partition_list.hpp"
#include "qosgate/limits/schedule.hpp"

#include <algorithm>
#include <iterator>

namespace qg::gate {
namespace {

using limits::Violation;
using model::RejectCode;

[[gnu::cold]] Wait wait_for_limits(std::vector<Violation> violations) {
    Wait wait;
    wait.reason = violations.front().reason;
    wait.is_permanent = std::any_of(violations.begin(), violations.end(),
                                    [](const Violation& v) { return v.is_permanent(); });
    wait.violations = std::move(violations);
    return wait;
}

[[gnu::cold]] Wait wait_for_partition(std::vector<PartitionProblem> rules) {
    Wait wait;
    wait.reason = rules.front().pending;
    wait.is_permanent = true;
    wait.rules = std::move(rules);
    wait.is_refused = true;
    return wait;
}

bool is_passing(const Violation& violation) {
    return !violation.is_permanent();
}

/// The nodes that the limits count, where they count any.
std::optional<std::uint64_t> counted_nodes(const PartitionView& asked) {
    const auto node = asked.view.tres->node();
    return node ? std::optional(model::count_at(asked.job.tres, *node)) : std::nullopt;
}

/// A job as partitions look at it when it starts; resources may settle for fewer nodes than were counted.
JobSize size_at_attempt(const PartitionView& asked, const JobCounter& counter) {
    return counter.size_with(counted_nodes(asked));
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

    limits::ScheduleVerdict judge() const { return judge(limits::evaluate_attempt); }

    /// What running jobs and walls that hold the job back now hide: the limits that hold it for good.
    [[gnu::cold]] std::vector<Violation> find_hidden_limits() const {
        auto verdict = judge(limits::evaluate_allocation);
        std::erase_if(verdict.post_select, is_passing);
        if (verdict.breaks_node_limit()) verdict.post_select.push_back(*verdict.node_limit);
        return std::move(verdict.post_select);
    }

    /// All limits that hold the job for good, for one that a rule of the partition holds anyway.
    [[gnu::cold]] std::vector<Violation> find_lasting_limits() const {
        auto lasting = judge().pre_select;
        std::erase_if(lasting, is_passing);
        std::ranges::move(find_hidden_limits(), std::back_inserter(lasting));
        return lasting;
    }

  private:
    template <typename Evaluate>
    limits::ScheduleVerdict judge(Evaluate evaluate) const {
        const auto with = [&](std::optional<std::uint64_t> most_nodes) {
            const auto allocated = counter.at_attempt(asked.view, index, most_nodes);
            return evaluate(asked.view, asked.job, allocated ? *allocated : asked.job.tres,
                            accepted.time_limit, accepted.time_set_by_limit, asked.release, index);
        };
        auto verdict = with(std::nullopt);
        // Where limits allow fewer nodes than the job would take, it is given fewer.
        if (verdict.max_nodes && asked.request.max_nodes) verdict = with(verdict.max_nodes);
        if (asked.request.exclusive) note_whole_nodes(verdict.post_select);
        return verdict;
    }

    /// A job with --exclusive gets all of its nodes: at least so many CPUs, and who knows how much of the
    /// rest.
    [[gnu::cold]] void note_whole_nodes(std::vector<Violation>& violations) const {
        std::erase_if(violations, [node = asked.view.tres->node()](const Violation& v) {
            return v.relation == limits::Relation::asked_too_little && v.tres != node;
        });
        const auto cpu = asked.view.tres->find(model::TresKind::cpu);
        const std::uint64_t least = counter.least_cpus_of_nodes(asked.view, index);
        if (!cpu || least <= model::count_at(asked.job.tres, *cpu)) return;
        for (Violation& violation : violations)
            if (violation.tres == cpu) violation.whole_nodes = least;
    }
};

/// Waits for limits of the pre-select stage.
[[gnu::cold]] Wait wait_for_others(std::vector<Violation> violations, const Attempt& attempt) {
    Wait wait = wait_for_limits(std::move(violations));
    auto hidden = attempt.find_hidden_limits();
    wait.is_permanent = wait.is_permanent || !hidden.empty();
    std::move(hidden.begin(), hidden.end(), std::back_inserter(wait.violations));
    return wait;
}

/// Waits for the limit on nodes that decides before the allocation is looked at.
[[gnu::cold]] Wait wait_for_node_limit(const Violation& node_limit, const Attempt& attempt) {
    Wait wait = wait_for_limits({node_limit});
    for (Violation& hidden : attempt.find_hidden_limits())
        if (!hidden.same_limit(node_limit)) wait.violations.push_back(std::move(hidden));
    return wait;
}

/// What holds the job in one partition, in the order of one scheduling attempt.
std::optional<Wait> find_wait(const Attempt& attempt) {
    const PartitionView& asked = attempt.asked;
    const model::Partition* partition = attempt.partition();
    const auto wait_for_rules = [&](std::vector<PartitionProblem> rules) {
        Wait wait = wait_for_partition(std::move(rules));
        wait.violations = attempt.find_lasting_limits();
        return wait;
    };
    if (partition)
        if (auto rules =
                find_early_problems(asked, size_at_attempt(asked, attempt.counter), *partition,
                                    attempt.accepted.time_limit, attempt.cluster.enforce_part_limits);
            !rules.empty())
            return wait_for_rules(std::move(rules));

    auto verdict = attempt.judge();

    if (!verdict.passed_pre_select()) return wait_for_others(std::move(verdict.pre_select), attempt);
    if (partition)
        if (auto rules = find_access_problems(asked, *partition); !rules.empty())
            return wait_for_rules(std::move(rules));
    if (verdict.breaks_node_limit()) return wait_for_node_limit(*verdict.node_limit, attempt);
    auto problem = partition ? find_selection_problem(asked, *partition) : std::nullopt;
    if (!problem && verdict.post_select.empty()) return std::nullopt;
    const bool is_held = asked.request.priority == 0u; // nobody selects nodes for it
    if (verdict.post_select.empty()) {
        Wait wait = wait_for_partition({*std::move(problem)});
        wait.is_refused = !is_held;
        return wait;
    }
    // Limits on the allocation win over the partition's rule. At the submission of a batch job nobody asks
    // for them yet.
    Wait wait = wait_for_limits(std::move(verdict.post_select));
    if (problem) {
        wait.is_permanent = true;
        wait.rules = {*std::move(problem)};
        wait.is_refused = asked.request.is_batch && !is_held;
    }
    return wait;
}

/// Refuses an accepted job that breaks a partition's rule only since a limit gave it its time, or since it
/// was raised to the partition's size, where partitions are enforced: with ALL for one partition, with ANY
/// where no partition is left.
std::optional<Refusal> refuse_after_limits(const Outlook& outlook, const model::AccountView& view,
                                           model::EnforcePartLimits enforce) {
    if (has_hidden_partition(view)) return std::nullopt; // which may refuse first
    const auto breaks_rule = [](const Wait& wait) { return wait.is_refused; };
    const auto first = std::find_if(outlook.held.begin(), outlook.held.end(), breaks_rule);
    if (enforce == model::EnforcePartLimits::no || first == outlook.held.end()) return std::nullopt;
    if (enforce == model::EnforcePartLimits::any &&
        (outlook.starts_somewhere() || !std::all_of(outlook.held.begin(), outlook.held.end(), breaks_rule)))
        return std::nullopt;
    return Refusal{RejectCode::partition_limits, lines_of(first->rules)};
}

/// Answers a change of a job that its first partition cannot take at all, whether partitions are enforced or
/// not. slurmctld makes the change all the same.
std::optional<Refusal> refuse_after_change(const Outlook& outlook) {
    const Wait& first = outlook.held.front();
    if (first.attempt != 0 || first.reason != "PartitionConfig") return std::nullopt;
    return Refusal{RejectCode::partition_limits, lines_of(first.rules)};
}

/// The refusals that come before any limit.
std::optional<Refusal> refuse_early(const PartitionView& asked, const Resolved& resolved,
                                    const model::Cluster& cluster, Steps steps) {
    if (steps.names) {
        const auto& unknown = resolved.partitions.unknown;
        if (!unknown.empty())
            return refuse_partition(unknown, list_open_partitions(asked, cluster.partitions));
        if (auto refusal = refuse_account(asked.view, asked.request)) return refusal;
        if (auto refusal = refuse_qos(asked.view, asked.release)) return refusal;
    }
    return steps.partitions ? refuse_by_partitions(asked, cluster) : std::nullopt;
}

/// Judges the partitions in another order than the one they are named in.
[[gnu::cold]] limits::SubmitVerdict judge_sorted(const PartitionView& asked, const PartitionOrder& order,
                                                 limits::Strictness strictness) {
    model::AccountView sorted = asked.view;
    for (std::size_t place = 0; place < order.size(); ++place)
        sorted.partitions[place] = asked.view.partitions[order[place]];
    return limits::evaluate_submit(sorted, asked.job, asked.release, strictness);
}

limits::SubmitVerdict judge_submission(const PartitionView& asked, const PartitionOrder& order,
                                       limits::Strictness strictness) {
    if (!asked.release.follows(limits::rules::sorts_partitions_at_submission) || order.is_as_named())
        return limits::evaluate_submit(asked.view, asked.job, asked.release, strictness);
    return judge_sorted(asked, order, strictness);
}

/// Makes the next attempt.
void try_to_start(Outlook& outlook, const Attempt& attempt) {
    if (auto wait = find_wait(attempt)) {
        wait->attempt = outlook.attempts;
        wait->partition = attempt.index;
        outlook.held.push_back(*std::move(wait));
    }
    ++outlook.attempts;
}

/// Tries a partition with each further QOS of a list.
[[gnu::cold]] void try_with_other_qos(Outlook& outlook, const Attempt& attempt) {
    const PartitionView& asked = attempt.asked;
    for (const model::AccountView& view : views_of_other_qos(asked.view)) {
        const PartitionView with_other{asked.request, asked.job, view, asked.release};
        const JobCounter counter(attempt.counter, view);
        try_to_start(outlook, {with_other, attempt.cluster, counter, attempt.accepted, attempt.index});
    }
}

/// What comes of attempts of which some did not start the job.
[[gnu::cold]] void conclude(Outlook& outlook, const PartitionView& asked, model::EnforcePartLimits enforce) {
    outlook.refusal = asked.job.is_update ? refuse_after_change(outlook)
                                          : refuse_after_limits(outlook, asked.view, enforce);
    if (outlook.refusal)
        outlook.forecast.code = outlook.refusal->code;
    else if (!outlook.starts_somewhere())
        // Every partition is tried; the Reason of the last one that held the job stays.
        outlook.forecast.pending_reason = outlook.held.back().reason;
}

} // namespace

const Wait* Outlook::wait() const noexcept {
    if (held.empty() || starts_somewhere() || refusal) return nullptr;
    const auto passing =
        std::find_if(held.begin(), held.end(), [](const Wait& wait) { return !wait.is_permanent; });
    return passing == held.end() ? &held.front() : &*passing;
}

bool Outlook::takes_the_job() const noexcept {
    if (forecast.code != RejectCode::none) return false;
    const Wait* least = wait();
    return least == nullptr || !least->is_permanent;
}

Outlook look_ahead(const Resolved& resolved, const model::JobRequest& request, const model::Cluster& cluster,
                   limits::Release release, limits::Strictness strictness, Steps steps) {
    const PartitionView asked{request, resolved.job, resolved.view(), release};
    Outlook outlook{{}, {}, refuse_early(asked, resolved, cluster, steps), {}};
    if (outlook.refusal) {
        outlook.forecast.code = outlook.refusal->code;
        return outlook;
    }

    const PartitionOrder order = PartitionOrder::by_tier(asked.view.partitions);
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

    for (std::size_t place = 0; place < std::max<std::size_t>(order.size(), 1); ++place) {
        const Attempt attempt{asked, cluster, *resolved.counter, verdict, order[place]};
        try_to_start(outlook, attempt);
        if (!asked.view.job_qos.more.empty()) try_with_other_qos(outlook, attempt);
    }
    if (!outlook.held.empty()) conclude(outlook, asked, cluster.enforce_part_limits);
    return outlook;
}

Outlook look_far_ahead(Resolved& resolved, const model::JobRequest& request, const model::Cluster& cluster,
                       limits::Release release, limits::Strictness strictness) {
    Outlook now = look_ahead(resolved, request, cluster, release, strictness);
    if (!resolved.known || now.wait() == nullptr || now.wait()->is_permanent) return now;
    const auto end_jobs = [](model::Usage& usage) {
        usage.jobs = usage.submit_jobs = 0;
        usage.tres.clear();
        usage.tres_run_minutes.clear();
    };
    for (model::Qos& qos : resolved.known->qos)
        for (model::Usage* usage : {&qos.usage, &qos.user_usage, &qos.account_usage})
            end_jobs(*usage);
    for (model::Association& link : resolved.known->associations)
        end_jobs(link.usage);
    return look_ahead(resolved, request, cluster, release, strictness);
}

bool is_clear(const Resolved& resolved, const model::JobRequest& request, limits::Release release) {
    const PartitionView asked{request, resolved.job, resolved.view(), release};
    const auto& partitions = asked.view.partitions;
    if (!resolved.partitions.unknown.empty() || request.time_min) return false;
    if (!request.time_limit && !partitions.empty() && partitions.front().partition->wants_time_limit())
        return false;

    const std::optional<std::uint64_t> nodes = counted_nodes(asked);
    SizeBounds size(nodes.value_or(1));
    size.widen(resolved.counter->sent());
    size.widen(resolved.counter->size_with(nodes));
    return std::ranges::all_of(partitions, [&](const model::PartitionChoice& choice) {
        return surely_takes(*choice.partition, asked, size);
    });
}

} // namespace qg::gate
