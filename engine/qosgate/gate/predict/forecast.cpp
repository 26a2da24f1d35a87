// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/predict/forecast.hpp"

#include "qosgate/gate/partitions/partition_list.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace qg::gate {
namespace {

using model::RejectCode;

/// Refuses an accepted job that breaks a rule of a partition only after a limit set its time limit, or after
/// its size was raised to the partition's minimum, or beside partitions that are down, if slurmctld enforces
/// rules of partitions: with ALL if one partition refuses, with ANY if all others do.
std::optional<Refusal> refuse_after_limits(const DetailedForecast& forecast, const model::AccountView& view,
                                           model::EnforcePartLimits enforce) {
    if (has_hidden_partition(view)) return std::nullopt; // a hidden partition may refuse first
    const auto breaks_rule = [](const PendingCause& cause) { return cause.is_refused; };
    const auto first = std::find_if(forecast.pending.begin(), forecast.pending.end(), breaks_rule);
    if (enforce == model::EnforcePartLimits::no || first == forecast.pending.end()) return std::nullopt;
    if (enforce == model::EnforcePartLimits::all)
        return Refusal{RejectCode::partition_limits, lines_of(first->rules)};
    // A job whose last partition is down may wait for it.
    const auto starts_nothing = [](const PendingCause& cause) { return cause.is_refused || cause.is_down; };
    if (forecast.starts_somewhere() || forecast.pending.back().is_down ||
        !std::ranges::all_of(forecast.pending, starts_nothing))
        return std::nullopt;
    std::vector<PartitionProblem> problems;
    for (const PendingCause& cause : forecast.pending)
        std::ranges::copy(cause.rules, std::back_inserter(problems));
    return Refusal{RejectCode::partition_limits, lines_of(problems)};
}

/// The answer to a change that makes the job impossible in its first partition, even if slurmctld does not
/// enforce rules of partitions. slurmctld makes the change nevertheless.
std::optional<Refusal> refuse_after_change(const DetailedForecast& forecast) {
    const PendingCause& first = forecast.pending.front();
    if (first.attempt != 0 || first.reason != "PartitionConfig") return std::nullopt;
    return Refusal{RejectCode::partition_limits, lines_of(first.rules)};
}

/// The refusals that come before all limits.
std::optional<Refusal> refuse_early(const ResolvedRequest& asked, Steps steps) {
    std::optional<Refusal> empty;
    const bool takes_no_nodes = asked.job.is_update || !is_refused_early_without_nodes(asked.request);
    if (steps.names) {
        if (asked.request.array && asked.job.array_tasks == 0)
            return refuse_array(asked.request, asked.context.cluster.max_array_size);
        if (asked.request.max_nodes == 0u && !takes_no_nodes) return refuse_no_nodes(asked.request);
        const auto& unknown = asked.partitions.unknown;
        if (!unknown.empty()) return check_partition(unknown, list_open_partitions(asked));
        if (auto refusal = check_account(asked.view(), asked.request)) return refusal;
        empty = check_empty_names(asked.request, asked.view(), asked.context.release);
        if (empty && empty->code != RejectCode::invalid_tres) return empty; // gres are looked up last
        if (auto refusal = check_partition_associations(asked.view())) return refusal;
        if (auto refusal = check_qos(asked.view(), asked.context.release)) return refusal;
    }
    if (!steps.partitions) return empty;
    if (auto refusal = refuse_by_partitions(asked)) return refusal;
    if (empty) return empty;
    const bool is_refused = !takes_no_nodes && asked.counter.may_have_no_nodes();
    return is_refused ? std::optional(refuse_no_nodes(asked.request)) : std::nullopt;
}

/// Judges a submission with the partitions in another order than the job names them.
[[gnu::cold]] limits::SubmitVerdict judge_sorted(const ResolvedRequest& asked, const PartitionOrder& order,
                                                 limits::Strictness strictness) {
    model::AccountView sorted = asked.view();
    for (std::size_t place = 0; place < order.size(); ++place)
        sorted.partitions[place] = asked.view().partitions[order[place]];
    return limits::evaluate_submit(sorted, asked.job, asked.context.release, strictness);
}

limits::SubmitVerdict judge_submission(const ResolvedRequest& asked, const PartitionOrder& order,
                                       limits::Strictness strictness) {
    if (!asked.context.release.follows(limits::rules::sorts_partitions_at_submission) || order.is_as_named())
        return limits::evaluate_submit(asked.view(), asked.job, asked.context.release, strictness);
    return judge_sorted(asked, order, strictness);
}

/// Makes the next attempt.
void try_to_start(DetailedForecast& forecast, const ResolvedRequest& asked,
                  const limits::SubmitVerdict& accepted, std::size_t partition) {
    if (auto cause = find_pending_cause(asked, accepted, partition)) {
        cause->attempt = forecast.attempts;
        cause->partition = partition;
        forecast.pending.push_back(*std::move(cause));
    }
    ++forecast.attempts;
}

/// Tries one partition with each of the alternative QOSs.
[[gnu::cold]] void try_with_other_qos(DetailedForecast& forecast, const ResolvedRequest& asked,
                                      const limits::SubmitVerdict& accepted, std::size_t partition) {
    for (const std::size_t qos : asked.view().job_qos.alternatives)
        try_to_start(forecast, with_qos(asked, qos), accepted, partition);
}

/// Whether an attempt may start the job in spite of what it would wait for.
bool may_pass(const PendingCause& cause) {
    return !cause.is_permanent && cause.rules.empty() && !cause.violations.empty() &&
           std::ranges::none_of(cause.violations, &limits::Violation::is_certain);
}

/// The cause whose Reason the job keeps: slurmctld compares it with the state, sizes and times of all its
/// partitions, then tries those that are left one after the other. [L22]
const PendingCause& last_cause(std::span<const PendingCause> pending) {
    const auto tried = std::find_if(pending.rbegin(), pending.rend(), [](const PendingCause& cause) {
        return !cause.is_early && !cause.is_down;
    });
    return tried == pending.rend() ? pending.back() : *tried;
}

/// Derives the result if some attempt did not start the job.
[[gnu::cold]] void conclude(DetailedForecast& forecast, const ResolvedRequest& asked) {
    forecast.refusal = asked.job.is_update ? refuse_after_change(forecast)
                                           : refuse_after_limits(forecast, asked.view(),
                                                                 asked.context.cluster.enforce_part_limits);
    if (forecast.refusal)
        forecast.summary.code = forecast.refusal->code;
    else if (!forecast.starts_somewhere())
        forecast.summary.pending_reason = last_cause(forecast.pending).reason;
    forecast.summary.never_starts = forecast.never_starts();
    forecast.summary.may_start =
        !forecast.summary.pending_reason.empty() && std::ranges::any_of(forecast.pending, may_pass);
}

/// Whether slurmctld tries to select nodes when the job is submitted.
bool selects_nodes(const DetailedForecast& forecast, const ResolvedRequest& asked) {
    return !asked.job.is_update && asked.request.priority != 0u && forecast.starts_somewhere();
}

} // namespace

const PendingCause* DetailedForecast::blocking() const noexcept {
    if (pending.empty() || starts_somewhere() || refusal) return nullptr;
    const auto passing = std::find_if(pending.begin(), pending.end(),
                                      [](const PendingCause& cause) { return !cause.is_permanent; });
    return passing == pending.end() ? &pending.front() : &*passing;
}

bool DetailedForecast::never_starts() const noexcept {
    const PendingCause* cause = blocking();
    return !is_refused() && cause != nullptr && cause->is_permanent;
}

bool DetailedForecast::starts_only_in_down() const noexcept {
    const PendingCause* cause = blocking();
    return !is_refused() && cause != nullptr && cause->is_down &&
           std::ranges::all_of(pending,
                               [](const PendingCause& each) { return each.is_permanent || each.is_down; });
}

bool DetailedForecast::takes_the_job() const noexcept {
    return !is_refused() && !never_starts() && !starts_only_in_down();
}

bool DetailedForecast::starts_by_itself() const noexcept {
    return !is_refused() && blocking() == nullptr;
}

DetailedForecast predict(const ResolvedRequest& asked, limits::Strictness strictness, Steps steps) {
    DetailedForecast forecast;
    forecast.strictness = strictness;
    forecast.refusal = refuse_early(asked, steps);
    if (forecast.refusal) {
        forecast.summary.code = forecast.refusal->code;
        return forecast;
    }

    const PartitionOrder order = PartitionOrder::by_tier(asked.view().partitions);
    auto verdict = judge_submission(asked, order, strictness);
    if (steps.limits && !verdict.accepted()) {
        forecast.summary.code = RejectCode::accounting_policy;
        forecast.summary.reason = verdict.violations.front().reason;
        forecast.refusing = std::move(verdict.violations);
        return forecast;
    }
    if (!asked.job.is_update &&
        has_too_few_tasks(asked.request, asked.job, asked.view(), asked.context.release)) {
        forecast.refusal = refuse_too_few_tasks(*asked.request.tasks, min_nodes_of(asked.job, asked.view()));
        forecast.summary.code = forecast.refusal->code;
        return forecast;
    }
    if (asked.job.is_update) {
        // The job keeps its own time limit, which was not compared.
        verdict.time_limit = asked.request.time_limit;
        verdict.time_set_by_limit = false;
    }
    forecast.summary.time_limit = verdict.time_limit;
    forecast.summary.time_set_by_limit = verdict.time_set_by_limit;

    for (std::size_t place = 0; place < std::max<std::size_t>(order.size(), 1); ++place) {
        try_to_start(forecast, asked, verdict, order[place]);
        if (!asked.view().job_qos.alternatives.empty())
            try_with_other_qos(forecast, asked, verdict, order[place]);
    }
    if (!forecast.pending.empty()) conclude(forecast, asked);
    if (asked.counter.asks_for_no_nodes() && selects_nodes(forecast, asked)) {
        forecast.refusal = refuse_no_nodes(asked.request);
        forecast.summary.code = forecast.refusal->code;
    }
    return forecast;
}

DetailedForecast predict_fully(ResolvedRequest& resolved, limits::Strictness strictness) {
    const auto predict_now = [&] { return predict(resolved, strictness); };
    const auto change_usage = [&](auto change) {
        for (model::Qos& qos : resolved.known->qos)
            for (model::Usage* usage : {&qos.usage, &qos.user_usage, &qos.account_usage})
                change(*usage);
        for (model::Association& link : resolved.known->associations)
            change(link.usage);
    };
    DetailedForecast forecast = predict_now();
    if (!resolved.known || forecast.never_starts()) return forecast;
    if (forecast.blocking() != nullptr) {
        change_usage([](model::Usage& usage) {
            usage.jobs = usage.submit_jobs = 0;
            usage.tres.clear();
            usage.tres_run_minutes.clear();
        });
        forecast = predict_now();
    }
    if (!forecast.starts_by_itself()) return forecast;
    // A wall limit admits a job without an end only while some of the wall time is used, because the sum has
    // 32 bits (limits/README.md 5.2).
    bool is_used = false;
    change_usage([&](model::Usage& usage) {
        is_used = is_used || usage.wall_minutes != 0;
        usage.wall_minutes = 0;
    });
    return is_used ? predict_now() : forecast;
}

bool certainly_starts(const PartitionList& named, const JobCounter& counter, const model::ResolvedJob& job,
                      const model::AccountView& view) {
    return named.unknown.empty() && certainly_admit(counter, job, view, size_at_attempt(counter, job, view));
}

} // namespace qg::gate
