// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/size/tasks_at_once.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/size/ranges.hpp"
#include "qosgate/limits/explain.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>
#include <utility>

namespace qg::gate {
namespace {

using limits::Violation;

/// The number of tasks that the array itself would run at once.
std::uint64_t tasks_at_once(const ResolvedRequest& asked) {
    if (!asked.request.array) return 1;
    const std::uint64_t throttle = throttle_of_array(*asked.request.array).value_or(0);
    return throttle == 0 ? asked.job.array_tasks : std::min<std::uint64_t>(throttle, asked.job.array_tasks);
}

/// The limits that the last of so many tasks waits for while all others run.
std::vector<Violation> limits_of_last(const ResolvedRequest& asked, std::uint64_t tasks,
                                      limits::Strictness strictness) {
    ResolvedRequest last = asked;
    const auto run_others = [&](model::Usage& usage) { usage.jobs += tasks - 1; };
    for (model::Qos& qos : last.known->qos)
        for (model::Usage* usage : {&qos.usage, &qos.user_usage, &qos.account_usage})
            run_others(*usage);
    for (model::Association& link : last.known->associations)
        run_others(link.usage);
    const DetailedForecast forecast = predict(last, strictness);
    const PendingCause* cause = forecast.blocking();
    return cause == nullptr ? std::vector<Violation>() : cause->violations;
}

} // namespace

std::vector<std::string> tasks_at_once_lines(const DetailedForecast& forecast, const ResolvedRequest& asked) {
    const std::uint64_t tasks = tasks_at_once(asked);
    // With several partitions, each may have a limit of its own.
    if (tasks <= 1 || forecast.attempts != 1 || forecast.is_refused() || forecast.blocking() != nullptr ||
        asked.request.starts_later() || asked.request.is_het_part || !asked.known)
        return {};
    std::vector<Violation> limits = limits_of_last(asked, tasks, forecast.strictness);
    std::erase_if(limits, [&](const Violation& v) {
        return model::facts_of(v.limit).measure != model::LimitMeasure::running_jobs || v.used < tasks - 1 ||
               v.used - (tasks - 1) >= v.limit_value || limits::has_hidden_numbers(v, asked.view());
    });
    if (limits.empty()) return {};
    const auto room = [tasks](const Violation& v) { return v.limit_value - (v.used - (tasks - 1)); };
    Violation strictest = *std::ranges::min_element(limits, {}, room);
    const std::uint64_t at_once = room(strictest);
    strictest.used -= tasks - 1;
    strictest.asked = asked.job.array_tasks;
    return {text::format(
        "at most {} of this array can run at once: {}",
        at_once == 1 ? "1 task" : text::format("{} tasks", at_once),
        limits::describe(strictest, asked.view(), /*names_owner=*/true,
                         limits::reader_of_job(asked.request.submit_uid, asked.request.user_id)))};
}

} // namespace qg::gate
