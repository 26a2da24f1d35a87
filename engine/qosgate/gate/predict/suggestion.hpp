// SPDX-License-Identifier: GPL-2.0-or-later
//
// The nearest request that slurmctld would accept and could start, with as few changes as possible. It
// depends on the forecast, because it makes a forecast of each proposal.
#pragma once

#include "qosgate/gate/predict/forecast.hpp"

#include <optional>

namespace qg::gate {

/// Changes the request until slurmctld accepts it and, when no other job runs, no limit, no rule of a
/// partition and no past usage blocks it. Empty if no such request was found. `forecast` is that of the
/// request. Cost: at most 40 forecasts; only for jobs with a problem. Threads: those of the provider.
std::optional<model::JobRequest> find_suggestion(const DetailedForecast& forecast,
                                                 const ResolvedRequest& asked);

} // namespace qg::gate
