// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/forecast.hpp"

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
    return {problem.pending, /*is_permanent=*/true, {}, std::move(problem.text)};
}

/// What holds the job in one partition, in the order of one scheduling attempt.
std::optional<Wait> find_wait(const PartitionView& asked, const limits::SubmitVerdict& accepted,
                              limits::Release release, std::size_t index) {
    const model::Partition* partition =
        index < asked.view.partitions.size() ? asked.view.partitions[index].partition.get() : nullptr;
    if (partition)
        if (auto problem = find_size_problem(asked, *partition, accepted.time_limit))
            return wait_for_partition(*std::move(problem));
    auto verdict = limits::evaluate_schedule(asked.view, asked.job, accepted.time_limit,
                                             accepted.time_set_by_limit, release, index);
    if (!verdict.passed_pre_select()) return wait_for_limits(std::move(verdict.pre_select));
    if (partition)
        if (auto problem = find_access_problem(asked, *partition))
            return wait_for_partition(*std::move(problem));
    if (verdict.node_limit && verdict.node_limit->asked > *verdict.max_nodes)
        return wait_for_limits({*verdict.node_limit});
    if (!verdict.post_select.empty()) return wait_for_limits(std::move(verdict.post_select));
    return std::nullopt;
}

} // namespace

Outlook look_ahead(const Resolved& resolved, const model::JobRequest& request, const model::Cluster& cluster,
                   limits::Release release, limits::Strictness strictness) {
    const PartitionView asked{request, resolved.job, resolved.view};
    Outlook outlook;
    const auto refuse = [&](std::optional<Refusal> refusal) {
        if (!refusal) return false;
        outlook.forecast.code = refusal->code;
        outlook.refusal = std::move(refusal);
        return true;
    };
    if (refuse(refuse_partition(resolved.partitions, cluster.partitions))) return outlook;
    if (refuse(refuse_account(resolved.view, request))) return outlook;
    if (refuse(refuse_qos(resolved.view))) return outlook;
    if (refuse(refuse_by_partitions(asked, cluster))) return outlook;

    auto verdict = limits::evaluate_submit(resolved.view, resolved.job, release, strictness);
    if (!verdict.accepted()) {
        outlook.forecast.code = RejectCode::accounting_policy;
        outlook.forecast.reason = verdict.violations.front().reason;
        outlook.refusing = std::move(verdict.violations);
        return outlook;
    }
    outlook.forecast.time_limit = verdict.time_limit;
    outlook.forecast.time_set_by_limit = verdict.time_set_by_limit;

    // Every partition is tried; the Reason of the last one that held the job stays.
    bool starts_somewhere = false;
    for (std::size_t i = 0; i < std::max<std::size_t>(resolved.view.partitions.size(), 1); ++i) {
        auto wait = find_wait(asked, verdict, release, i);
        if (!wait) {
            starts_somewhere = true;
            continue;
        }
        outlook.forecast.pending_reason = wait->reason;
        if (!outlook.wait || (outlook.wait->is_permanent && !wait->is_permanent))
            outlook.wait = std::move(wait);
    }
    if (starts_somewhere) {
        outlook.wait.reset();
        outlook.forecast.pending_reason.clear();
    }
    return outlook;
}

} // namespace qg::gate
