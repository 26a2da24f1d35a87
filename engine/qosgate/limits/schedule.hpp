// SPDX-License-Identifier: GPL-2.0-or-later
//
// The scheduling stages: why an accepted job stays pending (limits/README.md 4.2, 4.3, 4.4).
#pragma once

#include "qosgate/limits/evaluation.hpp"

namespace qg::limits {

/// Judges an accepted job in one of its partitions: running-job counts and wall limits, then how many nodes
/// the limits allow, then the allocation with present usage. `time` is the job's limit after the submit
/// stage, and whether a limit gave it.
/// Without `limits` in AccountingStorageEnforce nothing keeps a job pending.
/// Threads: pure.
ScheduleVerdict evaluate_schedule(const model::AccountView& view, const model::ResolvedJob& job,
                                  std::optional<TimeLimit> time, bool time_set_by_limit, Release release,
                                  std::size_t partition = 0);

/// The same, with the size on the chosen nodes given separately.
ScheduleVerdict evaluate_attempt(const model::AccountView& view, const model::ResolvedJob& job,
                                 const model::TresCounts& allocated, std::optional<TimeLimit> time,
                                 bool time_set_by_limit, Release release, std::size_t partition);

/// The same from the node limits on, as if running-job counts and wall limits kept nothing pending.
ScheduleVerdict evaluate_allocation(const model::AccountView& view, const model::ResolvedJob& job,
                                    const model::TresCounts& allocated, std::optional<TimeLimit> time,
                                    bool time_set_by_limit, Release release, std::size_t partition);

} // namespace qg::limits
