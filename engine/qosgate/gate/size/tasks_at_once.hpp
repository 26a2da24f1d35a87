// SPDX-License-Identifier: GPL-2.0-or-later
//
// The number of tasks of a job array that run at once, if limits on running jobs let only some of them run.
#pragma once

#include "qosgate/gate/predict/forecast.hpp"

#include <string>
#include <vector>

namespace qg::gate {

/// The line for an array of which some tasks can start and others wait for them. Empty if the number is not
/// known, or if no limit makes tasks wait. `forecast` is that of one task.
std::vector<std::string> tasks_at_once_lines(const DetailedForecast& forecast, const ResolvedRequest& asked);

} // namespace qg::gate
