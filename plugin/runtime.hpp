// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runtime: the plugin's parts put together, and the way of a submission through them.
//
// What the plugin does when it fails itself (a bug, no memory): without rules it changes nothing, as
// everywhere in level `explain`, since slurmctld still applies every limit. Where a rule that enforces and
// denies on errors is in force it refuses the job: such a rule is the site's word that no job passes unseen.
// Where rules are there and none was ever loaded, only root, SlurmUser and operators get jobs accepted.
#pragma once

#include "cluster_snapshot.hpp"
#include "controller_quota.hpp"
#include "het_submission.hpp"
#include "job_copy.hpp"
#include "job_files.hpp"
#include "job_owners.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/policy/store.hpp"
#include "status_file.hpp"
#include "status_report.hpp"
#include "time_allowance.hpp"

#include <slurm/slurm.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>

namespace qg::plugin {

/// Threads: submit() and modify() from any number of threads (slurmctld uses several from 23.02 on).
class Runtime {
  public:
    /// Looks up what slurmctld offers and loads the policy. What is missing is logged and done without.
    Runtime();

    /// Judges a new job; writes what rules changed back. Returns a Slurm error code, 0 to go on.
    int submit(job_desc_msg_t& description, std::uint32_t submit_uid, char** err_msg);

    /// Judges a change of a job. `err_msg` is null before 23.02, which shows the user nothing; then there is
    /// nothing to do but where the gate may refuse the change itself.
    int modify(const job_desc_msg_t& update, job_record* job, std::uint32_t submit_uid, char** err_msg);

    /// The answer where submit() or modify() threw, see above.
    int failed(char** err_msg);

    /// Ends all threads, waiting a moment for them.
    void stop();

  private:
    void start_policies(const std::filesystem::path& folder);
    /// Whether nobody knows the site's rules and this user has to wait for them.
    [[nodiscard]] bool is_kept_out(std::uint32_t submit_uid) const;
    /// Whether slurmctld will let this user change the job; who may not is told nothing of it.
    [[nodiscard]] bool may_change(std::uint32_t user_id, const job_desc_msg_t& job) const;
    int keep_out(const job_desc_msg_t& job, std::uint32_t submit_uid, bool is_change, char** err_msg);
    int answer(const model::Decision& decision, char** err_msg) const;
    /// Why the job is not looked at: its environment is too large, or its owner has spent the allowance, or
    /// the requester did by trying to change others' jobs. Empty: it is.
    [[nodiscard]] std::string_view why_not_copied(std::optional<std::uint32_t> files_id,
                                                  std::uint32_t submit_uid, bool by_operator) const;
    /// The job as it is; null where slurmctld offers no copies. The job's owner pays for it, who made its
    /// environment; where the requester may not change the job, the requester does.
    JobCopy copy_job(job_record* job, std::optional<std::uint32_t> files_id, std::uint32_t submit_uid,
                     bool by_operator);
    void start_status(const std::filesystem::path& file);
    /// What the status file says; empty while another controller does the work. Logs the start,
    /// and tells the policy's store when slurmctld serves.
    std::string describe_status();

    policy::PolicyStore policies_;
    ClusterSnapshot cluster_;
    ControllerQuota quota_;
    gate::Gate gate_;
    JobCopier jobs_;
    JobFiles job_files_;
    JobOwners owners_;             ///< of jobs that were copied
    TimeAllowance copy_allowance_; ///< for copies of jobs, by who pays for them
    HetSubmission het_submission_;
    DecisionCounts counts_;
    const std::time_t started_at_ = std::time(nullptr);
    bool has_said_hello_ = false; ///< the status file's thread's
    bool has_served_ = false;     ///< the same: slurmctld answered, and the policy's store knows
    StatusFile status_;
};

/// The one runtime, made by start_runtime(). It outlives everything: slurmctld ends by exit() while its
/// threads and ours run, so nothing here may be destroyed on the way out.
Runtime& runtime();

/// Makes the runtime; in a process where it was stopped before, a new one.
void start_runtime();

/// Stops the runtime's threads and destroys it. Nobody may be inside it.
void stop_runtime();

} // namespace qg::plugin
