// SPDX-License-Identifier: GPL-2.0-or-later
//
// One scenario: a configuration, what is in use under it, and jobs; what our engine foretells of each job,
// and what slurmctld makes of it.
#pragma once

#include <nlohmann/json.hpp>

namespace qg::test {

/// Prepares slurmctld, and asks it and the engine about every job of the scenario. Returns one record per
/// job.
///
/// Keys of a scenario: "partitions" and "qos" by name, "associations", "nodes"; "running" and "held" are jobs
/// that make up the present usage; "filler" is the user whose job fills the nodes if nothing may start;
/// "jobs"; "later_qos" are QOSs that change when the jobs that run do so. A running job may have a
/// "new_time_limit", which it gets as soon as it runs, and a job "parts": it is a heterogeneous one, and they
/// follow its first. Keys of a result: "foretold" and "actual", each with "error" (0: accepted), "refusal"
/// (Reason), "time_limit", "pending" (Reason); "actual" has "state" and "message" too. Throws
/// std::runtime_error if a daemon fails.
nlohmann::json judge(const nlohmann::json& scenario);

} // namespace qg::test
