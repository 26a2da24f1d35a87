// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partitions/attempt.hpp"

#include "qosgate/gate/decide/refusal.hpp"
#include "qosgate/gate/nodes/node_demand.hpp"
#include "qosgate/gate/partitions/in_partition.hpp"
#include "qosgate/gate/size/whole_cores.hpp"
#include "qosgate/limits/schedule.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace qg::gate {
namespace {

using limits::Violation;
using model::WholeNodesBy;

[[gnu::cold]] PendingCause cause_of_limits(std::vector<Violation> violations) {
    PendingCause cause;
    cause.reason = violations.front().reason;
    cause.is_permanent = std::any_of(violations.begin(), violations.end(),
                                     [](const Violation& v) { return v.is_permanent(); });
    cause.violations = std::move(violations);
    return cause;
}

[[gnu::cold]] PendingCause cause_of_partition(std::vector<PartitionProblem> rules) {
    PendingCause cause;
    cause.reason = rules.front().pending;
    cause.is_permanent = true;
    cause.rules = std::move(rules);
    cause.is_refused = true;
    return cause;
}

bool is_passing(const Violation& violation) {
    return !violation.is_permanent();
}

/// The nodes that the limits count; empty if the cluster has no node TRES.
std::optional<std::uint64_t> counted_nodes(const model::ResolvedJob& job, const model::AccountView& view) {
    const auto node = view.tres->node();
    return node ? std::optional(model::count_at(job.tres, *node)) : std::nullopt;
}

/// Everything that one attempt to start a job reads.
struct Attempt {
    const ResolvedRequest& asked;
    const limits::SubmitVerdict& accepted;
    std::size_t index; ///< of the partition

    const model::Partition* partition() const {
        const auto& all = asked.view().partitions;
        return index < all.size() ? all[index].partition.get() : nullptr;
    }

    limits::ScheduleVerdict judge() const { return judge(limits::evaluate_attempt); }

    /// All limits that block the job now, in slurmctld's order, each once: `found`, those of a stage that it
    /// fails, and behind them those of later stages, which slurmctld has not looked at.
    [[gnu::cold]] std::vector<Violation> with_later_limits(std::vector<Violation> found) const {
        auto verdict = judge(limits::evaluate_allocation);
        // A stage has a limit once, so only the earlier ones, which are few, are compared.
        const std::size_t earlier = found.size();
        const auto find_same = [](std::span<Violation> among, const Violation& violation) {
            return std::ranges::find_if(among, [&](const Violation& v) { return v.same_limit(violation); });
        };
        if (verdict.breaks_node_limit()) {
            const std::span allocation(verdict.post_select);
            const bool is_listed = find_same(found, *verdict.node_limit) != std::span(found).end() ||
                                   find_same(allocation, *verdict.node_limit) != allocation.end();
            if (!is_listed) found.push_back(*verdict.node_limit);
        }
        for (Violation& violation : verdict.post_select) {
            const auto before = std::span(found).first(earlier);
            const auto same = find_same(before, violation);
            if (same == before.end())
                found.push_back(violation);
            else if (violation.is_permanent() && !same->is_permanent())
                *same = violation;
        }
        return found;
    }

    /// All limits that block the job permanently, for a job that a rule of the partition blocks anyway.
    [[gnu::cold]] std::vector<Violation> find_lasting_limits() const {
        auto lasting = with_later_limits(judge().pre_select);
        std::erase_if(lasting, is_passing);
        return lasting;
    }

  private:
    template <typename Evaluate>
    limits::ScheduleVerdict judge(Evaluate evaluate) const {
        const auto with = [&](std::optional<std::uint64_t> max_nodes) {
            const auto allocated = asked.counter.at_attempt(asked.view(), index, max_nodes);
            const auto& otherwise = asked.job.allocated ? *asked.job.allocated : asked.job.tres;
            return evaluate(asked.view(), asked.job, allocated ? *allocated : otherwise, accepted.time_limit,
                            accepted.time_set_by_limit, asked.context.release, index);
        };
        auto verdict = with(std::nullopt);
        // If limits allow fewer nodes than the job would take, the selection gives it fewer.
        if (verdict.max_nodes && asked.request.max_nodes) {
            auto capped = with(verdict.max_nodes);
            if (is_hidden()) leave_out_others(capped.post_select, verdict.post_select);
            verdict = std::move(capped);
        }
        if (whole_nodes_by() != WholeNodesBy::nothing) note_whole_nodes(verdict.post_select);
        if (asked.counter.has_open_memory(asked.view(), index)) leave_out_least_memory(verdict.post_select);
        if (!verdict.post_select.empty()) {
            note_cpus_for_memory(verdict.post_select);
            note_added_cpus(verdict.post_select);
        }
        return verdict;
    }

    model::WholeNodesBy whole_nodes_by() const {
        return model::whole_nodes_by(asked.request, partition(), asked.context.cluster);
    }

    /// Whether the partition is hidden from the reader.
    bool is_hidden() const {
        const auto& all = asked.view().partitions;
        return index < all.size() && all[index].is_hidden;
    }

    /// Keeps the violations that are the same without the cap on nodes. That cap may come from a limit of a
    /// hidden partition.
    [[gnu::cold]] static void leave_out_others(std::vector<Violation>& violations,
                                               std::span<const Violation> without) {
        std::erase_if(violations, [&](const Violation& v) {
            return std::ranges::none_of(
                without, [&](const Violation& w) { return v.same_limit(w) && v.asked == w.asked; });
        });
    }

    /// A job that takes all memory of its nodes may get nodes with more memory than is counted for it.
    [[gnu::cold]] void leave_out_least_memory(std::vector<Violation>& violations) const {
        std::erase_if(violations, [mem = asked.view().tres->find(model::TresKind::mem)](const Violation& v) {
            return v.relation == limits::Relation::asked_too_little && v.tres == mem;
        });
    }

    /// MaxMemPerCPU gives a job more CPUs than it asked for if its memory is more than its CPUs may have.
    [[gnu::cold]] void note_cpus_for_memory(std::vector<Violation>& violations) const {
        if (partition() == nullptr || is_hidden()) return;
        const model::Cluster& cluster = asked.context.cluster;
        const auto cpu = asked.view().tres->find(model::TresKind::cpu);
        const auto memory = memory_of(asked.request, *partition(), cluster);
        if (!cpu || gets_no_memory(asked.request, memory) || !cpus_for_memory(memory, *partition(), cluster))
            return;
        const std::uint64_t max = max_memory_of(*partition(), cluster)->mib;
        const std::uint64_t sent = model::count_at(asked.job.tres, *cpu);
        for (Violation& violation : violations)
            if (violation.tres == cpu && std::max(violation.asked, violation.count) > sent &&
                violation.whole_nodes == 0)
                violation.mib_per_cpu = max;
    }

    /// CPUs of whole cores, and those that each GPU brings along by default.
    [[gnu::cold]] void note_added_cpus(std::vector<Violation>& violations) const {
        if (partition() == nullptr || is_hidden()) return;
        const model::Cluster& cluster = asked.context.cluster;
        const auto cpu = asked.view().tres->find(model::TresKind::cpu);
        if (!cpu) return;
        const auto here = in_partition(asked.request, *partition(), cluster, Extent::least);
        const bool has_default = here && here->has_default_cpus_per_gpu;
        const std::uint64_t per_gpu = has_default ? gpu_defaults(*partition(), cluster).cpus.value_or(0) : 0;
        const std::uint64_t of_core =
            gives_whole_cores(partition(), cluster) ? partition()->processors.min_threads_per_core : 0;
        const std::uint64_t sent = model::count_at(asked.job.tres, *cpu);
        for (Violation& violation : violations)
            if (violation.tres == cpu && violation.whole_nodes == 0 &&
                std::max(violation.asked, violation.count) > sent) {
                violation.cpus_per_gpu = per_gpu;
                violation.cpus_of_core = of_core;
            }
    }

    /// A job with whole nodes gets at least so many CPUs and GPUs. Its other resources are not known in
    /// advance.
    [[gnu::cold]] void note_whole_nodes(std::vector<Violation>& violations) const {
        if (violations.empty()) return;
        std::erase_if(violations, [node = asked.view().tres->node()](const Violation& v) {
            return v.relation == limits::Relation::asked_too_little && v.tres != node;
        });
        const model::TresCounts* min = asked.counter.min_of_whole_nodes(asked.view(), index);
        const auto cpu = asked.view().tres->find(model::TresKind::cpu);
        if (min == nullptr || !cpu) return;
        const auto mem = asked.view().tres->find(model::TresKind::mem);
        for (Violation& violation : violations) {
            const std::size_t tres = violation.tres.value_or(min->size());
            if (model::count_at(*min, tres) <= model::count_at(asked.job.tres, tres)) continue;
            // Memory follows from CPUs.
            violation.whole_nodes = violation.tres == mem ? model::count_at(*min, *cpu) : (*min)[tres];
            violation.whole_by = whole_nodes_by();
            violation.whole_in_partition = index;
        }
    }
};

/// The job waits for limits of the pre-select stage, which slurmctld checks before the partition's lists.
[[gnu::cold]] PendingCause cause_of_others(std::vector<Violation> violations, const Attempt& attempt) {
    PendingCause cause = cause_of_limits(attempt.with_later_limits(std::move(violations)));
    if (const model::Partition* partition = attempt.partition())
        cause.rules = find_access_problems(attempt.asked, *partition);
    cause.is_permanent = cause.is_permanent || !cause.rules.empty();
    return cause;
}

/// The job waits for the limit on nodes, which slurmctld checks before it looks at the allocation.
[[gnu::cold]] PendingCause cause_of_node_limit(const Violation& node_limit, const Attempt& attempt) {
    return cause_of_limits(attempt.with_later_limits({node_limit}));
}

/// What blocks the job in one partition that is up, in the order of one scheduling attempt.
std::optional<PendingCause> find_cause_if_up(const Attempt& attempt) {
    const ResolvedRequest& asked = attempt.asked;
    const model::Partition* partition = attempt.partition();
    if (asked.view().job_qos.problem == model::QosProblem::kept_not_permitted) {
        PendingCause cause =
            cause_of_partition({{model::RejectCode::invalid_qos, "InvalidQOS", kept_qos_text(asked.view())}});
        // The job starts if an operator set its QOS, which slurmctld does not show.
        cause.is_permanent = false;
        return cause;
    }
    const auto cause_of_rules = [&](std::vector<PartitionProblem> rules, bool is_early) {
        PendingCause cause = cause_of_partition(std::move(rules));
        cause.is_early = is_early;
        cause.violations = attempt.find_lasting_limits();
        return cause;
    };
    if (partition)
        if (auto rules = find_early_problems(
                asked, size_at_attempt(asked.counter, asked.job, asked.view()), *partition,
                asked.job.is_time_hidden ? asked.request.time_limit : attempt.accepted.time_limit);
            !rules.empty())
            return cause_of_rules(std::move(rules), /*is_early=*/true);

    auto verdict = attempt.judge();

    if (!verdict.passed_pre_select()) return cause_of_others(std::move(verdict.pre_select), attempt);
    if (partition)
        if (auto rules = find_access_problems(asked, *partition); !rules.empty())
            return cause_of_rules(std::move(rules), /*is_early=*/false);
    if (verdict.breaks_node_limit()) return cause_of_node_limit(*verdict.node_limit, attempt);
    auto problem = partition ? find_selection_problem(asked, *partition) : std::nullopt;
    if (!problem && verdict.post_select.empty()) return std::nullopt;
    const bool is_held = asked.request.priority == 0u; // slurmctld selects no nodes for a held job
    if (verdict.post_select.empty()) {
        PendingCause cause = cause_of_partition({*std::move(problem)});
        cause.is_refused = !is_held;
        return cause;
    }
    // The Reason of a limit on the allocation replaces that of the partition's rule. slurmctld does not check
    // these limits yet when a batch job is submitted.
    PendingCause cause = cause_of_limits(std::move(verdict.post_select));
    if (problem) {
        cause.is_permanent = true;
        cause.rules = {*std::move(problem)};
        cause.is_refused = asked.request.is_batch && !is_held;
    }
    return cause;
}

/// A partition that is down starts no job, whatever else the job waits for.
void note_down(std::optional<PendingCause>& cause, const Attempt& attempt) {
    if (attempt.partition() == nullptr || (cause && cause->is_permanent)) return;
    auto problem = find_down_problem(attempt.asked, *attempt.partition());
    if (!problem) return;
    if (!cause) cause.emplace();
    cause->is_down = true;
    cause->reason = problem->pending;
    cause->rules.push_back(*std::move(problem));
}

} // namespace

std::optional<PendingCause> find_pending_cause(const ResolvedRequest& asked,
                                               const limits::SubmitVerdict& accepted, std::size_t partition) {
    const Attempt attempt{asked, accepted, partition};
    auto cause = find_cause_if_up(attempt);
    note_down(cause, attempt);
    return cause;
}

std::vector<Violation> find_blocking_limits(const ResolvedRequest& asked,
                                            const limits::SubmitVerdict& accepted, std::size_t partition) {
    const Attempt attempt{asked, accepted, partition};
    return attempt.with_later_limits(attempt.judge().pre_select);
}

JobSize size_at_attempt(const JobCounter& counter, const model::ResolvedJob& job,
                        const model::AccountView& view) {
    return counter.size_with(counted_nodes(job, view));
}

} // namespace qg::gate
