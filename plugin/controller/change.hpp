// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "controller/judged_request.hpp"

#include <optional>
#include <string_view>

namespace qg::plugin {

/// A change of a job, as slurmctld hands it over. It is judged only if the site's script, a rule or a limit
/// has to do with it; for that slurmctld copies the job, whose size its owner chose.
class Change : JudgedRequest {
  public:
    Change(Controller& controller, job_desc_msg_t& update, job_record* job, std::uint32_t submit_uid,
           char** err_msg)
        : JudgedRequest(controller, update, submit_uid, err_msg, /*is_change=*/true), job_(job) {}

    /// Judges the change. Returns a code of Slurm, 0 to go on; empty: slurmctld shows no job, and it could
    /// not be judged.
    std::optional<int> decide();

  private:
    /// Finds out who changes which job. Many changes pass without.
    void look_up();
    /// Runs the site's script, which may write to the change and read the job. Returns a code of Slurm, 0 to
    /// go on; then `of_script_` has its time, and what it did.
    int run_script();
    /// Lets it pass unjudged. Returns 0.
    int pass();
    /// Decides about a change of this job.
    int judge(job_desc_msg_t& job);
    int refuse_unreadable(std::string_view why, model::UpdateParts parts);
    /// What the script did about a change that nobody else looked at.
    int conclude_script();

    /// Why the job is not read: its environment is too large, its owner has spent the allowance, or the
    /// requester has spent it (by changes that took long to check, by changes of jobs whose owner was not
    /// known, or by attempts to change other users' jobs). Empty: it is read.
    [[nodiscard]] std::string_view why_not_copied() const;
    /// The present job; null if slurmctld offers no copies. The time counts against the allowance of the
    /// job's owner, who made its environment. If the requester may not change the job, it counts against the
    /// requester; if the owner was not known before, against both.
    JobCopy copy_job();
    /// As copy_job(), but in the time of the candidate. Null also if slurmctld would log something.
    JobCopy copy_for_trial();
    [[nodiscard]] bool may_change(const job_desc_msg_t& job) const;
    /// The work of this request counts against the requester: one may change every task of an array.
    void spend(TimeAllowance::Clock::time_point since);

    /// Lets the candidate decide, too. `after` is the job after the change.
    void try_candidate(const ClusterNow& now, job_desc_msg_t& job, const model::JobRequest& after,
                       const model::Decision& decided, bool is_judged) noexcept;
    /// The same for a change that the policy in force passes without judging it. Records it if the candidate
    /// would not; what the script did, if it did something, is recorded by conclude_script().
    void try_passed() noexcept;

    job_record* const job_;
    const TimeAllowance::Clock::time_point begin_ = TimeAllowance::Clock::now();
    // look_up() sets them.
    std::optional<std::uint32_t> files_id_; ///< empty: not known
    bool is_by_operator_ = false;
};

} // namespace qg::plugin
