// SPDX-License-Identifier: GPL-2.0-or-later
//
// The submit stage: what slurmctld answers when a job is submitted (limits/README.md 3.3, 4.1, 5, 6.4).
#pragma once

#include "qosgate/limits/evaluation.hpp"

namespace qg::limits {

/// Judges a job in all its partitions in order. The first violation of the first partition that refuses is
/// the one whose Reason Slurm shows; violations of the same limit in several partitions are listed once.
/// Without `limits` in AccountingStorageEnforce everything is accepted.
/// Threads: pure. Cost: no allocation beyond one small one, unless a limit is violated.
SubmitVerdict evaluate_submit(const model::AccountView& view, const model::ResolvedJob& job, Release release,
                              Strictness strictness = Strictness::as_configured);

} // namespace qg::limits
