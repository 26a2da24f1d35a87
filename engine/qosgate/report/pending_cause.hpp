// SPDX-License-Identifier: GPL-2.0-or-later
//
// What blocks a pending job as far as the engine knows, which Reasons stand for rules of its partitions
// (limits/README.md 8.3, 8.4), and whether the engine counts the job as slurmctld does. Only then are its
// verdicts on the job, and on changes of it, slurmctld's.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/partitions/attempt.hpp"
#include "qosgate/model/queued_job.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace qg::report {

/// Whether rules of partitions have this Reason.
bool is_of_partition(std::string_view reason) noexcept;

/// Whether the Reason is that of this rule. PartitionConfig is that of any. Where slurmctld enforces rules,
/// the lists of QOSs and accounts have it, too; squeue may still show which list it is.
bool stands_for(std::string_view reason, const gate::PartitionProblem& rule) noexcept;

/// What blocks a job of the queue in the partition with this index; empty if nothing does.
std::optional<gate::PendingCause> find_pending_cause(const gate::ResolvedRequest& asked,
                                                     std::size_t partition);

/// All limits that block it there now, in all stages of an attempt to start it.
std::vector<limits::Violation> find_blocking_limits(const gate::ResolvedRequest& asked,
                                                    std::size_t partition);

/// The rules of its partitions that keep an accepted job pending. Cost: one forecast for each partition.
std::vector<gate::PartitionProblem> find_broken_rules(const gate::ResolvedRequest& asked);

/// Whether the TRES that squeue shows are what the engine counts for the job in that partition. Of a job that
/// gets whole nodes, or CPUs for each GPU, squeue shows what it asks for until it starts: that is compared
/// then. `asked` is `job`, resolved. `compares_nodes`: squeue shows fewer nodes than a job gets whose tasks
/// do not fit on them. Cost: one count of the job.
bool is_counted_alike(const gate::ResolvedRequest& asked, const model::QueuedJob& job, std::size_t partition,
                      bool compares_nodes = true);

} // namespace qg::report
