// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether each slurmctld of a cluster answers. libslurm's own ping waits for MessageTimeout, and its other
// calls only tell about one controller.
#pragma once

#include "qosgate/slurmdb/slurm_conf.hpp"

#include <chrono>
#include <optional>
#include <vector>

namespace qg::slurmdb {

/// Asks all controllers of slurm.conf at the same time; the answers are in their order. False: none within
/// `patience`. Empty: it could not be asked.
/// Threads: the caller has one. Cost: one process for each controller, for as long as `patience` at most.
std::vector<std::optional<bool>> ping_controllers(const SlurmConf& conf, std::chrono::milliseconds patience);

/// Whether one of them answers libslurm's ping. If slurmctld is down, libslurm repeats any other request for
/// as long as MessageTimeout; a ping fails at once.
bool any_controller_answers(const SlurmConf& conf);

} // namespace qg::slurmdb
