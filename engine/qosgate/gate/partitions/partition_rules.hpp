// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rules of a partition for its jobs: sizes, times, QOSs, accounts (limits/README.md 8.3, 8.4). With
// EnforcePartLimits slurmctld refuses a job that breaks them; otherwise the job stays pending with a Reason.
#pragma once

#include "qosgate/gate/decide/refusal.hpp"
#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/partitions/partition_bounds.hpp"
#include "qosgate/gate/partitions/partition_list.hpp"
#include "qosgate/gate/size/job_size.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/model/resolved_job.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::gate {

/// The order in which slurmctld compares the job's partitions with its rules when it is submitted.
PartitionOrder order_at_submission(const ResolvedRequest& asked);

/// The texts of problems without duplicates, at most eight lines.
std::vector<std::string> lines_of(std::span<const PartitionProblem> problems);

/// Whether the reader may see only the name of one of the job's partitions.
[[nodiscard]] bool has_hidden_partition(const model::AccountView& view);

/// The partitions that may be named to a user who did not name them: those open to the job's account, and for
/// operators also those hidden from others. Empty if PrivateData hides partitions from the reader. Cost:
/// linear in the partitions and their lists of accounts.
std::vector<std::string> list_open_partitions(const ResolvedRequest& asked);

/// The refusal by EnforcePartLimits: with ALL if any partition refuses, with ANY if all do. Two times are
/// always refused: no time limit if the first partition has DefaultTime=0, and a --time-min that no partition
/// allows. This function and those below leave the rules of partitions that are hidden from the reader to
/// slurmctld.
std::optional<Refusal> refuse_by_partitions(const ResolvedRequest& asked);

/// The rules that keep an accepted job pending in `partition`, in slurmctld's order; the first gives the
/// Reason. Empty if none of those checked before the limits is broken: sizes and times, and, if slurmctld
/// enforces rules of partitions, the lists of QOSs and accounts. `time` is the job's time limit after the
/// submit stage.
std::vector<PartitionProblem> find_early_problems(const ResolvedRequest& asked, const JobSize& size,
                                                  const model::Partition& partition,
                                                  std::optional<TimeLimit> time);

/// The same for the lists of QOSs and accounts, which are checked between the stages of the limits.
std::vector<PartitionProblem> find_access_problems(const ResolvedRequest& asked,
                                                   const model::Partition& partition);

/// The same for MaxNodes, which is checked after the limits on nodes.
std::optional<PartitionProblem> find_selection_problem(const ResolvedRequest& asked,
                                                       const model::Partition& partition);

/// The same for a partition that is down: it accepts jobs and starts none until an administrator sets it up.
std::optional<PartitionProblem> find_down_problem(const ResolvedRequest& asked,
                                                  const model::Partition& partition);

/// Why slurmctld finds no nodes for a job that is larger than each of its partitions, and so refuses it at
/// submission instead of leaving it pending for one of those rules. Empty: it does not, or looks for no
/// nodes.
std::vector<std::string> find_too_small_partitions(const ResolvedRequest& asked, const JobSize& size);

/// What follows for a job without a maximum of nodes if the first partition of its list denies it access
/// (limits/README.md 8.3).
inline constexpr std::string_view consequence_of_closed_first =
    "as the first partition of the list it keeps this job from ever starting without a maximum of nodes: "
    "leave the partition out, or add --nodes";

/// Whether every partition of the job accepts and starts it even if all rules are enforced and no QOS flag
/// exempts the job. `at_attempt` is the job's size in an attempt to start it. True is certain, false is not.
/// Needs only those parts of the view that quota::JobBounds has.
bool certainly_admit(const JobCounter& counter, const model::ResolvedJob& job, const model::AccountView& view,
                     const JobSize& at_attempt);

} // namespace qg::gate
