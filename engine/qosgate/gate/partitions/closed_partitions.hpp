// SPDX-License-Identifier: GPL-2.0-or-later
//
// Partitions that are closed to a job: for root only, for jobs in a reservation, or for members of groups
// (limits/README.md 8.3). A list of partitions decides together whether slurmctld refuses the job.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/partitions/partition_bounds.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace qg::gate {

/// slurmctld's error for a job that it refuses because a partition is closed to it.
enum class ClosedError : std::uint8_t {
    none,          ///< it does not refuse the job
    access_denied, ///< ESLURM_ACCESS_DENIED
    missing_group, ///< ESLURM_JOB_MISSING_REQUIRED_PARTITION_GROUP
    not_available, ///< ESLURM_PARTITION_NOT_AVAIL
};

/// The texts are sentences without a full stop; empty: there is nothing to say.
struct ClosedAnswer {
    std::string blocked;                   ///< why slurmctld refuses the job, or never starts it
    std::string not_judged;                ///< what may decide about it, too, and is not known
    ClosedError error = ClosedError::none; ///< of a job that it refuses
};

/// The answer for a new job, with the groups of `asked.context.known`. What gate/answer/advice.hpp and the
/// forecast say, it leaves to them. Partitions that are hidden from the reader are left out. Cost: asks for
/// groups only if a partition of the job has AllowGroups; blocks as long as that blocks.
ClosedAnswer judge_closed(const ResolvedRequest& asked);

/// Whether slurmctld may refuse a new job because of AllowGroups: it does, or the groups are not known.
/// Cost: as above.
[[nodiscard]] bool may_lack_group(const ResolvedRequest& asked);

/// Why slurmctld refuses a new job of which a partition is for root only, or for jobs in a reservation;
/// empty: it does not for that.
[[nodiscard]] std::string find_denied(const ResolvedRequest& asked);

/// Why no partition starts a job that root submits for another user; empty: some partition may. Only for jobs
/// that find_denied() lets in.
[[nodiscard]] std::string find_closed_to_owner(const ResolvedRequest& asked);

/// Why a pending job does not start in one of its partitions, as far as the groups are known. Cost: as above.
std::optional<PartitionProblem> find_closed(const ResolvedRequest& asked, std::size_t partition);

} // namespace qg::gate
