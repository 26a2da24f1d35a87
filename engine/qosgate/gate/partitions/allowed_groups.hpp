// SPDX-License-Identifier: GPL-2.0-or-later
//
// What AllowGroups of a job's partitions does to it (limits/README.md 8.3). Only commands ask: slurmctld
// looks into its own table of groups, and its error says enough.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"

#include <cstdint>
#include <string>

namespace qg::quota {
class UserGroups;
}

namespace qg::gate {

/// slurmctld's error for a job that it refuses because of AllowGroups.
enum class GroupsError : std::uint8_t {
    none,          ///< it does not refuse the job
    missing_group, ///< ESLURM_JOB_MISSING_REQUIRED_PARTITION_GROUP
    not_available, ///< ESLURM_PARTITION_NOT_AVAIL
};

/// The texts are sentences without a full stop; empty: there is nothing to say.
struct GroupsAnswer {
    std::string blocked;                   ///< why slurmctld refuses the job, or never starts it
    std::string not_judged;                ///< what may decide about it, too, and is not known
    GroupsError error = GroupsError::none; ///< of a job that it refuses
};

/// The answer for a new job. Partitions that are hidden from the reader are left out. Cost: asks `groups`
/// only if a partition of the job has AllowGroups; blocks as long as that blocks.
GroupsAnswer judge_groups(const ResolvedRequest& asked, const quota::UserGroups& groups);

} // namespace qg::gate
