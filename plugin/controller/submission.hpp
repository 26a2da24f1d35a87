// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "controller/judged_request.hpp"

namespace qg::plugin {

/// A new job, or a part of a heterogeneous one, as slurmctld hands it over.
class Submission : JudgedRequest {
  public:
    Submission(Controller& controller, job_desc_msg_t& description, std::uint32_t submit_uid, char** err_msg)
        : JudgedRequest(controller, description, submit_uid, err_msg, /*is_change=*/false) {}

    /// Judges the job; writes what rules changed back. Returns a code of Slurm, 0 to go on.
    int decide();

    /// Refuses a job that nobody judges, with these words.
    int refuse(std::string why);

    /// When the policy in force had decided, before the candidate was tried, in CPU time of this thread.
    /// Empty: it is no part of a heterogeneous job, or the script refused it.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> decided_at() const { return decided_at_; }

  private:
    /// Runs the site's script, which may change the description. Returns a code of Slurm, 0 to go on; then
    /// `time` gets its time, and `of_script_` what it did, if it did something.
    int run_script(const ClusterNow& now, ScriptTime& time);
    /// Lets the candidate decide, too. What it does, and whether it can, changes nothing.
    void try_candidate(const ClusterNow& now, const model::JobRequest& request,
                       const model::Decision& decided) noexcept;
    /// The same for a job that the script in force refused.
    void try_refused(const ClusterNow& now, const model::JobRequest& request,
                     const model::Decision& decided) noexcept;

    std::optional<std::chrono::nanoseconds> decided_at_;
};

} // namespace qg::plugin
