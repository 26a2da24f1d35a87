// SPDX-License-Identifier: GPL-2.0-or-later
//
// Usage as slurmctld counts it (limits/README.md 7).
#pragma once

#include "qosgate/model/tres.hpp"

#include <cstdint>

namespace qg::model {

/// Usage of one QOS, or of one user or account within it, or of one association. An empty TresCounts is all
/// 0.
struct Usage {
    std::uint64_t jobs = 0;         ///< running jobs
    std::uint64_t submit_jobs = 0;  ///< pending and running jobs, array tasks counted singly
    std::uint64_t wall_minutes = 0; ///< decayed wall clock minutes, cut to whole minutes
    TresCounts tres;                ///< TRES of the running jobs
    TresCounts tres_run_minutes;    ///< TRES x minutes that the running jobs may still use
    TresCounts tres_minutes;        ///< decayed TRES x minutes used so far
};

/// counts[tres], or 0 if the counts are shorter.
[[nodiscard]] inline std::uint64_t count_at(const TresCounts& counts, std::size_t tres) noexcept {
    return tres < counts.size() ? counts[tres] : 0;
}

} // namespace qg::model
