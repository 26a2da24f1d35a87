// SPDX-License-Identifier: GPL-2.0-or-later
//
// TriedScript: what the site's script for job_submit/lua does with a job that is only tried.
#pragma once

#include "job/judged_world.hpp"

#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/slurm/job_desc_copy.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace qg::cli {

struct TriedScript {
    std::string why_not_run; ///< it read something that is not known here; empty: it ran
    bool is_refused = false;
    std::string error;                     ///< what slurmctld says of a refusal
    std::vector<std::string> said;         ///< lines for the user
    std::vector<std::string> logged;       ///< lines for slurmctld's log
    std::vector<policy::RuleEvent> events; ///< as of a rule
    std::vector<policy::FieldWriter> writes;
    std::chrono::nanoseconds took{};
};

/// Why this process may see less of jobs, partitions and reservations than slurmctld shows its script; empty:
/// it sees all. Cost: one RPC, blocking, for others than operators.
std::string find_why_hidden(const JudgedWorld& world);

/// Runs the script over a description as slurmctld hands it to plugins. `why_hidden` is of find_why_hidden().
/// What it writes is in `job` afterwards, unless it was not run or refuses the job. Cost: that of a rule;
/// blocking if it asks about users, whom this host's directory service tells, or reads slurm.jobs, which
/// slurmctld tells.
TriedScript try_script(policy::compat::SiteScript& script, slurm::JobDescCopy& job, std::uint32_t sender,
                       const JudgedWorld& world, const std::string& why_hidden);

/// For people / in JSON.
void print(const TriedScript& script, std::ostream& out);
nlohmann::ordered_json to_json(const TriedScript& script);

} // namespace qg::cli
