// SPDX-License-Identifier: GPL-2.0-or-later
//
// JudgedJob: what 'qosgate check' and 'qosgate policy try' do with a command line of sbatch, salloc or srun.
#pragma once

#include "common/job_user.hpp"
#include "common/output.hpp"
#include "job/judged_world.hpp"
#include "policy/policy_directory.hpp"
#include "policy/tried_job.hpp"

#include "qosgate/base/result.hpp"
#include "qosgate/slurm/job_desc_copy.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace qg::cli {

/// Where the rules come from.
enum class RulesNeeded : std::uint8_t {
    must_load, ///< rules that do not load are an error
    if_known,  ///< then the job is judged without them, and the answer says so
};

struct JobQuestion {
    std::string user;               ///< whose job it is, a name or a number; empty: the caller's
    std::string directory;          ///< the directory of rules; empty: qosgate.d beside slurm.conf
    std::string world;              ///< a file of 'qosgate capture'; empty: slurmctld now
    std::vector<std::string> words; ///< "sbatch", "--qos=debug", "job.sh"; not empty
    RulesNeeded rules = RulesNeeded::must_load;
};

struct JudgedJob {
    report::JobUser user;
    PolicyDirectory directory;
    std::shared_ptr<const policy::Policy> policy; ///< never null
    std::string unread_rules;                     ///< why the rules are not known; empty: they are
    JudgedWorld world;                            ///< nothing, if the client refuses its user's job
    std::vector<slurm::JobDescCopy> parts;        ///< `tried` borrows from them
    TriedJob tried;
    bool hides_jobs = false; ///< whether the table of jobs has room was not judged: PrivateData hides jobs

    /// "ana", or "user" for one without a name.
    [[nodiscard]] std::string user_name() const { return user.name.empty() ? "user" : user.name; }
};

/// Asks the client what it would send, and judges that. Empty: the command line is wrong, and `output` has
/// said so. Errors: not_found for an unknown user or directory, permission_denied, invalid_input for rules or
/// a file that do not load, unavailable for slurmctld, files or a client. Cost: blocking.
Result<std::optional<JudgedJob>> judge_command_line(const JobQuestion& question, Output& output);

/// The exit status of an answer, beside 0.
inline constexpr int exit_refused = 1;
inline int exit_status(const TriedJob& job) {
    const TriedPart& part = job.decisive();
    return part.status() == TriedStatus::accepted && !part.never_starts() ? 0 : exit_refused;
}

} // namespace qg::cli
