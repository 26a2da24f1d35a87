// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/rules/update_rules.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/answer.hpp"
#include "qosgate/gate/partitions/partition_bounds.hpp"
#include "qosgate/gate/size/gres_request.hpp"
#include "qosgate/limits/submit.hpp"
#include "qosgate/model/tres_request.hpp"

#include <array>

namespace qg::gate {
namespace {

using limits::Strictness;
using model::Decision;
using model::RejectCode;
using policy::Level;

bool moves_the_job(const model::JobUpdate& update, const ResolvedRequest& before,
                   const ResolvedRequest& after) {
    return before.view().job_qos.name != after.view().job_qos.name ||
           !after.view().job_qos.alternatives.empty() || before.view().account != after.view().account ||
           update.before.account != update.after.account || update.before.partition != update.after.partition;
}

/// The job as slurmctld checks it when it changes: one task, no time limit unless the change sets one, and in
/// some releases likewise no memory.
void set_up_update(ResolvedRequest& resolved, const model::JobUpdate& update, bool is_moved) {
    resolved.job.is_update = true;
    resolved.job.array_tasks = 1;
    const auto mem = resolved.view().tres->find(model::TresKind::mem);
    const bool counts_none = resolved.context.release.follows(limits::rules::counts_no_memory_at_change) &&
                             update.before.memory == update.after.memory;
    if (counts_none && mem && *mem < resolved.job.tres.size()) {
        if (!resolved.job.allocated) resolved.job.allocated = resolved.job.tres; // what it gets later
        resolved.job.tres[*mem] = 0;
    }
    resolved.job.time_limit = update.names_time ? update.after.time_limit : std::nullopt;
    if (!update.names_qos) {
        auto& problem = resolved.known->job_qos.problem;
        const bool is_kept = is_moved && problem == model::QosProblem::not_permitted;
        problem = is_kept ? model::QosProblem::kept_not_permitted : model::QosProblem::none;
    }
    if (!is_moved) resolved.known->differing_partition.reset();
}

/// Whether a job that changes its QOS gets the new QOS's MaxWall as its time limit.
bool replaces_time(limits::Release release) {
    return release.follows(limits::rules::qos_change_replaces_time) ||
           release.follows(limits::rules::qos_change_replaces_time_again);
}

/// The time limit that limits give the job if it has none of its own.
std::optional<TimeLimit> time_by_limits(const ResolvedRequest& asked) {
    model::ResolvedJob job = asked.job;
    job.time_limit.reset();
    return limits::evaluate_submit(asked.view(), job, asked.context.release, Strictness::as_configured)
        .time_limit;
}

/// slurmctld never compares values that an operator changes with limits.
void mark_what_an_operator_set(const model::JobUpdate& update, const ResolvedRequest& before,
                               ResolvedRequest& after) {
    model::ResolvedJob& job = after.job;
    job.operator_set_time = update.names_time && update.before.time_limit != update.after.time_limit;
    const model::TresCatalogue& tres = *after.view().tres;
    job.operator_set_tres.resize(tres.size());
    for (const model::TresKind kind : {model::TresKind::cpu, model::TresKind::mem, model::TresKind::node})
        if (const auto at = tres.find(kind))
            job.operator_set_tres[*at] =
                model::count_at(before.job.tres, *at) != model::count_at(job.tres, *at);
}

/// Whether the change cannot block a job that was not blocked before: it changes at most the time limit, and
/// raises it only for an operator. Of a running job slurmctld changes nothing else.
bool is_harmless(const model::JobUpdate& update, const ResolvedRequest& before,
                 const ResolvedRequest& after) {
    const TimeLimit time_before = update.before.time_limit.value_or(TimeLimit::unlimited());
    const TimeLimit time_after = update.after.time_limit.value_or(TimeLimit::unlimited());
    return !moves_the_job(update, before, after) && before.job.tres == after.job.tres &&
           update.after.min_cpus_per_node <= update.before.min_cpus_per_node &&
           (time_after <= time_before || after.view().requester_is_operator);
}

/// A user may raise the time limit of a pending job only up to the partition's MaxTime, whatever its QOS.
std::optional<Refusal> refuse_more_time(const model::JobUpdate& update, const ResolvedRequest& changed) {
    const auto& before = update.before.time_limit;
    const auto& after = update.after.time_limit;
    const auto& partitions = changed.view().partitions;
    if (!update.names_time || !after || !before || *after <= *before || partitions.empty() ||
        partitions.front().is_hidden)
        return std::nullopt;
    const auto problem = find_bound_problem(bounds::max_time, *partitions.front().partition,
                                            {.minutes = after->minutes}, /*flags=*/{});
    if (!problem) return std::nullopt;
    return Refusal{RejectCode::access_denied, {problem->text + "; only operators may set more"}};
}

constexpr std::array gres_texts{&model::JobRequest::tres_per_job, &model::JobRequest::tres_per_node,
                                &model::JobRequest::tres_per_socket, &model::JobRequest::tres_per_task};

/// Whether a request names the gres of an item, with the same model or none.
bool names_gres(const model::JobRequest& request, const model::TresItem& wanted) {
    bool is_named = false;
    for (const auto text : gres_texts)
        model::for_each_gres_item(request.*text, [&](const model::TresItem& item) {
            is_named = is_named || (item.name == wanted.name && item.kind == wanted.kind);
        });
    return is_named;
}

/// Whether the job keeps gres that the change does not name.
bool leaves_gres_out(const model::JobUpdate& update, limits::Release release) {
    if (!asks_for_gres(update.before)) return false;
    if (!asks_for_gres(update.after)) return !release.follows(limits::rules::takes_gres_away);
    constexpr int max_items = 32; // of the job: each is looked for in the change
    int items = 0;
    bool hides = false;
    for (const auto text : gres_texts)
        if (update.before.*text != update.after.*text)
            model::for_each_gres_item(update.before.*text, [&](const model::TresItem& item) {
                hides = hides || ++items > max_items || !names_gres(update.after, item);
            });
    return hides;
}

} // namespace

bool may_change_time(const model::JobUpdate& update, limits::Release release) noexcept {
    return !update.names_time &&
           (replaces_time(release) || release.follows(limits::rules::resets_time_at_change));
}

std::optional<TimeLimit> time_after(const model::JobUpdate& update, const ResolvedRequest& before,
                                    const ResolvedRequest& after) {
    if (!replaces_time(after.context.release)) {
        // Nothing shows whether a limit gave the job the time that it has.
        const bool may_be_of_limit =
            !update.before.time_limit || update.before.time_limit == time_by_limits(before);
        return may_be_of_limit ? time_by_limits(after) : update.after.time_limit;
    }
    const model::QosChoice& chosen = after.view().job_qos;
    if (!chosen.qos || chosen.name == before.view().job_qos.name) return update.after.time_limit;
    const auto wall = after.view().qos.at(*chosen.qos).limits.get(model::CountLimit::max_wall);
    return wall ? TimeLimit{static_cast<std::uint32_t>(*wall)} : TimeLimit::unlimited();
}

std::string_view why_gres_are_hidden(const model::JobUpdate& update, limits::Release release) {
    if (update.before.tasks_per_tres != update.after.tasks_per_tres)
        return "rules cannot count the GPUs of a job whose tasks for each GPU change; submit another job "
               "with --ntasks-per-gpu";
    if (leaves_gres_out(update, release))
        return "slurmctld does not take gres away from a job: after this change it would still have those "
               "that the change does not name; name each of them with its type and at least one, or submit "
               "another job";
    return {};
}

void judge_update(Decision& decision, const model::JobUpdate& update, ResolvedRequest& before,
                  ResolvedRequest& after, const policy::Settings& settings) {
    if (is_harmless(update, before, after)) return;
    const bool is_moved = moves_the_job(update, before, after);
    set_up_update(before, update, is_moved);
    set_up_update(after, update, is_moved);
    const bool is_operator = after.view().requester_is_operator;
    const bool is_checked = !is_operator && is_moved;
    if (is_operator) mark_what_an_operator_set(update, before, after);

    const auto predict_before = [&](Strictness strictness, bool limits) {
        return predict(before, strictness, {.names = false, .partitions = false, .limits = limits});
    };
    // A job that already broke limits before the change may still break them.
    const auto predict_after = [&](Strictness strictness) {
        const bool limits = is_checked && predict_before(strictness, /*limits=*/true).summary.code !=
                                              RejectCode::accounting_policy;
        DetailedForecast found =
            predict(after, strictness, {.names = true, .partitions = is_checked, .limits = limits});
        if (found.is_refused() || is_operator) return found;
        if (auto refusal = refuse_more_time(update, after)) {
            found.summary.code = refusal->code;
            found.refusal = std::move(refusal);
        }
        return found;
    };

    const bool enforces = settings.limits == Level::enforce && !is_operator;
    const DetailedForecast forecast = predict_for_answer(enforces, decision.forecast, predict_after);
    if (!forecast.is_refused() && forecast.blocking() == nullptr) return;
    auto lines = forecast_lines(forecast, after);
    bool could_start = true;
    if (!forecast.is_refused()) {
        // The change is not the cause of what blocked the job before.
        const DetailedForecast past = predict_before(Strictness::as_configured, /*limits=*/false);
        if (past.blocking() != nullptr && forecast_lines(past, before) == lines) return;
        could_start = !past.never_starts();
    }
    const Rejects rejects{.refused = enforces, .never_starting = enforces && could_start};
    answer(decision, forecast, {update.after, after.view(), &update}, std::move(lines), rejects, settings,
           decision.message.size());
}

} // namespace qg::gate
