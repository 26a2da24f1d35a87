// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reasons of pending jobs that stand for a rule of a partition (limits/README.md 8.3, 8.4).
#pragma once

#include "qosgate/gate/partitions/attempt.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace qg::cli {

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

} // namespace qg::cli
