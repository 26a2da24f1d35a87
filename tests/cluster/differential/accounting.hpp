// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sets QOSs and associations in slurmdbd, all of a scenario in one transaction: slurmctld hears of them once.
#pragma once

#include <nlohmann/json.hpp>

namespace qg::test {

/// Gives each QOS of `qos` (by name) and each association of `associations` (a list) just the settings named,
/// under sacctmgr's names; every other limit is cleared. They must exist.
/// Throws std::runtime_error where slurmdbd refuses.
void set_accounting(const nlohmann::json& qos, const nlohmann::json& associations);

} // namespace qg::test
