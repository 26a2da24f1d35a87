// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld will do with a job, step by step in its order (limits/README.md 2.1, 2.2): refuse it, accept
// it and leave it pending, or start it when there is room.
#pragma once

#include "qosgate/gate/decide/refusal.hpp"
#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/partitions/attempt.hpp"
#include "qosgate/limits/submit.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qg::gate {

struct DetailedForecast {
    model::Forecast summary;                 ///< what slurmctld does with the job
    std::vector<limits::Violation> refusing; ///< limits that refuse at submission
    std::optional<Refusal> refusal;          ///< any other refusal; for limits only its code
    /// An accepted job is tried in each partition, and there with each of its QOSs. One entry for each
    /// attempt that is blocked, in the order tried.
    std::vector<PendingCause> pending;
    std::size_t attempts = 0;                                          ///< all, blocked or not
    limits::Strictness strictness = limits::Strictness::as_configured; ///< of the submit stage

    [[nodiscard]] bool is_refused() const noexcept { return summary.code != model::RejectCode::none; }
    /// Whether the job is accepted but blocked permanently in all attempts.
    [[nodiscard]] bool never_starts() const noexcept;
    /// Whether some attempt would start the job.
    [[nodiscard]] bool starts_somewhere() const noexcept { return pending.size() < attempts; }
    /// Whether the job starts in no partition that is up, and is blocked permanently there or has none.
    [[nodiscard]] bool starts_only_in_down() const noexcept;
    /// Whether the job is accepted and not blocked permanently in all attempts, except where partitions are
    /// down.
    [[nodiscard]] bool takes_the_job() const noexcept;
    /// Whether the job is accepted and some attempt starts it. After predict_fully(): no limit blocks the
    /// job permanently, and no past usage does, which may take days to decay.
    [[nodiscard]] bool starts_by_itself() const noexcept;
    /// If no attempt starts the job, the entry that blocks it least; else null. Lives as long as the
    /// forecast.
    [[nodiscard]] const PendingCause* blocking() const noexcept;
};

/// The steps before the first attempt at which slurmctld may refuse. A change of a job skips some.
struct Steps {
    bool names = true;      ///< partition, account, QOS
    bool partitions = true; ///< EnforcePartLimits
    bool limits = true;
};

/// Predicts a resolved request. If the job has to wait, also predicts what would still block it when no other
/// job runs, because a temporary cause may hide a permanent one. Removes the current usage from the view.
/// Threads: one per ResolvedRequest.
DetailedForecast predict_fully(ResolvedRequest& resolved, limits::Strictness strictness);

/// What happens to a resolved request. `strictness` is that of the submit stage.
/// Threads: one per ResolvedRequest.
DetailedForecast predict(const ResolvedRequest& resolved, limits::Strictness strictness, Steps steps = {});

/// Whether a job within all limits is accepted and no rule of a partition blocks it. True is certain, false
/// is not. Needs only those parts of the view that quota::JobBounds has. Threads: one per ResolvedRequest.
bool certainly_starts(const PartitionList& named, const JobCounter& counter, const model::ResolvedJob& job,
                      const model::AccountView& view);

/// Calls `make_forecast(strictness)` with slurmctld's own strictness and stores the result in `of_slurmctld`.
/// If the gate enforces limits and slurmctld would accept a job that can never start, calls it again as if
/// DenyOnLimit were set, which finds all limits that block the job.
template <typename MakeForecast>
DetailedForecast predict_for_answer(bool enforces, model::Forecast& of_slurmctld,
                                    MakeForecast make_forecast) {
    DetailedForecast forecast = make_forecast(limits::Strictness::as_configured);
    of_slurmctld = forecast.summary;
    if (!enforces || !forecast.never_starts()) return forecast;
    DetailedForecast strict = make_forecast(limits::Strictness::assume_strict);
    return strict.is_refused() ? std::move(strict) : std::move(forecast);
}

} // namespace qg::gate
