// SPDX-License-Identifier: GPL-2.0-or-later
//
// The time limit of a job while it is judged, as slurmctld computes with it (limits/README.md 5).
#pragma once

#include "qosgate/limits/evaluation.hpp"

#include <cstdint>

namespace qg::limits {

/// limits/README.md 5.1: sets this time limit on a job without one, reduces a time limit that another limit
/// set, and returns whether the job's time fits.
bool fit_time(Evaluation& evaluation, std::uint32_t limit);

/// The job's minutes; without a time limit, the number that slurmctld computes with (limits/README.md 5.2).
std::uint32_t time_or_none(const Evaluation& evaluation);

/// The minutes that limits on TRES x time are compared with: --time-min if the scheduler may start the job
/// with it (limits/README.md 5.4), else time_or_none().
std::uint32_t time_for_minutes(const Evaluation& evaluation);

/// Slurm multiplies a time by UsageFactor in floating point and drops the fraction; UNLIMITED stays
/// UNLIMITED.
std::uint32_t scale_time(std::uint32_t minutes, double factor);

} // namespace qg::limits
