// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/schedule.hpp"

#include "qosgate/limits/node_count.hpp"

namespace qg::limits {

ScheduleVerdict evaluate_schedule(const model::AccountView& view, const model::ResolvedJob& job,
                                  std::optional<TimeLimit> time, bool time_set_by_limit, Release release,
                                  std::size_t partition) {
    return evaluate_attempt(view, job, job.allocated ? *job.allocated : job.tres, time, time_set_by_limit,
                            release, partition);
}

ScheduleVerdict evaluate_attempt(const model::AccountView& view, const model::ResolvedJob& job,
                                 const model::TresCounts& allocated, std::optional<TimeLimit> time,
                                 bool time_set_by_limit, Release release, std::size_t partition) {
    ScheduleVerdict verdict;
    if (!view.enforce.limits) return verdict;
    const auto start = [&] {
        Evaluation evaluation(view, job, partition, release, Strictness::as_configured);
        evaluation.time = time;
        evaluation.time_set_by_limit = time_set_by_limit;
        return evaluation;
    };

    start().run(pre_select_stage, verdict.pre_select);
    if (!verdict.passed_pre_select()) return verdict;

    verdict.node_limit = find_node_limit(start());
    if (verdict.node_limit) verdict.max_nodes = verdict.node_limit->limit_value;

    Evaluation post_select = start();
    post_select.counts = &allocated;
    post_select.operator_overrides = true;
    post_select.run(post_select_stage, verdict.post_select);
    return verdict;
}

} // namespace qg::limits
