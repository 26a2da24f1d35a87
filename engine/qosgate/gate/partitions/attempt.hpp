// SPDX-License-Identifier: GPL-2.0-or-later
//
// One attempt to start an accepted job: in one partition, with one QOS (limits/README.md 2.2).
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/partitions/partition_rules.hpp"
#include "qosgate/limits/submit.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace qg::gate {

/// What keeps an accepted job pending in one partition.
struct PendingCause {
    std::string_view reason;   ///< Reason token
    bool is_permanent = false; ///< the job never starts unchanged
    bool is_down = false;      ///< the partition is down, and nothing else is permanent
    bool is_early = false;     ///< for a size or time of the partition: slurmctld tries the others after that
    /// Limits that block the job, in slurmctld's order. The first stage that it fails gives the Reason; those
    /// of later stages, which slurmctld looks at when that is over, follow.
    std::vector<limits::Violation> violations;
    std::vector<PartitionProblem> rules; ///< rules of the partition that block the job
    bool is_refused = false;   ///< slurmctld refuses the job for a rule if it enforces rules of partitions
    std::size_t attempt = 0;   ///< index of the attempt
    std::size_t partition = 0; ///< index of the partition
};

/// What blocks the job in the partition with this index; empty if nothing does. `accepted` is the verdict of
/// the submit stage. Threads: one per ResolvedRequest.
std::optional<PendingCause> find_pending_cause(const ResolvedRequest& asked,
                                               const limits::SubmitVerdict& accepted, std::size_t partition);

/// All limits that block the job in that partition now, as in PendingCause, whatever rules of the partition
/// block it, too. Threads: one per ResolvedRequest.
std::vector<limits::Violation> find_blocking_limits(const ResolvedRequest& asked,
                                                    const limits::SubmitVerdict& accepted,
                                                    std::size_t partition);

/// The job's size as partitions see it when the job starts. Gres may reduce the nodes that were counted.
JobSize size_at_attempt(const JobCounter& counter, const model::ResolvedJob& job,
                        const model::AccountView& view);

} // namespace qg::gate
