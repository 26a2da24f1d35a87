// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld will do with a job, step by step in its order (limits/README.md 2.1, 2.2): refuse it, or
// accept it and hold it back, or start it when there is room.
#pragma once

#include "qosgate/gate/partition_rules.hpp"
#include "qosgate/gate/resolve.hpp"
#include "qosgate/limits/submit.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qg::gate {

/// What holds an accepted job back in one partition.
struct Wait {
    std::string_view reason;                   ///< Reason token
    bool is_permanent = false;                 ///< it never starts as it is
    std::vector<limits::Violation> violations; ///< limits that hold it
    std::vector<PartitionProblem> rules;       ///< rules of the partition itself that hold it
    bool is_refused = false;   ///< slurmctld refuses the job for a rule where it enforces those
    std::size_t attempt = 0;   ///< the place of the attempt that ended so
    std::size_t partition = 0; ///< index of the partition tried
};

struct Outlook {
    model::Forecast forecast;
    std::vector<limits::Violation> refusing; ///< limits that refuse at submission
    std::optional<Refusal> refusal;          ///< any other refusal; or, for limits, just its code
    /// An accepted job is tried in each partition, and there with each of its QOSs. What holds it back, in
    /// the order tried; an attempt that nothing holds back leaves nothing here.
    std::vector<Wait> held;
    std::size_t attempts = 0; ///< how many there are

    /// Whether some attempt would start the job.
    [[nodiscard]] bool starts_somewhere() const noexcept { return held.size() < attempts; }
    /// Whether the job is accepted, and nothing holds it back for good everywhere.
    [[nodiscard]] bool takes_the_job() const noexcept;
    /// Of a job that nothing starts: what holds it back the least; else null. Lives as long as the outlook.
    [[nodiscard]] const Wait* wait() const noexcept;
};

/// The steps before the first attempt at which slurmctld may refuse. It leaves some out where a job is
/// changed.
struct Steps {
    bool names = true;      ///< partition, account, QOS
    bool partitions = true; ///< EnforcePartLimits
    bool limits = true;
};

/// Looks ahead at a resolved request, and where it has to wait, at what would still hold it back for good
/// once nothing else runs: a wait that passes may hide what does not. Leaves the view without what is in use.
/// Threads: pure.
Outlook look_far_ahead(Resolved& resolved, const model::JobRequest& request, const model::Cluster& cluster,
                       limits::Release release, limits::Strictness strictness);

/// Judges a resolved request. `strictness` is that of the submit stage.
/// Threads: pure.
Outlook look_ahead(const Resolved& resolved, const model::JobRequest& request, const model::Cluster& cluster,
                   limits::Release release, limits::Strictness strictness, Steps steps = {});

/// Whether a job that all limits leave room for is accepted, and held back in none of its partitions. False
/// is a guess, true is certain. Threads: pure.
bool is_clear(const Resolved& resolved, const model::JobRequest& request, limits::Release release);

/// The outlook that the gate answers by, and how strictly it was looked for.
struct Judged {
    Outlook outlook;
    model::Forecast forecast; ///< of slurmctld itself, limits as configured
    limits::Strictness strictness = limits::Strictness::as_configured;
};

/// Looks with `look(strictness)` as slurmctld will. Where the gate enforces and slurmctld would accept a job
/// that can never start, also as if DenyOnLimit were set: that tells all limits that are in its way.
template <typename Look>
Judged judge_with(bool enforces, Look look) {
    Judged judged{look(limits::Strictness::as_configured), {}};
    judged.forecast = judged.outlook.forecast;
    if (!enforces || judged.forecast.code != model::RejectCode::none) return judged;
    const Wait* wait = judged.outlook.wait();
    if (wait == nullptr || !wait->is_permanent) return judged;
    Outlook strict = look(limits::Strictness::assume_strict);
    if (strict.forecast.code == model::RejectCode::none) return judged;
    judged.outlook = std::move(strict);
    judged.strictness = limits::Strictness::assume_strict;
    return judged;
}

} // namespace qg::gate
