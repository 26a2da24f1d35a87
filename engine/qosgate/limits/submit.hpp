// SPDX-License-Identifier: GPL-2.0-or-later
//
// The submit stage: what slurmctld answers when a job is submitted (limits/README.md 3.3, 4.1, 5, 6.4).
#pragma once

#include "qosgate/limits/evaluation.hpp"

namespace qg::limits {

/// Judges a job in all its partitions in order. Slurm shows the Reason of the first violation in the first
/// partition that refuses the job. A limit that is violated in several partitions is listed once. Without
/// `limits` in AccountingStorageEnforce every job is accepted.
/// Threads: pure. Cost: one small allocation, unless a limit is violated.
SubmitVerdict evaluate_submit(const model::AccountView& view, const model::ResolvedJob& job, Release release,
                              Strictness strictness = Strictness::as_configured);

} // namespace qg::limits
