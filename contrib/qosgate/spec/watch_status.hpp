// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `qosgate spec watch` tells about itself, for programs.
#pragma once

#include "spec/drift_report.hpp"

#include "qosgate/spec/plan.hpp"

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace qg::cli {

/// Times in seconds since 1970; 0: not yet.
struct WatchStatus {
    std::string state = "starting"; ///< "ok", "drift", "conflict", "failing", "ended"
    std::time_t started = 0;
    std::time_t last_run = 0;
    std::time_t last_success = 0;
    std::time_t last_change = 0;
    std::time_t next_run = 0;
    std::uint64_t runs = 0;
    std::uint64_t failed_runs = 0;
    std::uint64_t failures_in_row = 0;
    std::uint64_t applied = 0; ///< plans
    std::string error;
    std::vector<DriftRow> drift; ///< before the last run's apply
    std::vector<spec::Conflict> conflicts;
};

/// The status file.
Json to_json(const WatchStatus& status, bool is_dry);

/// The numbers in the text format of Prometheus, as its node_exporter reads them from *.prom files.
std::string to_metrics(const WatchStatus& status);

} // namespace qg::cli
