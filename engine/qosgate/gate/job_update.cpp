// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/job_update.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer.hpp"

#include <algorithm>
#include <iterator>

namespace qg::gate {
namespace {

using limits::Strictness;
using model::Decision;
using model::JobRequest;
using model::RejectCode;
using policy::Level;

/// Everything the judging of a change reads.
struct Change {
    const JobUpdate& update;
    Resolved& before;
    Resolved& after;
    const model::Cluster& cluster;
    limits::Release release;

    bool moves_the_job() const {
        return before.view().job_qos.name != after.view().job_qos.name ||
               !after.view().job_qos.more.empty() || before.view().account != after.view().account ||
               update.before.account != update.after.account ||
               update.before.partition != update.after.partition;
    }
};

/// The job as slurmctld looks at it when it changes: one task, with no time limit but a new one.
void set_up_update(Resolved& resolved, const JobUpdate& update) {
    resolved.job.is_update = true;
    resolved.job.array_tasks = 1;
    resolved.job.time_limit = update.names_time ? update.after.time_limit : std::nullopt;
    if (!update.names_qos) resolved.known->job_qos.problem = model::QosProblem::none;
}

std::optional<TimeLimit> time_after(const JobUpdate& update, const Resolved& before, const Resolved& after,
                                    limits::Release release) {
    // Some releases give a job that changes its QOS the new one's MaxWall for a time limit, or none.
    const bool is_replaced = release.follows(limits::rules::qos_change_replaces_time) ||
                             release.follows(limits::rules::qos_change_replaces_time_again);
    const model::QosChoice& chosen = after.view().job_qos;
    if (!is_replaced || update.names_time || !chosen.qos || chosen.name == before.view().job_qos.name)
        return update.after.time_limit;
    const auto wall = after.view().qos.at(*chosen.qos).limits.get(model::CountLimit::max_wall);
    return wall ? TimeLimit{static_cast<std::uint32_t>(*wall)} : TimeLimit::unlimited();
}

/// What an operator changes holds for good: no limit is compared with it later.
void mark_what_an_operator_set(const Change& change) {
    model::ResolvedJob& job = change.after.job;
    job.operator_set_time = change.update.before.time_limit != change.update.after.time_limit;
    const model::TresCatalogue& tres = *change.after.view().tres;
    job.operator_set_tres.resize(tres.size());
    for (const model::TresKind kind : {model::TresKind::cpu, model::TresKind::mem, model::TresKind::node})
        if (const auto at = tres.find(kind))
            job.operator_set_tres[*at] =
                model::count_at(change.before.job.tres, *at) != model::count_at(job.tres, *at);
}

/// Whether the change at most takes time away, or is an operator's of the time: that holds no job back which
/// was not held before, and of all changes of a running job it is the only one that slurmctld makes.
bool is_harmless(const Change& change) {
    const TimeLimit before = change.update.before.time_limit.value_or(TimeLimit::unlimited());
    const TimeLimit after = change.update.after.time_limit.value_or(TimeLimit::unlimited());
    return !change.moves_the_job() && change.before.job.tres == change.after.job.tres &&
           change.update.after.min_cpus_per_node <= change.update.before.min_cpus_per_node &&
           (after <= before || change.after.view().requester_is_operator);
}

/// A user may give a waiting job more time up to the partition's limit only, whatever its QOS.
std::optional<Refusal> refuse_more_time(const Change& change) {
    const auto& before = change.update.before.time_limit;
    const auto& after = change.update.after.time_limit;
    const auto& partitions = change.after.view().partitions;
    if (!change.update.names_time || !after || !before || *after <= *before || partitions.empty() ||
        partitions.front().is_hidden || *after <= partitions.front().partition->max_time)
        return std::nullopt;
    const model::Partition& partition = *partitions.front().partition;
    return Refusal{
        RejectCode::access_denied,
        {text::format("wall time per job in partition {}: limit {}, this job asks for {}; only operators may "
                      "set more",
                      partition.name, units::format_minutes(partition.max_time),
                      units::format_minutes(*after))}};
}

void judge_change(Decision& decision, const Change& change, const policy::Settings& settings) {
    if (is_harmless(change)) return;
    set_up_update(change.before, change.update);
    set_up_update(change.after, change.update);
    const bool is_operator = change.after.view().requester_is_operator;
    const bool is_checked = !is_operator && change.moves_the_job();
    if (is_operator) mark_what_an_operator_set(change);

    const auto look = [&](const Resolved& resolved, const JobRequest& request, Strictness strictness,
                          Steps steps) {
        return look_ahead(resolved, request, change.cluster, change.release, strictness, steps);
    };
    const auto look_before = [&](Strictness strictness, bool limits) {
        return look(change.before, change.update.before, strictness, {false, false, limits});
    };
    // The past forgives: a job that broke limits already may go on breaking them.
    const auto look_after = [&](Strictness strictness) {
        const bool limits = is_checked && look_before(strictness, /*limits=*/true).forecast.code !=
                                              RejectCode::accounting_policy;
        Outlook found = look(change.after, change.update.after, strictness, {true, is_checked, limits});
        if (found.forecast.code != RejectCode::none || is_operator) return found;
        if (auto refusal = refuse_more_time(change)) {
            found.forecast.code = refusal->code;
            found.refusal = std::move(refusal);
        }
        return found;
    };

    const bool enforces = settings.limits == Level::enforce && !is_operator;
    const auto [outlook, forecast, strictness] = judge_with(enforces, look_after);
    decision.forecast = forecast;
    const std::size_t told_before = decision.message.size(); // by rules
    const Wait* wait = outlook.wait();
    const model::AccountView& view = change.after.view();
    if (outlook.forecast.code != RejectCode::none) {
        append(decision.message, refusal_lines(outlook, view));
        if (enforces) decision.reject = outlook.forecast.code;
    } else if (wait) {
        const Outlook past = look_before(Strictness::as_configured, /*limits=*/false);
        const Wait* past_wait = past.wait();
        auto lines = wait_lines(outlook, change.update.after, view);
        if (past_wait && wait_lines(past, change.update.before, change.before.view()) == lines) return;
        append(decision.message, std::move(lines));
        const bool could_start = !past_wait || !past_wait->is_permanent;
        if (enforces && wait->is_permanent && could_start) decision.reject = RejectCode::accounting_policy;
    } else {
        return;
    }
    log_judgement(decision, {change.update.after, view, &change.update}, outlook, told_before);
    const bool never_starts = wait && wait->is_permanent;
    if (outlook.forecast.code != RejectCode::none || never_starts) append_contact(decision.message, settings);
}

} // namespace

void judge_update(Decision& decision, JobUpdate& update, Resolved& before, Resolved& after,
                  const model::Cluster& cluster, limits::Release release, const policy::Settings& settings) {
    update.after.time_limit = time_after(update, before, after, release);
    judge_change(decision, {update, before, after, cluster, release}, settings);
}

} // namespace qg::gate
