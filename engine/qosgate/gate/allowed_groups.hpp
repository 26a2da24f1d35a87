// SPDX-License-Identifier: GPL-2.0-or-later
//
// What AllowGroups of a job's partitions does to it (limits/README.md 8.3). Only commands ask: slurmctld
// looks into its own table of groups, and its error says enough.
#pragma once

#include "qosgate/gate/resolve.hpp"

#include <string>

namespace qg::quota {
class UserGroups;
}

namespace qg::gate {

/// Both are sentences without a full stop; empty: there is nothing to say.
struct GroupsAnswer {
    std::string blocked;    ///< why slurmctld refuses the job, or never starts it
    std::string not_judged; ///< what may decide about it, too, and is not known
};

/// The answer for a new job. Partitions that are hidden from the reader are left out. Cost: asks `groups`
/// only if a partition of the job has AllowGroups; blocks as long as that blocks.
GroupsAnswer judge_groups(const ResolvedRequest& asked, const quota::UserGroups& groups);

} // namespace qg::gate
