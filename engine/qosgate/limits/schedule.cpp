// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/schedule.hpp"

#include "qosgate/limits/evaluation.hpp"

namespace qg::limits {

namespace {

/// Sets the number of nodes that limits allow, and the limit that allows the fewest if it may be shown.
void find_node_limit(ScheduleVerdict& verdict, Evaluation& evaluation) {
    std::vector<Violation> lowest;
    evaluation.find_all(node_count_stage, lowest);
    if (lowest.empty()) return;
    verdict.max_nodes = lowest.front().limit_value;
    if (evaluation.may_be_shown(lowest.front())) verdict.node_limit = lowest.front();
}

/// The stages after pre-select.
void run_later_stages(ScheduleVerdict& verdict, Evaluation& evaluation, const model::TresCounts& allocated,
                      std::optional<TimeLimit> time, bool time_set_by_limit) {
    evaluation.begin_stage(time, time_set_by_limit);
    find_node_limit(verdict, evaluation);

    evaluation.begin_stage(time, time_set_by_limit);
    evaluation.counts = &allocated;
    evaluation.operator_overrides = true;
    evaluation.counts_time_min = true;
    evaluation.run(post_select_stage, verdict.post_select);
}

} // namespace

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
    Evaluation evaluation(view, job, partition, release, Strictness::as_configured);
    evaluation.begin_stage(time, time_set_by_limit);
    evaluation.run(pre_select_stage, verdict.pre_select);
    if (verdict.passed_pre_select())
        run_later_stages(verdict, evaluation, allocated, time, time_set_by_limit);
    return verdict;
}

ScheduleVerdict evaluate_allocation(const model::AccountView& view, const model::ResolvedJob& job,
                                    const model::TresCounts& allocated, std::optional<TimeLimit> time,
                                    bool time_set_by_limit, Release release, std::size_t partition) {
    ScheduleVerdict verdict;
    if (!view.enforce.limits) return verdict;
    Evaluation evaluation(view, job, partition, release, Strictness::as_configured);
    run_later_stages(verdict, evaluation, allocated, time, time_set_by_limit);
    return verdict;
}

} // namespace qg::limits
