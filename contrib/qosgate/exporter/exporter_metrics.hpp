// SPDX-License-Identifier: GPL-2.0-or-later
//
// The metrics of `qosgate exporter`.
#pragma once

#include "cluster_state.hpp"
#include "common/gate_report.hpp"

#include "qosgate/base/result.hpp"

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace qg::cli {

/// What the exporter has done so far.
struct ReadingCounts {
    std::uint64_t readings = 0; ///< attempts
    std::uint64_t failures = 0;
    std::optional<std::time_t> last = {}; ///< the last one that succeeded
};

/// Series in one family; 1,000 QOSs with a dozen TRES each fit.
inline constexpr std::size_t max_family_series = 20'000;

/// Makes /metrics. `state` is null while the cluster cannot be read: then nothing is told about it. At most
/// `max_users` users are named. Threads: pure.
std::string make_metrics(const ClusterState* state, const Result<GateReport>* gate,
                         const ReadingCounts& counts, std::size_t max_users, std::time_t now);

} // namespace qg::cli
