// SPDX-License-Identifier: GPL-2.0-or-later
//
// The time limit of a job while it is judged, as slurmctld computes with it (limits/README.md 5).
#pragma once

#include "qosgate/limits/evaluation.hpp"

#include <cstdint>

namespace qg::limits {

/// limits/README.md 5.1: gives a job without a time limit this one, trims one that a limit gave, and tells
/// whether the job's time fits.
bool fit_time(Evaluation& evaluation, std::uint32_t limit);

/// The job's minutes; where it has no time limit, the number slurmctld computes with (limits/README.md 5.2).
std::uint32_t time_or_none(const Evaluation& evaluation);

/// Whether the job has a time that never ends, or none at all.
bool is_endless(const Evaluation& evaluation);

/// Slurm multiplies a time by UsageFactor in floating point and cuts it; UNLIMITED grows no further.
std::uint32_t scale_time(std::uint32_t minutes, double factor);

} // namespace qg::limits
