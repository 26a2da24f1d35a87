// SPDX-License-Identifier: GPL-2.0-or-later
//
// What qosgate status finds: whether slurmctld has loaded the plugin, whether it works as configured, and
// what to do otherwise. It reads the plugin's files in StateSaveLocation and the directory of rules, and asks
// the controllers whether they answer if there are several, and for the names that rules have.
#pragma once

#include "common/controllers.hpp"
#include "common/gate_report.hpp"

#include "qosgate/base/result.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::cli {

/// The plugin's state, from good to bad.
enum Standing : std::uint8_t { in_force, degraded, closed, not_loaded };

struct Wording {
    std::string_view name;     ///< in JSON
    std::string_view headline; ///< for people
    int exit_status;
};

/// What the command found and what it means.
struct StatusFinding {
    Standing standing = in_force;
    std::vector<std::string> reasons;         ///< why it is not in force
    GateReport report;                        ///< the plugin's
    std::vector<Controller> controllers = {}; ///< of a cluster with several

    void add(Standing worse, std::string reason) {
        standing = std::max(standing, worse);
        reasons.push_back(std::move(reason));
    }

    [[nodiscard]] const Wording& wording() const;
};

/// Errors: if slurm.conf or the report cannot be read; permission_denied says whom to ask as.
Result<StatusFinding> examine_plugin();

/// A rule whose last runs failed, or that only warns because too many did.
struct FailingRule {
    std::string name; ///< "rule 'x' (10-x.lua)"
    std::uint64_t failures_in_a_row;
    bool only_warns; ///< it was switched to warn because of them
};

std::vector<FailingRule> failing_rules(const GateReport& report);

/// As people read it, by the clock here; "never" for what has not been.
std::string show_time(std::optional<double> seconds);

} // namespace qg::cli
