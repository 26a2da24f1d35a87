// SPDX-License-Identifier: GPL-2.0-or-later
//
// The controllers of a cluster with backups: which one is in charge, which answer, and which rules each would
// have in force. A standby with the plugin reports itself in StateSaveLocation.
//
//   for (const Controller& each : look_at_controllers(conf, report, std::time(nullptr))) show(each);
#pragma once

#include "common/gate_report.hpp"

#include "qosgate/slurmdb/slurm_conf.hpp"

#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

namespace qg::cli {

/// How long all of them together may take to answer.
inline constexpr std::chrono::milliseconds controller_patience{3000};

struct Controller {
    std::string host;                 ///< as SlurmctldHost names it
    std::optional<bool> is_in_charge; ///< empty: not known, for no plugin reports that it is
    std::optional<bool> answers;      ///< whether its slurmctld did, in time; empty: it was not asked
    GateReport report;                ///< its own; none: it has not written any, or it is old

    [[nodiscard]] bool is_standby() const { return is_in_charge == false; }
};

/// Asks each controller of slurm.conf, at the same time, and reads the reports of the standbys. A cluster
/// with one controller is not asked. `in_charge`: the report of the controller in charge.
/// Cost: one process for each controller; controller_patience at most.
std::vector<Controller> look_at_controllers(const slurmdb::SlurmConf& conf, const GateReport& in_charge,
                                            std::time_t now);

/// What is wrong with a standby, and what to do; one sentence each. `in_charge`: as above.
std::vector<std::string> find_standby_problems(const Controller& standby, const GateReport& in_charge);

/// That the controller in charge has taken over from another one with other rules, and what to do; empty: it
/// has not, or that one reports its rules by now, which find_standby_problems() compares.
std::string find_changed_rules(const std::vector<Controller>& controllers, const GateReport& in_charge);

/// "head2, standby, answers, hash 00f3…, the rules in force"
std::string describe_controller(const Controller& controller, const GateReport& in_charge);

} // namespace qg::cli
